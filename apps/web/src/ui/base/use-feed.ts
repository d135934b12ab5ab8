import { hashKey, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { patchList } from '../../api/live-data.ts'
import { useTranslation } from '../text/texts.tsx'
import { withNew } from './feed-list.ts'
import { useKeys } from './keyboard.ts'

interface Options<T> {
  /** Key of the list on screen. */
  readonly queryKey: QueryKey
  /** Key of all lists of this kind. */
  readonly family: QueryKey
  readonly keyOf: (entry: T) => string
  readonly most: number
  readonly canPause?: boolean
}

/**
 * Paging of a live list: entries join page 1 with a highlight; on other pages and while paused they are counted as "n new".
 * Its query must have `staleTime: 0`, since entries reach only the list on screen, and `enabled: loads`.
 */
export function useFeed<T>(
  { queryKey, family, keyOf, most, canPause }: Options<T>,
  page: number,
  setPage: (page: number) => void,
) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set())
  const [paused, setPaused] = useState(false)
  const [waiting, setWaiting] = useState(0)
  const [counted, setCounted] = useState(queryKey)
  if (hashKey(counted) !== hashKey(queryKey)) {
    setCounted(queryKey)
    // The list that is shown now is read again, with the entries that were only counted; a paused one may not be.
    if (page <= 1 && !paused) setWaiting(0)
  }
  const turn = (to: number) => {
    setPage(Math.max(1, to))
    window.scrollTo({ top: 0 })
  }
  const add = (entry: T) => {
    if (paused || page > 1) return setWaiting((count) => count + 1)
    setFresh((keys) => new Set([...keys, keyOf(entry)].slice(-most)))
    patchList<T>(queries, queryKey, (list) => withNew(list, entry, keyOf, most))
  }
  const catchUp = () => {
    setPaused(false)
    setWaiting(0)
    setPage(1)
    void queries.invalidateQueries({ queryKey: family })
    window.scrollTo({ top: 0 })
  }
  const pause = () => (paused ? catchUp() : setPaused(true))
  /** A paused list is read only if it was never read. */
  const loads = !paused || queries.getQueryData(queryKey) === undefined
  useKeys([
    { key: 'ArrowLeft', name: t('keys.newer'), act: () => page > 1 && turn(page - 1) },
    { key: 'ArrowRight', name: t('keys.older'), act: () => document.querySelector<HTMLElement>('[data-next-page]')?.click() },
    ...(canPause ? [{ key: 'p', name: t('keys.pause'), act: pause }] : []),
  ])
  return { fresh, paused, waiting, loads, turn, add, catchUp, pause }
}
