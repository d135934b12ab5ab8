import * as endpoints from '@vexil/contract/settings'
import { fileLimits } from '@vexil/core/limits'
import type { Deps } from '../deps.ts'
import { type Http, route } from '../http/route.ts'
import { oneFile } from '../http/uploads.ts'
import { changeLogo, removeLogo } from './change-logo.ts'
import { changeSettings } from './change-settings.ts'
import { siteConfigView } from './site.view.ts'

type Needed = Pick<Deps, 'db' | 'bus' | 'log' | 'settings' | 'storage' | 'report'>

/** `/api/admin/config`. */
export function siteAdminRoutes(http: Http, deps: Needed): void {
  route(http, endpoints.getSiteConfig, async () => {
    await deps.settings.reload()
    return siteConfigView(deps.settings.get())
  })

  route(http, endpoints.updateSiteConfig, async ({ actor, body, ip }) => changeSettings(deps, { ...actor, ip }, body))

  route(http, endpoints.updateLogo, async ({ actor, ip, request }) => {
    const { bytes } = await oneFile(request, 'file', fileLimits.imageBytes)
    await changeLogo(deps, { ...actor, ip }, bytes)
  })

  route(http, endpoints.deleteLogo, async ({ actor, ip }) => removeLogo(deps, { ...actor, ip }))
}
