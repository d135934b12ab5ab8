import { type DemoRole, demoSignIn } from '@vexil/contract/demo'
import type { Deps } from '../deps.ts'
import { type Http, route } from '../http/route.ts'
import { sessionToken, setSessionCookie } from '../http/session-cookie.ts'
import { signInWithoutPassword } from './sign-in-without-password.ts'

/** Binds the call that signs a visitor in without a password. `people`: user names by role. Only the demo calls this. */
export function demoRoutes(http: Http, deps: Pick<Deps, 'db' | 'bus'>, people: Readonly<Record<DemoRole, string>>): void {
  route(http, demoSignIn, async ({ body, ip, request, reply }) => {
    const who = { userName: people[body.role], ip, oldToken: sessionToken(request) }
    setSessionCookie(request, reply, await signInWithoutPassword(deps, who))
  })
}
