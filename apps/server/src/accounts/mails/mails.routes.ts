import * as endpoints from '@vexil/contract/mails'
import { pages } from '@vexil/core/limits'
import type { Deps } from '../../deps.ts'
import { pageOf } from '../../http/paging.ts'
import { type Http, route } from '../../http/route.ts'
import { listMails } from './mails.queries.ts'
import { mailView } from './mails.view.ts'
import { sendTestMail } from './send-test-mail.ts'

export function mailAdminRoutes(http: Http, deps: Pick<Deps, 'db' | 'config' | 'log' | 'mailer' | 'secrets' | 'settings'>): void {
  route(http, endpoints.listMails, async ({ query }) => {
    const { rows, total } = await listMails(deps.db, { ...pageOf(query, pages.mails), state: query.state })
    return { data: rows.map(mailView), length: rows.length, total, configured: deps.mailer.configured }
  })

  route(http, endpoints.sendTestMail, async ({ language, by }) => sendTestMail(deps, by, language))
}
