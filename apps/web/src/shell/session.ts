/** Who is signed in, and signing out. */
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { logout, type ProfileUserInfo, session as sessionCall } from '@vexil/contract/accounts'
import { type Role, roles } from '@vexil/core/vocabulary'
import { useNavigate } from 'react-router'
import { forgetAnswers } from '../api/answer-cache.ts'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { forgetDrafts } from '../api/tab-drafts.ts'
import { toast } from '../ui/overlays/toast.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { paths } from './paths.ts'

/** Between tries to learn who is signed in. */
const retryMs = 3000

/** Who is signed in: the profile, or null for a visitor. A failure says nothing about that and is tried again by itself (SESS-1). */
export const profileQuery = queryOptions({
  queryKey: keys.profile,
  queryFn: async ({ signal }) => (await call(sessionCall, { signal })).user,
  staleTime: Number.POSITIVE_INFINITY,
  // Another tab may have signed in as another account while this one slept (SESS-2).
  refetchOnWindowFocus: 'always',
  refetchInterval: ({ state }) => (state.status === 'error' ? retryMs : false),
})

export type Session =
  | { readonly state: 'unknown'; readonly user?: undefined; readonly role?: undefined }
  | { readonly state: 'visitor'; readonly user?: undefined; readonly role?: undefined }
  | { readonly state: 'member'; readonly user: ProfileUserInfo; readonly role: Role }

export function useSession(): Session {
  const { data } = useQuery(profileQuery)
  if (data === undefined) return { state: 'unknown' }
  if (data === null || data.role === 'Banned') return { state: 'visitor' }
  return { state: 'member', user: data, role: data.role ?? 'User' }
}

/** A role is enough when it is equal or higher. */
export function reaches(role: Role | undefined, least: Role): boolean {
  return role !== undefined && roles.indexOf(role) >= roles.indexOf(least)
}

/** Written whenever this tab signs in or out, so that others of the same browser hear of it (SESS-2). */
const changedKey = 'session-changed'
/** Until when a new person is this tab's own doing. */
let ownUntil = 0

/** This tab signs in or out: other tabs ask who is there now. */
export function notifyOtherTabs(): void {
  ownUntil = Date.now() + 2000
  try {
    localStorage.setItem(changedKey, String(Date.now()))
  } catch {
    // Storage is off: the others notice when they are looked at.
  }
}

export const isOwnChange = (): boolean => Date.now() < ownUntil

/** Hears when another tab of this browser signs in or out. Returns how to stop. */
export function onOtherTab(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => event.key === changedKey && listener()
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}

/** Removes data that was fetched for another account; public data stays. */
export function forgetPerson(queries: QueryClient): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.config[0] && queryKey[0] !== keys.profile[0] })
}

let leavingFor: string | undefined

/** The destination after signing out; the guarded screen may still be there for a moment and must not redirect to login. */
export function leaving(): string | undefined {
  return leavingFor
}

/** Forgets what belongs to the person and goes to a public screen; what everybody may see stays. */
export function useLeave(): (path: string) => Promise<void> {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return async (path) => {
    leavingFor = path
    forgetAnswers()
    notifyOtherTabs()
    queries.setQueryData(profileQuery.queryKey, null)
    await navigate(path)
    forgetPerson(queries)
    setTimeout(() => {
      leavingFor = undefined
    }, 2000)
  }
}

/** Signs out here whatever the server answers (NAV-2). */
export function useLogout(): () => Promise<void> {
  const { t } = useTranslation()
  const leave = useLeave()
  return async () => {
    await call(logout).catch(() => {})
    forgetDrafts()
    await leave(paths.home)
    toast({ id: 'session', kind: 'good', title: t('shell.signedOut') })
  }
}
