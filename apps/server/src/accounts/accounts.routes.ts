import * as endpoints from '@vexil/contract/accounts'
import { messagesOf } from '@vexil/contract/messages/messages'
import { fileLimits } from '@vexil/core/limits'
import type { ParticipationStatus } from '@vexil/core/vocabulary'
import type { Deps } from '../deps.ts'
import { type Http, route } from '../http/route.ts'
import { giveSession, sessionToken, takeSession } from '../http/session-cookie.ts'
import { oneFile } from '../http/uploads.ts'
import { getAccount, listParticipations } from './accounts.queries.ts'
import { profileView } from './accounts.view.ts'
import { changeAvatar } from './change-avatar.ts'
import { changePassword } from './change-password.ts'
import { logIn } from './log-in.ts'
import { mailRoutes } from './mail.routes.ts'
import { mailAdminRoutes } from './mails/mails.routes.ts'
import { register } from './register.ts'
import { endSession } from './sessions.ts'
import { updateProfile } from './update-profile.ts'

type Needed = Pick<Deps, 'db' | 'bus' | 'config' | 'log' | 'settings' | 'storage' | 'captcha' | 'mailer' | 'secrets'>

const saidOf = {
  LoggedIn: 'registered',
  AdminConfirmationRequired: 'awaitsAdmin',
  EmailConfirmationRequired: 'awaitsMail',
} as const

/** `/api/account`. */
export function accountRoutes(http: Http, deps: Needed): void {
  route(http, endpoints.register, async ({ body, ip, language, request, reply }) => {
    const registration = { ...body, challenge: body.challenge ?? null, ip, language, oldToken: sessionToken(request) }
    const { status, token } = await register(deps, registration)
    if (token !== null) giveSession(request, reply, token)
    return { title: messagesOf[language].said[saidOf[status]], data: status, status: 200 }
  })

  route(http, endpoints.login, async ({ body, ip, request, reply }) => {
    const attempt = { ...body, challenge: body.challenge ?? null, ip, oldToken: sessionToken(request) }
    giveSession(request, reply, await logIn(deps, attempt, http.limiter.take))
  })

  route(http, endpoints.logout, async ({ request, reply }) => {
    const token = sessionToken(request)
    takeSession(request, reply)
    if (token === null) return
    await endSession(deps.db, token)
    deps.bus.publish('security.changed', {})
  })

  route(http, endpoints.profile, async ({ actor }) => profileView(await getAccount(deps.db, actor.id)))

  route(http, endpoints.updateProfile, async ({ actor, body, ip, request }) =>
    updateProfile(deps, { id: actor.id, ip, token: sessionToken(request) as string }, body),
  )

  route(http, endpoints.changePassword, async ({ actor, body, ip, request, reply }) => {
    // The old password can be guessed here as well as at the login.
    http.limiter.take('login', `account ${actor.id}`)
    giveSession(request, reply, await changePassword(deps, { ...actor, ip }, body))
  })

  route(http, endpoints.changeAvatar, (call) =>
    oneFile(http, call, { part: 'file', max: fileLimits.imageBytes }, ({ bytes }) =>
      changeAvatar(deps, { ...call.actor, ip: call.ip }, bytes),
    ),
  )

  route(http, endpoints.myGames, async ({ actor }) =>
    (await listParticipations(deps.db, actor.id)).map((row) => ({ ...row, status: row.status as ParticipationStatus })),
  )

  mailRoutes(http, deps)
  mailAdminRoutes(http, deps)
}
