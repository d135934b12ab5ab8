import { Outlet, useLocation } from 'react-router'
import { ConnectionNote } from './connection-note.tsx'
import { ErrorBoundary } from './error-screen.tsx'
import { SkipLink } from './frame.tsx'

/** Frame around the account screens: no rail, no top bar. */
export function GateFrame() {
  const { pathname } = useLocation()
  return (
    <>
      <SkipLink />
      <ConnectionNote />
      <main id="content" tabIndex={-1}>
        <ErrorBoundary place={pathname}>
          <Outlet />
        </ErrorBoundary>
      </main>
    </>
  )
}
