/** Who is signed in, and signing out. */
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { logout, type ProfileUserInfo, profile } from '@vexil/contract/accounts'
import { type Role, roles } from '@vexil/core/vocabulary'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { forgetAnswers } from '../api/answer-cache.ts'
import { call, Refusal } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { toast } from '../ui/toast.tsx'
import { paths } from './paths.ts'
import { siteQuery } from './site.ts'

/** The profile, or null for a visitor. A banned account rejects (GUARD-6). */
export const profileQuery = queryOptions({
  queryKey: keys.profile,
  queryFn: async ({ signal }): Promise<ProfileUserInfo | null> => {
    try {
      return await call(profile, { signal })
    } catch (error) {
      if (error instanceof Refusal && (error.http === 401 || error.code === 'site.not_set_up')) return null
      throw error
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
})

export type Session =
  | { readonly state: 'unknown'; readonly user?: undefined; readonly role?: undefined }
  | { readonly state: 'visitor'; readonly user?: undefined; readonly role?: undefined }
  | { readonly state: 'member'; readonly user: ProfileUserInfo; readonly role: Role }

export function useSession(): Session {
  const site = useQuery(siteQuery)
  const { data, error } = useQuery({ ...profileQuery, enabled: site.data?.setupRequired !== true })
  if (site.data?.setupRequired) return { state: 'visitor' }
  if (data) return { state: 'member', user: data, role: data.role ?? 'User' }
  if (data === null || error) return { state: 'visitor' }
  return { state: 'unknown' }
}

/** A role is enough when it is equal or higher. */
export function reaches(role: Role | undefined, least: Role): boolean {
  return role !== undefined && roles.indexOf(role) >= roles.indexOf(least)
}

let leavingFor: string | undefined

/** Where somebody who signs out is going; his guarded screen may still be there for a moment and must not lead to login. */
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
    queries.setQueryData(profileQuery.queryKey, null)
    await navigate(path)
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'config' && queryKey[0] !== 'profile' })
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
    await leave(paths.home)
    toast({ id: 'session', kind: 'good', title: t('shell.signedOut') })
  }
}
