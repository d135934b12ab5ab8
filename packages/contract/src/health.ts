import * as Type from 'typebox'
import { endpoint } from './endpoint.ts'
import { DateTime, Int, Nullable, OneOf } from './shapes.ts'

export const healthChecks = [
  'settings',
  'database',
  'clock',
  'disk',
  'files',
  'mail',
  'captcha',
  'engine',
  'backup',
  'proxy',
  'faults',
] as const
export type HealthCheckName = (typeof healthChecks)[number]

export const healthLevels = ['ok', 'warning', 'error'] as const

export const HealthReport = Type.Object({
  checkedAt: DateTime,
  checks: Type.Array(
    Type.Object({
      name: OneOf(healthChecks),
      level: OneOf(healthLevels),
      text: Type.String(),
      fix: Nullable(Type.String()),
    }),
  ),
  faults: Type.Array(Type.Object({ route: Type.String(), count: Int, lastAt: DateTime })),
})
export type HealthReport = Type.Static<typeof HealthReport>

export const getHealth = endpoint('GET /api/admin/health', {
  access: 'admin',
  ours: true,
  summary: 'What the platform depends on: the state of each part, with what to do, in the language of the request',
  reply: HealthReport,
})
