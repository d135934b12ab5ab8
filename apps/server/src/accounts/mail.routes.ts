/** Calls that send or follow mails. */
import * as endpoints from '@vexil/contract/accounts'
import { messagesOf } from '@vexil/contract/messages/messages'
import type { Deps } from '../deps.ts'
import { type Http, route } from '../http/route.ts'
import { giveSession, sessionToken } from '../http/session-cookie.ts'
import { askForEmailChange, confirmEmailChange } from './change-email.ts'
import { readEncoded } from './mails/link-tokens.ts'
import { recoverAccount } from './recover-account.ts'
import { resetPassword } from './reset-password.ts'
import { verifyAccount } from './verify-account.ts'

export function mailRoutes(
  http: Http,
  deps: Pick<Deps, 'db' | 'bus' | 'log' | 'settings' | 'captcha' | 'mailer' | 'secrets'>,
): void {
  route(http, endpoints.recovery, async ({ body, ip, language }) => {
    await recoverAccount(deps, { email: body.email, challenge: body.challenge ?? null, ip, language })
    return { title: messagesOf[language].said.recoverySent, status: 200 }
  })

  route(http, endpoints.passwordReset, async ({ body: { password, email, rToken }, ip }) => {
    await resetPassword(deps, { password, email: readEncoded(email), token: readEncoded(rToken), ip })
  })

  route(http, endpoints.verify, async ({ body, ip, request, reply }) => {
    const link = { email: readEncoded(body.email), token: readEncoded(body.token) }
    giveSession(request, reply, await verifyAccount(deps, { ...link, ip, oldToken: sessionToken(request) }))
  })

  route(http, endpoints.changeEmail, async ({ actor, body, ip, language }) => {
    await askForEmailChange(deps, { ...actor, ip }, body.newMail, language)
    return { title: messagesOf[language].said.changeMailSent, data: true, status: 200 }
  })

  route(http, endpoints.mailChangeConfirm, async ({ actor, body, ip, request }) => {
    const link = { email: readEncoded(body.email), token: readEncoded(body.token) }
    await confirmEmailChange(deps, { ...actor, ip, session: sessionToken(request) as string }, link)
  })
}
