import * as endpoints from '@vexil/contract/accounts'
import { messagesOf } from '@vexil/contract/messages/messages'
import { fileLimits } from '@vexil/core/limits'
import type { ParticipationStatus } from '@vexil/core/vocabulary'
import type { Deps } from '../deps.ts'
import { type DeviceOwner, openDevices } from '../http/known-device.ts'
import { networkOf } from '../http/network.ts'
import { type Http, route } from '../http/route.ts'
import { clearSessionCookie, sessionToken } from '../http/session-cookie.ts'
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
import type { SignInLimits } from './sign-in-limits.ts'
import { updateProfile } from './update-profile.ts'

type AccountDeps = Pick<
  Deps,
  'db' | 'bus' | 'config' | 'log' | 'settings' | 'storage' | 'captcha' | 'mailer' | 'secrets' | 'onError'
>

const titleKeys = {
  LoggedIn: 'registered',
  AdminConfirmationRequired: 'awaitsAdmin',
  EmailConfirmationRequired: 'awaitsMail',
} as const

export function accountRoutes(http: Http, deps: AccountDeps, limits: SignInLimits): void {
  const devices = openDevices(deps.secrets)

  route(http, endpoints.register, async ({ body, ip, language, request, reply }) => {
    const from = { ip, network: networkOf(ip), oldToken: sessionToken(request) }
    const { status, signedIn } = await register(deps, { ...body, challenge: body.challenge ?? null, language, ...from })
    if (signedIn) devices.setCookies(request, reply, signedIn)
    return { title: messagesOf[language].confirmations[titleKeys[status]], data: status, status: 200 }
  })

  route(http, endpoints.login, async ({ actor, body, ip, request, reply }) => {
    const from = { ip, network: networkOf(ip), oldToken: sessionToken(request) }
    const deviceOf = (owner: DeviceOwner) => devices.known(request, owner)
    const attempt = { ...body, challenge: body.challenge ?? null, ...from, deviceOf }
    devices.setCookies(request, reply, await logIn(deps, limits, attempt))
    // Many people share one address in a hall; a signed-in caller counts by account.
    if (!actor) http.limiter.refund('global', from.network)
  })

  route(http, endpoints.logout, async ({ request, reply }) => {
    const token = sessionToken(request)
    clearSessionCookie(request, reply)
    if (token === null) return
    await endSession(deps.db, token)
    deps.bus.publish('security.changed', {})
  })

  route(http, endpoints.profile, async ({ actor }) => profileView(await getAccount(deps.db, actor.id)))

  route(http, endpoints.session, async ({ actor }) => ({
    user: actor && profileView(await getAccount(deps.db, actor.id)),
  }))

  route(http, endpoints.updateProfile, async ({ actor, body, ip, session: { token } }) =>
    updateProfile(deps, { id: actor.id, ip, token }, body),
  )

  route(http, endpoints.changePassword, async ({ body, ip, request, reply, by }) => {
    const place = { network: networkOf(ip), deviceOf: (owner: DeviceOwner) => devices.known(request, owner) }
    devices.setCookies(request, reply, await changePassword(deps, limits, by, place, body))
  })

  route(http, endpoints.changeAvatar, (call) =>
    oneFile(http, call, { part: 'file', max: fileLimits.imageBytes }, ({ bytes }) => changeAvatar(deps, call.by, bytes)),
  )

  route(http, endpoints.myGames, async ({ actor }) =>
    (await listParticipations(deps.db, actor.id)).map((row) => ({ ...row, status: row.status as ParticipationStatus })),
  )

  mailRoutes(http, deps, { limits, devices })
  mailAdminRoutes(http, deps)
}
