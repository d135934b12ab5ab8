/** Replaces each node with another release, one after the other, while pages are open in browsers. */
import type { Browser } from '@playwright/test'
import { pageOf, scriptOf } from './next-release.ts'
import type { Site } from './site.ts'
import { loadPages } from './visitors.ts'

interface Wanted {
  /** The folder of the release. */
  readonly release: string
  /**
   * The next release has the files of the previous one, so no page has to be reloaded. In the other direction pages may be reloaded: the previous
   * release cannot have the files of the next one.
   */
  readonly isNext: boolean
}

type Check = (what: string, found: readonly string[]) => void

/** `check` gets the problems. */
export async function replaceEach(site: Site, browser: Browser, { release, isNext }: Wanted, check: Check): Promise<void> {
  const { nodes, proxy, seeded } = site
  for (const [at, node] of nodes.entries()) {
    const openScreens = await loadPages(browser, proxy.url, seeded)
    const startedAt = performance.now()
    await proxy.takeOut(at)
    await node.stop()
    await node.start({}, release)
    await proxy.putBack(at)
    const lasted = ((performance.now() - startedAt) / 1000).toFixed(1)
    const { notShown, failed, reloaded } = await openScreens()
    const again = isNext && reloaded > 0 ? [`${reloaded} pages were loaded again`] : []
    const what = `Node ${at + 1} was replaced in ${lasted} s; screens of open pages, of which ${reloaded} were loaded again`
    check(what, [...notShown, ...again, ...(isNext ? failed : [])])
  }
  const wanted = scriptOf(pageOf(release))
  const scripts = await Promise.all(nodes.map(async ({ url }) => scriptOf(await (await fetch(url)).text())))
  check(
    `Each node is of the ${isNext ? 'next' : 'first'} release`,
    scripts.filter((script) => script !== wanted),
  )
}
