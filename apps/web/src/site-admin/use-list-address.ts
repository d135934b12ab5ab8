/** Search, filters and page of a list are in the address, so that a reload and the back button keep them. */
import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { withParts } from '../shell/paths.ts'

export const listPage = 30

/** A page number of the address; defaults to 1. */
export const pageOf = (text: string | null) => Math.max(1, Number.parseInt(text ?? '1', 10) || 1)

export interface ListAddress {
  /** Trimmed; may be empty. */
  readonly search: string
  readonly page: number
  readonly part: (name: string) => string | null
  /** Null removes a part. A new filter resets the page to 1. */
  readonly change: (parts: Readonly<Record<string, string | null>>) => void
  /** Replaces the entry in the history, since every typed part is a search. */
  readonly find: (search: string | null) => void
  readonly turn: (page: number) => void
}

export function useListAddress(): ListAddress {
  const [query, setQuery] = useSearchParams()
  return {
    search: query.get('search')?.trim() ?? '',
    page: pageOf(query.get('page')),
    part: (name) => query.get(name),
    change: (parts) => setQuery((now) => withParts(now, { page: null, ...parts })),
    find: (search) => setQuery((now) => withParts(now, { page: null, search }), { replace: true }),
    turn: (page) => {
      setQuery((now) => withParts(now, { page: page > 1 ? String(page) : null }))
      window.scrollTo({ top: 0 })
    },
  }
}

interface Listed {
  readonly data: { readonly total: number } | undefined
  readonly isPlaceholderData: boolean
}

/** Opens the last page when the page of the address does not exist any more, as after its rows were deleted. `name`: of the part of the address. */
export function useExistingPage(
  list: Listed,
  { page, size = listPage, name = 'page' }: { page: number; size?: number; name?: string },
): void {
  const [, setQuery] = useSearchParams()
  const last = list.data && !list.isPlaceholderData ? Math.max(1, Math.ceil(list.data.total / size)) : page
  useEffect(() => {
    if (page > last) setQuery((now) => withParts(now, { [name]: last > 1 ? String(last) : null }), { replace: true })
  }, [page, last, name, setQuery])
}

export const slice = (page: number) => ({ count: listPage, skip: (page - 1) * listPage })
