/** All screens: address, code, and who may see them. Letter case and a trailing slash are ignored. */
import { type ComponentType, Suspense, useState } from 'react'
import { createBrowserRouter, Navigate, Outlet, type RouteObject, useParams } from 'react-router'
import { queryClient } from './api/query-client.ts'
import { Frame } from './shell/frame.tsx'
import { GateFrame } from './shell/gate-frame.tsx'
import { Guard, type Need } from './shell/guard.tsx'
import { KeysDialog } from './shell/keys-dialog.tsx'
import { lazyScreen } from './shell/lazy-screen.tsx'
import NotFoundScreen from './shell/not-found.screen.tsx'
import { Palette } from './shell/palette.tsx'
import { paths } from './shell/paths.ts'
import { ScreenSkeleton } from './shell/screen-skeleton.tsx'
import { type NamedScreen, screens as named } from './shell/screen-table.ts'
import { SessionWatch } from './shell/session-watch.tsx'
import { siteQuery } from './shell/site.ts'
import { SiteWatch } from './shell/site-watch.tsx'
import { Titled } from './shell/titled.tsx'
import { UnsavedGuard } from './shell/unsaved.tsx'
import { NeedsWidth } from './ui/base/narrow-notice.tsx'
import type { TextArea } from './ui/text/text-files.ts'
import { loadTexts } from './ui/text/texts.tsx'

/** Screens without a title here set it themselves. */
interface Row extends Pick<NamedScreen, 'path' | 'need' | 'width'>, Partial<Pick<NamedScreen, 'title'>> {
  readonly load: () => Promise<{ default: ComponentType }>
}

const framed: readonly Row[] = [
  { ...named.home, load: () => import('./games/home.screen.tsx') },
  { ...named.games, load: () => import('./games/games.screen.tsx') },
  { path: '/games/:id', need: 'anyone', load: () => import('./games/game.screen.tsx') },
  { ...named.posts, load: () => import('./posts/posts.screen.tsx') },
  { path: '/posts/:postId', need: 'anyone', load: () => import('./posts/post.screen.tsx') },
  { path: '/posts/:postId/edit', need: 'Admin', load: () => import('./posts/post-edit.screen.tsx') },
  { ...named.about, load: () => import('./posts/about.screen.tsx') },
  { ...named.teams, load: () => import('./teams/teams.screen.tsx') },
  { ...named.profile, load: () => import('./account/profile.screen.tsx') },
  { path: '/games/:id/Challenges', need: 'User', load: () => import('./play/challenges.screen.tsx') },
  { path: '/games/:id/Scoreboard', need: 'anyone', load: () => import('./scoreboard/scoreboard.screen.tsx') },
  { path: '/games/:id/monitor/Events', need: 'Monitor', load: () => import('./monitor/events.screen.tsx') },
  { path: '/games/:id/monitor/Submissions', need: 'Monitor', load: () => import('./monitor/submissions.screen.tsx') },
  { path: '/games/:id/monitor/CheatInfo', need: 'Monitor', width: 1080, load: () => import('./monitor/cheats.screen.tsx') },
  { path: '/games/:id/monitor/traffic', need: 'Monitor', load: () => import('./monitor/traffic.screen.tsx') },
  { ...named.adminGames, load: () => import('./site-admin/games/games.screen.tsx') },
  { ...named.adminTeams, load: () => import('./site-admin/teams/teams.screen.tsx') },
  { ...named.adminUsers, load: () => import('./site-admin/users/users.screen.tsx') },
  { ...named.adminInstances, load: () => import('./site-admin/instances/instances.screen.tsx') },
  { ...named.adminHealth, load: () => import('./site-admin/health/health.screen.tsx') },
  { ...named.adminLogs, load: () => import('./site-admin/logs/logs.screen.tsx') },
  { ...named.adminSettings, load: () => import('./site-admin/settings/settings.screen.tsx') },
  { path: '/admin/games/:id/Info', need: 'Admin', width: 1080, load: () => import('./game-admin/information/info.screen.tsx') },
  { path: '/admin/games/:id/Notices', need: 'Admin', load: () => import('./game-admin/notices/notices.screen.tsx') },
  { path: '/admin/games/:id/Review', need: 'Admin', load: () => import('./game-admin/review/review.screen.tsx') },
  {
    path: '/admin/games/:id/Writeups',
    need: 'Admin',
    width: 1080,
    load: () => import('./game-admin/writeups/writeups.screen.tsx'),
  },
  {
    path: '/admin/games/:id/challenges',
    need: 'Admin',
    width: 1080,
    load: () => import('./game-admin/challenges/challenge-list.screen.tsx'),
  },
  {
    path: '/admin/games/:id/challenges/:chalId',
    need: 'Admin',
    width: 1080,
    load: () => import('./game-admin/challenges/challenge.screen.tsx'),
  },
  {
    path: '/admin/games/:id/challenges/:chalId/Flags',
    need: 'Admin',
    width: 1080,
    load: () => import('./game-admin/challenges/flags.screen.tsx'),
  },
]

const gates: readonly Row[] = [
  { ...named.setup, load: () => import('./account/setup.screen.tsx') },
  { ...named.login, load: () => import('./account/login.screen.tsx') },
  { ...named.register, load: () => import('./account/register.screen.tsx') },
  { ...named.recovery, load: () => import('./account/recovery.screen.tsx') },
  { ...named.reset, load: () => import('./account/reset.screen.tsx') },
  { path: '/account/Verify', need: 'anyone', load: () => import('./account/verify.screen.tsx') },
  { path: '/account/Confirm', need: 'anyone', load: () => import('./account/confirm.screen.tsx') },
  { path: '/account/Cancel', need: 'anyone', load: () => import('./account/cancel.screen.tsx') },
]

/** Screens that fill the display. */
const alone: readonly Row[] = [{ path: '/games/:id/screen', need: 'anyone', load: () => import('./scoreboard/hall.screen.tsx') }]

function areasOf({ need, path }: Row): readonly TextArea[] {
  if (path === paths.home) return []
  if (need !== 'Admin' && need !== 'Monitor') return ['players']
  const ofGame = !path.startsWith('/admin/') || path.startsWith('/admin/games/')
  return ofGame ? ['players', 'organisers'] : ['players', 'organisers', 'site']
}

const codeOf = (row: Row) => () => Promise.all([row.load(), ...areasOf(row).map(loadTexts)]).then(([code]) => code)

const screens = new Map([...framed, ...gates, ...alone].map((row) => [row.path, lazyScreen(codeOf(row))]))

function routeOf({ path, need, width, title }: Row): RouteObject {
  const Screen = screens.get(path) ?? NotFoundScreen
  const screen = width ? (
    <NeedsWidth width={width} home={paths.home}>
      <Screen />
    </NeedsWidth>
  ) : (
    <Screen />
  )
  return {
    path,
    element: (
      <Guard need={need}>
        <Suspense fallback={<ScreenSkeleton />}>{title ? <Titled title={title}>{screen}</Titled> : screen}</Suspense>
      </Guard>
    ),
  }
}

/** Redirects to the first of several screens. */
function RedirectTo({ need, to }: { readonly need: Need; readonly to: (id: string) => string }) {
  const { id = '' } = useParams()
  return (
    <Guard need={need}>
      <Navigate to={to(id)} replace />
    </Guard>
  )
}

const leads: readonly RouteObject[] = [
  { path: '/games/:id/monitor', element: <RedirectTo need="Monitor" to={(id) => paths.monitor(id)} /> },
  { path: '/admin', element: <RedirectTo need="Admin" to={() => paths.admin.games} /> },
  { path: '/admin/games/:id', element: <RedirectTo need="Admin" to={(id) => paths.admin.game(id)} /> },
]

function Root() {
  const [person, setPerson] = useState(0)
  return (
    <>
      <Outlet key={person} />
      <SessionWatch onOther={() => setPerson(person + 1)} />
      <SiteWatch />
      <UnsavedGuard />
      <Palette />
      <KeysDialog />
    </>
  )
}

const anyOther: RouteObject = {
  path: '*',
  element: (
    <Guard need="anyone">
      <NotFoundScreen />
    </Guard>
  ),
}

export const router = createBrowserRouter([
  {
    element: <Root />,
    children: [
      { element: <GateFrame />, children: gates.map(routeOf) },
      ...alone.map(routeOf),
      { element: <Frame />, children: [...framed.map(routeOf), ...leads, anyOther] },
    ],
  },
])

/** Resolves when the first screen can be drawn: code loaded, set-up state known. Never rejects; takes at most two seconds. */
export async function loadFirstScreen(): Promise<void> {
  const path = router.state.matches.at(-1)?.route.path ?? ''
  await Promise.race([
    Promise.allSettled([screens.get(path)?.loadCode(), queryClient.ensureQueryData({ ...siteQuery, retry: false })]),
    new Promise((resolve) => setTimeout(resolve, 2000)),
  ])
}
