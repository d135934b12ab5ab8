import { Button } from '@mantine/core'
import { type ChallengeRow, updateChallenge } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { useTranslation } from 'react-i18next'
import { call, Refusal } from '../api/client.ts'
import { usePhase } from '../api/use-phase.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { useAction } from '../ui/use-action.ts'
import c from './challenge-list.module.css'
import { useChallengesChanged } from './game-admin.queries.ts'

interface Bulk {
  readonly on: boolean
  readonly rows: readonly ChallengeRow[]
}

/** Enables or disables all challenges that the filter shows; what the server refuses does not hold up the others (CL-5). */
export function BulkButtons({ game, rows }: { readonly game: GameInfo; readonly rows: readonly ChallengeRow[] }) {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const phase = usePhase(game)
  const changed = useChallengesChanged(game.id)
  const action = useAction({
    id: 'bulk',
    call: async ({ on, rows: some }: Bulk) => {
      let refused: Refusal | undefined
      let count = 0
      for (const { id: cid } of some) {
        try {
          await call(updateChallenge, { params: { id: game.id, cid }, body: { isEnabled: on } })
          count++
        } catch (error) {
          if (!(error instanceof Refusal) || error.http !== 400) throw error
          refused = error
        }
      }
      await changed()
      if (count === 0 && refused) throw refused
      return { count, refused: some.length - count }
    },
    working: t('admin.challenges.switching'),
    done: ({ count, refused }, { on }) =>
      [
        t(on ? 'admin.challenges.bulkEnabled' : 'admin.challenges.bulkDisabled', { count }),
        refused > 0 && t('admin.challenges.bulkRefused', { count: refused }),
      ]
        .filter(Boolean)
        .join(' '),
    failed: t('admin.challenges.notEnabled'),
  })
  const ask = async (on: boolean) => {
    const some = rows.filter(({ isEnabled }) => isEnabled !== on)
    const running = phase === 'running'
    const yes = await confirm({
      title: t(on ? 'admin.challenges.bulkEnableTitle' : 'admin.challenges.bulkDisableTitle', { count: some.length }),
      text: on
        ? t(running ? 'admin.challenges.enableRunning' : 'admin.challenges.enableText')
        : t(phase === 'before' ? 'admin.challenges.disableText' : 'admin.challenges.disableRunning'),
      confirm: t(on ? 'admin.challenges.enable' : 'admin.challenges.disable'),
      harmful: !on && phase !== 'before',
    })
    if (yes) await action.start({ on, rows: some })
  }
  return (
    <span className={c.bulk}>
      <Button variant="subtle" disabled={action.busy || rows.every(({ isEnabled }) => isEnabled)} onClick={() => void ask(true)}>
        {t('admin.challenges.enableAll')}
      </Button>
      <Button
        variant="subtle"
        disabled={action.busy || rows.every(({ isEnabled }) => !isEnabled)}
        onClick={() => void ask(false)}
      >
        {t('admin.challenges.disableAll')}
      </Button>
    </span>
  )
}
