/** Access to screens; wraps every row of routes.tsx. */
import type { Role } from '@vexil/core/vocabulary'
import { type ReactNode, useEffect } from 'react'
import { Navigate, useLocation, useParams, useSearchParams } from 'react-router'
import { toast } from '../ui/overlays/toast.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import NotFoundScreen from './not-found.screen.tsx'
import { paths, safeFrom } from './paths.ts'
import { ScreenSkeleton } from './screen-skeleton.tsx'
import { leaving, reaches, useSession } from './session.ts'
import { useSite } from './site.ts'

/** `guest` screens are for visitors who are not signed in; `setup` is the page of the first start. */
export type Need = 'anyone' | 'guest' | 'setup' | Exclude<Role, 'Banned'>

const whole = /^[1-9]\d{0,9}$/

/** Ids of games and challenges are positive integers, ids of posts have eight characters; anything else is not found. */
export function validParams(params: Readonly<Record<string, string | undefined>>): boolean {
  const { id, chalId, postId } = params
  if (id !== undefined && !(whole.test(id) && Number(id) <= 2_147_483_647)) return false
  if (chalId !== undefined && !(whole.test(chalId) && Number(chalId) <= 2_147_483_647)) return false
  return postId === undefined || postId.toLowerCase() === 'new' || postId.length === 8
}

interface Props {
  readonly need: Need
  readonly children: ReactNode
}

export function Guard({ need, children }: Props) {
  const { t } = useTranslation()
  const site = useSite()
  const session = useSession()
  const location = useLocation()
  const params = useParams()
  const [query] = useSearchParams()

  const here = `${location.pathname}${location.search}`
  const toLogin = session.state === 'visitor' && need !== 'anyone' && need !== 'guest' && need !== 'setup'
  useEffect(() => {
    if (toLogin && site.known && !site.setupRequired && !leaving())
      toast({ id: 'guard', kind: 'wary', title: t('shell.signInFirst') })
  }, [toLogin, site.known, site.setupRequired, t])

  if (site.setupRequired && need !== 'setup') return <Navigate to={paths.setup} replace />
  if (!validParams(params)) return <NotFoundScreen />
  if (need === 'anyone') return children
  if (need === 'setup') return site.known && !site.setupRequired ? <Navigate to={paths.home} replace /> : children
  if (session.state === 'unknown') return <ScreenSkeleton />
  if (need === 'guest') return session.state === 'member' ? <Navigate to={safeFrom(query.get('from'))} replace /> : children
  if (session.state === 'visitor') return <Navigate to={leaving() ?? paths.login(here)} replace />
  if (!reaches(session.role, need)) return <NotFoundScreen />
  return children
}
