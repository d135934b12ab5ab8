import { Checkbox } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ChallengeRow, editListChallenges, updateChallenge } from '@vexil/contract/challenges'
import { editGetGame, type GameEdit, type GameInfo, updateGame } from '@vexil/contract/games'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { useConfirm } from '../ui/overlays/confirm.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { useFormats } from '../ui/time/time.ts'
import { problemsOf } from './challenge-problems.ts'

type Shown = Pick<GameInfo, 'id' | 'title' | 'start' | 'end'>
export type ReadyChallenge = Pick<ChallengeRow, 'id' | 'title'>

/** Titles listed in the question; the others are only counted. */
const namedMost = 5

/**
 * Asks before a hidden game is shown, and explains who will see what. Resolves to the challenges to be enabled with it, or to null when the game stays
 * hidden. The checkbox is set if no challenge is enabled yet; otherwise disabled challenges may be meant for later.
 */
export function useConfirmShow(): (game: Shown) => Promise<readonly ReadyChallenge[] | null> {
  const { t } = useTranslation()
  const { time } = useFormats()
  const confirm = useConfirm()
  const queries = useQueryClient()
  return async ({ id, title, start, end }) => {
    const rows = await queries
      .fetchQuery({
        queryKey: keys.edit.challenges(id),
        queryFn: ({ signal }) => call(editListChallenges, { params: { id }, signal }),
      })
      .catch(() => undefined)
    const enabled = rows?.filter(({ isEnabled }) => isEnabled).length
    const ready = rows?.filter((row) => !row.isEnabled && problemsOf(row).length === 0) ?? []
    const lines = [
      t('admin.show.everybody'),
      t('admin.show.teams', { start: time(start), end: time(end) }),
      enabled !== undefined && t(enabled === 0 ? 'admin.show.noChallenge' : 'admin.show.challenges', { count: enabled }),
    ]
    let withReady = enabled === 0 && ready.length > 0
    const yes = await confirm({
      title: t('admin.show.title', { title }),
      text: (
        <>
          {lines.filter(Boolean).join(' ')}
          {ready.length > 0 && (
            <Checkbox
              mt="md"
              label={t('admin.show.enable', { count: ready.length })}
              description={titlesOf(ready)}
              defaultChecked={withReady}
              onChange={(event) => {
                withReady = event.currentTarget.checked
              }}
            />
          )}
        </>
      ),
      confirm: t('admin.show.confirm'),
    })
    if (!yes) return null
    return withReady ? ready : []
  }
}

function titlesOf(some: readonly ReadyChallenge[]): string {
  const named = some.slice(0, namedMost).map(({ title }) => title)
  return [...named, ...(some.length > namedMost ? [`+${some.length - namedMost}`] : [])].join(', ')
}

/** Enables the challenges first, so that players never find the game without them. */
export function useShowGame(): (id: number, enable: readonly ReadyChallenge[]) => Promise<GameInfo> {
  const queries = useQueryClient()
  return async (id, enable) => {
    try {
      for (const { id: cid } of enable) await call(updateChallenge, { params: { id, cid }, body: { isEnabled: true } })
      return await changeGame(id, { hidden: false })
    } finally {
      if (enable.length > 0) await queries.invalidateQueries({ queryKey: keys.edit.challenges(id) })
    }
  }
}

/** The call replaces the whole game, so it gets the stored one; fields that only the server sets are ignored. */
export async function changeGame(id: number, part: Partial<GameEdit>): Promise<GameInfo> {
  const game = await call(editGetGame, { params: { id } })
  return call(updateGame, { params: { id }, body: { ...game, ...part } })
}
