import { getHealth } from '@vexil/contract/health'
import { listLogs as listLogsCall } from '@vexil/contract/logs'
import * as services from '@vexil/contract/service-settings'
import * as endpoints from '@vexil/contract/settings'
import * as site from '@vexil/contract/site'
import { fileLimits, pages } from '@vexil/core/limits'
import { PostNotFound } from '@vexil/core/rules'
import type { Deps } from '../deps.ts'
import type { Forwarding } from '../http/forwarding.ts'
import { pageOf } from '../http/paging.ts'
import { type Http, route } from '../http/route.ts'
import { oneFile } from '../http/uploads.ts'
import { changeLogo, removeLogo } from './change-logo.ts'
import { changeSettings } from './change-settings.ts'
import { createPost, deletePost, updatePost } from './edit-posts.ts'
import { healthView, runChecks, shareRuns } from './health-report.ts'
import { listLogs } from './logs.queries.ts'
import { findPost } from './posts.queries.ts'
import { changeCaptcha, changeMailServer, servicesView, testCaptcha } from './services.ts'
import { environmentView, logView, postDetailView, siteConfigView } from './site.view.ts'

type SiteDeps = Deps & { readonly forwarding: Forwarding }

export function siteAdminRoutes(http: Http, deps: SiteDeps): void {
  route(http, endpoints.getSiteConfig, async () => {
    await deps.settings.reload()
    return siteConfigView(deps.settings.get(), {
      untrustedProxy: deps.forwarding.untrusted(),
      environment: environmentView(deps),
    })
  })

  route(http, endpoints.updateSiteConfig, async ({ body, by }) => changeSettings(deps, by, body))

  route(http, services.getServices, async () => {
    await deps.settings.reload()
    return servicesView(deps.config, deps.settings.services())
  })
  route(http, services.updateMailServer, async ({ body, by }) => changeMailServer(deps, by, body))
  route(http, services.updateCaptcha, async ({ body, by }) => changeCaptcha(deps, by, body))
  route(http, services.testCaptcha, async () => testCaptcha(deps.captcha))

  route(http, endpoints.updateLogo, (call) =>
    oneFile(http, call, { part: 'file', max: fileLimits.imageBytes }, ({ bytes }) => changeLogo(deps, call.by, bytes)),
  )

  route(http, endpoints.deleteLogo, async ({ by }) => removeLogo(deps, by))

  route(http, site.createPost, async ({ body, by }) => createPost(deps, by, body))

  route(http, site.updatePost, async ({ body, params, by }) => {
    await updatePost(deps, by, params.id, body)
    const post = await findPost(deps.db, params.id)
    if (!post) throw new PostNotFound()
    return postDetailView(post)
  })

  route(http, site.deletePost, async ({ params, by }) => deletePost(deps, by, params.id))

  const sharedChecks = shareRuns(() => runChecks(deps))
  route(http, getHealth, async ({ language }) => healthView(await sharedChecks(), language))

  route(http, listLogsCall, async ({ query }) => {
    const level = query.level === 'All' ? undefined : query.level
    return (await listLogs(deps.db, { level, hint: query.hint }, pageOf(query, pages.logs))).map(logView)
  })
}
