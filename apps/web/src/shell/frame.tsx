import { useEffect, useRef } from 'react'
import { matchPath, Outlet, useLocation } from 'react-router'
import { lazyPart } from '../ui/base/lazy-part.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { ConnectionNote } from './connection-note.tsx'
import { ErrorBoundary } from './error-screen.tsx'
import c from './frame.module.css'
import { Rail } from './rail.tsx'
import { useSite } from './site.ts'
import { TopBar } from './top-bar.tsx'
import { TopBarPlaceProvider } from './top-bar-place.tsx'
import { Watermark } from './watermark.tsx'

const DemoBar = lazyPart(() => import('./demo-bar.tsx'))

export function SkipLink() {
  const { t } = useTranslation()
  return (
    <a className={c.skip} href="#content">
      {t('shell.skip')}
    </a>
  )
}

/** The second link of the challenge board, which has many controls before its cards. */
function SkipToChallenges() {
  const { t } = useTranslation()
  if (!matchPath('/games/:id/Challenges', useLocation().pathname)) return null
  return (
    <a className={c.skip} href="#challenges">
      {t('shell.skipToChallenges')}
    </a>
  )
}

/** Whether another screen was shown before: the current one is not the browser's first. */
let wasShown = false

/** The main part of a page. A new screen starts at its top with the focus on it, so that screen readers begin there. */
export function Content({ children }: { readonly children: React.ReactNode }) {
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  const before = useRef<string>(undefined)
  useEffect(() => {
    if (before.current === pathname) return
    const first = !wasShown
    before.current = pathname
    wasShown = true
    if (first) return
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true })
  }, [pathname])
  return (
    <main id="content" ref={main} tabIndex={-1}>
      <ErrorBoundary place={pathname}>{children}</ErrorBoundary>
    </main>
  )
}

export function Frame() {
  // The page itself contains this before the settings arrive.
  const { isDemo = document.documentElement.dataset.demo === 'true' } = useSite()
  return (
    <TopBarPlaceProvider>
      <SkipLink />
      <SkipToChallenges />
      <div className={c.app}>
        <div className={c.wide}>
          <Rail />
        </div>
        <div className={c.phone}>
          <TopBar />
        </div>
        <div className={c.column}>
          {isDemo && (
            <div className={c.demo}>
              <DemoBar wanted />
            </div>
          )}
          <ConnectionNote />
          <Content>
            <Outlet />
          </Content>
        </div>
      </div>
      <Watermark />
    </TopBarPlaceProvider>
  )
}
