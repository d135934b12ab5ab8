import * as endpoints from '@vexil/contract/accounts'
import { messagesOf } from '@vexil/contract/messages/messages'
import type { Deps } from '../deps.ts'
import type { DeviceOwner, Devices } from '../http/known-device.ts'
import { networkOf } from '../http/network.ts'
import { type Http, route } from '../http/route.ts'
import { sessionToken } from '../http/session-cookie.ts'
import { cancelEmailChange } from './cancel-email-change.ts'
import { confirmEmailChange, mustBeChangeable, requestEmailChange } from './change-email.ts'
import { mustKnowPassword } from './change-password.ts'
import { readEncoded } from './mails/link-tokens.ts'
import { recoverAccount } from './recover-account.ts'
import { resetPassword } from './reset-password.ts'
import type { SignInLimits } from './sign-in-limits.ts'
import { verifyAccount } from './verify-account.ts'

export function mailRoutes(
  http: Http,
  deps: Pick<Deps, 'db' | 'bus' | 'log' | 'settings' | 'captcha' | 'mailer' | 'secrets'>,
  { limits, devices }: { readonly limits: SignInLimits; readonly devices: Devices },
): void {
  route(http, endpoints.recovery, async ({ body, ip, language }) => {
    await recoverAccount(deps, { email: body.email, challenge: body.challenge ?? null, ip, language })
    return { title: messagesOf[language].confirmations.recoverySent, status: 200 }
  })

  route(http, endpoints.passwordReset, async ({ body: { password, email, rToken }, ip }) => {
    await resetPassword(deps, { password, email: readEncoded(email), token: readEncoded(rToken), ip, network: networkOf(ip) })
  })

  route(http, endpoints.verify, async ({ body, ip, request, reply }) => {
    const link = { email: readEncoded(body.email), token: readEncoded(body.token) }
    devices.setCookies(request, reply, await verifyAccount(deps, { ...link, ip, oldToken: sessionToken(request) }))
  })

  route(http, endpoints.changeEmail, async ({ actor, body, ip, language, request, by }) => {
    await mustBeChangeable(deps, actor.id, body.newMail)
    if (body.password != null) {
      const place = { network: networkOf(ip), deviceOf: (owner: DeviceOwner) => devices.known(request, owner) }
      await mustKnowPassword(deps, limits, { account: actor.id, ...place }, body.password)
    }
    await requestEmailChange(deps, by, body.newMail, language)
    return { title: messagesOf[language].confirmations.changeMailSent, data: true, status: 200 }
  })

  route(http, endpoints.mailChangeConfirm, async ({ body, by, session }) => {
    const link = { email: readEncoded(body.email), token: readEncoded(body.token) }
    await confirmEmailChange(deps, { ...by, session: session.token }, link)
  })

  route(http, endpoints.mailChangeCancel, async ({ body, ip }) =>
    cancelEmailChange(deps, { email: readEncoded(body.email), token: readEncoded(body.token), ip }),
  )
}
