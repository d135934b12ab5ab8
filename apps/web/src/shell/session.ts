import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { logout, type ProfileUserInfo, session as sessionCall } from '@vexil/contract/accounts'
import { type Role, roles } from '@vexil/core/vocabulary'
import { useNavigate } from 'react-router'
import { forgetAnswers } from '../api/answer-cache.ts'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { forgetDrafts } from '../api/tab-drafts.ts'
import { useConfirm } from '../ui/overlays/confirm.tsx'
import { toast } from '../ui/overlays/toast.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { forgetPasswords, newPasswords } from './new-passwords.ts'
import { paths } from './paths.ts'
import { discardUnsaved, useConfirmLoss } from './unsaved.tsx'

const retryMs = 3000

/** The profile, or null for a visitor. A failure means neither and is retried automatically. */
export const profileQuery = queryOptions({
  queryKey: keys.profile,
  queryFn: async ({ signal }) => (await call(sessionCall, { signal })).user,
  staleTime: Number.POSITIVE_INFINITY,
  // Another tab may have signed in as another account while this one slept.
  refetchOnWindowFocus: 'always',
  refetchInterval: ({ state }) => (state.status === 'error' ? retryMs : false),
})

export type Session =
  | { readonly state: 'unknown'; readonly user?: undefined; readonly role?: undefined }
  | { readonly state: 'visitor'; readonly user?: undefined; readonly role?: undefined }
  | { readonly state: 'member'; readonly user: ProfileUserInfo; readonly role: Role }

export function useSession(): Session {
  const { data } = useQuery(profileQuery)
  // A banned account is signed out at once; until then guarded screens must not ask it to sign in.
  if (data === undefined || data?.role === 'Banned') return { state: 'unknown' }
  if (data === null) return { state: 'visitor' }
  return { state: 'member', user: data, role: data.role ?? 'User' }
}

export function reaches(role: Role | undefined, least: Role): boolean {
  return role !== undefined && roles.indexOf(role) >= roles.indexOf(least)
}

/** Written at each sign-in and sign-out, to notify other tabs of the browser. */
const changedKey = 'session-changed'
/** Device time until which a change of the account counts as caused by this tab, ms. */
let ownUntil = 0

/** Makes other tabs reload the session after this one signed in or out. */
export function notifyOtherTabs(): void {
  ownUntil = Date.now() + 2000
  try {
    localStorage.setItem(changedKey, String(Date.now()))
  } catch {
    // Storage is off: other tabs check when they are shown.
  }
}

export const isOwnChange = (): boolean => Date.now() < ownUntil

/** Listens for sign-in and sign-out in other tabs of this browser. Returns a function that stops it. */
export function onOtherTab(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => event.key === changedKey && listener()
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}

/** Removes data of another account; public data stays. */
export function forgetPerson(queries: QueryClient): void {
  forgetPasswords()
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.config[0] && queryKey[0] !== keys.profile[0] })
}

let leavingFor: string | undefined

/** Target after signing out; a guarded screen that is still mounted must not redirect to login. */
export function leaving(): string | undefined {
  return leavingFor
}

/** Removes data of the person and opens a public screen. */
export function useLeave(): (path: string) => Promise<void> {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return async (path) => {
    leavingFor = path
    discardUnsaved()
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

/** Asks whether signing out may lose generated passwords and unsaved changes. Resolves with true if there are none. */
export function useConfirmSignOut(): () => Promise<boolean> {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const mayLose = useConfirmLoss()
  return async () => {
    const count = newPasswords().length
    const question = { title: t('shell.passwordsUnsaved', { count }), text: t('shell.passwordsLost'), confirm: t('shell.logout') }
    if (count > 0 && !(await confirm({ ...question, harmful: true }))) return false
    return mayLose()
  }
}

/** Signs out locally even if the call fails. */
export function useLogout(): () => Promise<void> {
  const { t } = useTranslation()
  const maySignOut = useConfirmSignOut()
  const leave = useLeave()
  return async () => {
    if (!(await maySignOut())) return
    await call(logout).catch(() => {})
    forgetDrafts()
    await leave(paths.home)
    toast({ id: 'session', kind: 'good', title: t('shell.signedOut') })
  }
}
