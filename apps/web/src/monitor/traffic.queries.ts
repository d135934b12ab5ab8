/** Queries of the traffic screen. A challenge or team without captures is an empty list, not an error. */
import { queryOptions, useQueryClient } from '@tanstack/react-query'
import {
  deleteCapture,
  deleteCaptures,
  downloadCapture,
  listCaptureFiles,
  listCaptures,
  listCaptureTeams,
} from '@vexil/contract/captures'
import type { Reply } from '@vexil/contract/endpoint'
import { call, Refusal, send } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { type Action, useAction } from '../ui/base/use-action.ts'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { firstBytes, readCapture } from './capture.ts'

export type CaptureChallenge = Reply<typeof listCaptures>[number]
export type CaptureFile = Reply<typeof listCaptureFiles>[number]

const noneOfThem = (error: unknown): [] => {
  if (error instanceof Refusal && error.code === 'capture.not_found') return []
  throw error
}

export const captureChallengesQuery = (id: number) =>
  queryOptions({
    queryKey: keys.game(id).traffic(),
    queryFn: ({ signal }) => call(listCaptures, { params: { id }, signal }),
  })

export const captureTeamsQuery = (id: number, cid: number) =>
  queryOptions({
    queryKey: keys.game(id).traffic(cid),
    queryFn: ({ signal }) => call(listCaptureTeams, { params: { cid }, signal }).catch(noneOfThem),
  })

/** Newest first. */
export const captureFilesQuery = (id: number, cid: number, pid: number) =>
  queryOptions({
    queryKey: keys.game(id).traffic(cid, pid),
    queryFn: async ({ signal }) => {
      const files = await call(listCaptureFiles, { params: { cid, pid }, signal }).catch(noneOfThem)
      return [...files].sort((a, b) => Date.parse(b.updateTime) - Date.parse(a.updateTime))
    },
  })

/** The parsed beginning of a file. Never cached, since it may still be written. */
export const captureQuery = (id: number, cid: number, pid: number, file: string) =>
  queryOptions({
    queryKey: keys.game(id).traffic(cid, pid, file),
    queryFn: async ({ signal }) => {
      const { bytes, whole } = await firstBytes(await send(downloadCapture, { params: { cid, pid, file }, signal }))
      const capture = readCapture(bytes)
      return { ...capture, whole: whole && capture.whole }
    },
    gcTime: 0,
    staleTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })

export function useTrafficChanged(id: number): () => Promise<void> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: keys.game(id).traffic() })
}

/** Deletes one file, or all files of the team for null. */
export function useDeleteCaptures(id: number, cid: number, pid: number): Action<string | null> {
  const { t } = useTranslation()
  const changed = useTrafficChanged(id)
  return useAction({
    id: 'delete-captures',
    call: async (file: string | null) =>
      file === null ? call(deleteCaptures, { params: { cid, pid } }) : call(deleteCapture, { params: { cid, pid, file } }),
    done: (_, file) => (file === null ? t('monitor.traffic.allDeleted') : t('monitor.traffic.deleted')),
    failed: t('monitor.traffic.notDeleted'),
    onDone: () => changed(),
    onFail: () => {
      void changed()
      return false
    },
  })
}
