/** The one call of `npm run demo` that no other start binds; it is not part of the interface. */
import Type from 'typebox'
import { endpoint } from './endpoint.ts'
import { OneOf } from './shapes.ts'

export const demoRoles = ['player', 'organiser', 'monitor'] as const
export type DemoRole = (typeof demoRoles)[number]

export const demoSignIn = endpoint('POST /api/demo/session', {
  access: 'anyone',
  limit: 'login',
  ours: true,
  summary: 'Sign in as one of the accounts of the demo',
  body: Type.Object({ role: OneOf(demoRoles) }),
})
