import { Button } from '@mantine/core'
import { type ChallengeRow, deleteChallenge, updateChallenge } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { call, Refusal } from '../../api/client.ts'
import { usePhase } from '../../api/use-phase.ts'
import { lacksFlag } from '../../shell/challenge-problems.ts'
import { useAction } from '../../ui/base/use-action.ts'
import { useConfirm } from '../../ui/overlays/confirm.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useChallengesChanged } from '../game-admin.queries.ts'
import c from './challenge-list.module.css'

type What = 'Enable' | 'Disable' | 'Delete'

interface Bulk {
  readonly what: What
  readonly rows: readonly ChallengeRow[]
}

interface Props {
  readonly game: GameInfo
  readonly rows: readonly ChallengeRow[]
  readonly onDone: () => void
}

/** Bulk actions on challenges; a refusal does not stop the others. */
export function BulkButtons({ game, rows, onDone }: Props) {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const phase = usePhase(game)
  const action = useBulkAction(game.id, onDone)
  const startable = rows.filter((row) => !row.isEnabled && !lacksFlag(row))
  const ask = async (what: What) => {
    const some = { Enable: startable, Disable: rows.filter(({ isEnabled }) => isEnabled), Delete: rows }[what]
    const texts = {
      Enable: t(phase === 'running' ? 'admin.challenges.enableRunning' : 'admin.challenges.enableText'),
      Disable: t(phase === 'before' ? 'admin.challenges.disableText' : 'admin.challenges.disableRunning'),
      Delete: t('admin.challenges.bulkDeleteText'),
    }
    const yes = await confirm({
      title: t(`admin.challenges.bulk${what}Title`, { count: some.length }),
      text: texts[what],
      confirm: { Enable: t('admin.challenges.enable'), Disable: t('admin.challenges.disable'), Delete: t('ui.delete') }[what],
      harmful: what === 'Delete' || (what === 'Disable' && phase !== 'before'),
      // Deleting a challenge deletes its submissions and solves.
      typed: what === 'Delete' && phase !== 'before' ? game.title : undefined,
    })
    if (yes) await action.start({ what, rows: some })
  }
  const button = (what: What, label: string, disabled: boolean) => (
    <Button
      size="sm"
      variant="default"
      color={what === 'Delete' ? 'bad' : undefined}
      disabled={action.busy || disabled}
      onClick={() => void ask(what)}
    >
      {label}
    </Button>
  )
  return (
    <span className={c.bulk}>
      <span className="small num">{t('admin.picked', { count: rows.length })}</span>
      {button('Enable', t('admin.challenges.enable'), startable.length === 0)}
      {button(
        'Disable',
        t('admin.challenges.disable'),
        rows.every(({ isEnabled }) => !isEnabled),
      )}
      {button('Delete', t('ui.delete'), false)}
    </span>
  )
}

function useBulkAction(game: number, onDone: () => void) {
  const { t } = useTranslation()
  const changed = useChallengesChanged(game)
  const change = (what: What, cid: number) => {
    const params = { id: game, cid }
    return what === 'Delete'
      ? call(deleteChallenge, { params })
      : call(updateChallenge, { params, body: { isEnabled: what === 'Enable' } })
  }
  return useAction({
    id: 'bulk',
    call: async ({ what, rows: some }: Bulk) => {
      let refused: Refusal | undefined
      let count = 0
      for (const { id } of some) {
        try {
          await change(what, id)
          count++
        } catch (error) {
          if (!(error instanceof Refusal) || error.http !== 400) throw error
          refused = error
        }
      }
      if (count === 0 && refused) throw refused
      return { count, refused: some.length - count }
    },
    working: t('admin.challenges.switching'),
    done: ({ count, refused }, { what }) =>
      [t(`admin.challenges.bulk${what}d`, { count }), refused > 0 && t('admin.challenges.bulkRefused', { count: refused })]
        .filter(Boolean)
        .join(' '),
    failed: t('admin.challenges.notEnabled'),
    onDone: async () => {
      await changed()
      onDone()
    },
    onFail: () => {
      void changed()
      return false
    },
  })
}
