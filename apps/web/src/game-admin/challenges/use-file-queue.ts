import { useQueryClient } from '@tanstack/react-query'
import { addFlags, type ChallengeEditDetail } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { useErrorText } from '../../ui/base/use-action.ts'
import { toast } from '../../ui/overlays/toast.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { challengeQuery } from '../game-admin.queries.ts'
import { type FileProblem, fileProblem } from './flag-input.ts'
import { dynamicName, uploadFile } from './upload-attachment.ts'

export interface ChosenFile {
  readonly file: File
  /** Prevents the upload. */
  readonly problem?: FileProblem | undefined
  /** The server's message when the upload failed; it can be tried again. */
  readonly failed?: string | undefined
}

const lanes = 3

/** Runs a job for every item, `width` at a time; a failed job does not stop the others. */
export async function inLanes<T>(items: readonly T[], width: number, job: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items]
  const lane = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await job(item)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane))
}

/** One upload call per file, so that each hash belongs to its flag; failures stay in the list. */
export function useFileQueue(
  game: GameInfo,
  challenge: ChallengeEditDetail,
  chosen: readonly ChosenFile[],
  setChosen: (files: readonly ChosenFile[]) => void,
) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const errorText = useErrorText()
  const [share, setShare] = useState<number>()
  const ready = chosen.filter(({ problem }) => problem === undefined)

  const choose = (files: readonly File[]) => {
    const known = new Set(challenge.flags.map(({ flag }) => flag))
    const names = new Set(chosen.map(({ file }) => file.name.trim()))
    const more = files.map((file): ChosenFile => {
      const problem = fileProblem(file, names, known)
      names.add(file.name.trim())
      return { file, problem }
    })
    setChosen([...chosen, ...more])
  }

  const start = async () => {
    const failed = new Map<File, string>()
    let finished = 0
    setShare(0)
    await inLanes(ready, lanes, async ({ file }) => {
      try {
        const fileHash = await uploadFile(file, { filename: dynamicName(challenge.id) })
        const body = [{ flag: file.name.trim(), attachmentType: 'Local' as const, fileHash }]
        await call(addFlags, { params: { id: game.id, cid: challenge.id }, body })
      } catch (error) {
        failed.set(file, errorText(error))
      }
      setShare(++finished / ready.length)
    })
    setShare(undefined)
    setChosen(
      chosen
        .filter(({ file, problem }) => problem !== undefined || failed.has(file))
        .map((one) => ({ ...one, failed: failed.get(one.file) })),
    )
    await queries.invalidateQueries({ queryKey: challengeQuery(game.id, challenge.id).queryKey })
    const count = ready.length - failed.size
    if (failed.size === 0) toast({ id: 'dynamic', kind: 'good', title: t('admin.flags.added', { count }) })
    else {
      const text = t('admin.flags.filesFailed', { count: failed.size })
      const title = count > 0 ? t('admin.flags.added', { count }) : t('admin.flags.notAdded')
      toast({ id: 'dynamic', kind: count > 0 ? 'wary' : 'bad', title, text })
    }
  }
  return { choose, start, ready: ready.length, busy: share !== undefined, share }
}
