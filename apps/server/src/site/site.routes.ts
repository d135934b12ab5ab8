import { createHash } from 'node:crypto'
import * as endpoints from '@vexil/contract/site'
import { postLimits } from '@vexil/core/limits'
import { PostNotFound } from '@vexil/core/rules'
import type { Deps } from '../deps.ts'
import { isHeld } from '../http/conditional.ts'
import { type Http, route } from '../http/route.ts'
import { loadFavicon } from './favicon.ts'
import { findPost, listPosts } from './posts.queries.ts'
import { configView, postDetailView, postView } from './site.view.ts'

export function siteRoutes(
  http: Http,
  deps: Pick<Deps, 'db' | 'settings' | 'captcha' | 'storage' | 'engine' | 'config'>,
  isDemo: boolean,
): void {
  const { db, settings, captcha } = deps
  const { containerPorts, containerWeb } = deps.config
  const containers = deps.engine.kind === 'None' ? 'None' : containerPorts
  const instanceHosts = containers === 'PlatformProxy' ? (containerWeb?.origin ?? null) : null
  route(http, endpoints.clientConfig, async ({ request, reply }) => {
    const setupRequired = !(await http.gate.isSetUp())
    const config = configView(settings.get(), { containers, instanceHosts, setupRequired, isDemo })
    const etag = `W/"${createHash('sha256').update(JSON.stringify(config)).digest('base64url').slice(0, 16)}"`
    // Browsers may cache it, but must revalidate.
    reply.header('cache-control', 'no-cache')
    isHeld(request, reply, etag)
    return config
  })

  route(http, endpoints.captcha, async () => {
    const shown = settings.get()['AccountPolicy:UseCaptcha'] && captcha.siteKey !== ''
    return shown ? { type: captcha.provider, siteKey: captcha.siteKey } : { type: 'None' as const, siteKey: '' }
  })

  route(http, endpoints.favicon, async ({ request, reply }) => {
    const { hash, type, bytes } = await loadFavicon(deps)
    const etag = `"favicon-${hash.slice(0, 8)}"`
    reply.header('cache-control', 'no-cache')
    return isHeld(request, reply, etag) ? reply.send() : reply.type(type).send(bytes)
  })

  route(http, endpoints.posts, async () => (await listPosts(db)).map(postView))
  route(http, endpoints.latestPosts, async () => (await listPosts(db, postLimits.latest)).map(postView))

  route(http, endpoints.getPost, async ({ params }) => {
    const post = await findPost(db, params.id)
    if (!post) throw new PostNotFound()
    return postDetailView(post)
  })
}
