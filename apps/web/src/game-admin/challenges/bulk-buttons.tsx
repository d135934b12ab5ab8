import { Button } from '@mantine/core'
import { type ChallengeRow, deleteChallenge, updateChallenge } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { call } from '../../api/client.ts'
import { usePhase } from '../../api/use-phase.ts'
import { lacksFlag } from '../../shell/challenge-problems.ts'
import { useMany } from '../../shell/use-many.ts'
import { useConfirm } from '../../ui/overlays/confirm.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useChallengesChanged } from '../game-admin.queries.ts'
import c from './challenge-list.module.css'

type What = 'Enable' | 'Disable' | 'Delete'

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
  const actions = {
    Enable: useBulkAction(game.id, 'Enable', onDone),
    Disable: useBulkAction(game.id, 'Disable', onDone),
    Delete: useBulkAction(game.id, 'Delete', onDone),
  }
  const busy = Object.values(actions).some((action) => action.busy || action.wait > 0)
  const startable = rows.filter((row) => !row.isEnabled && !lacksFlag(row))
  const confirmAndStart = async (what: What) => {
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
    if (yes) await actions[what].start(some)
  }
  const button = (what: What, label: string, disabled: boolean) => (
    <Button
      size="sm"
      variant="default"
      color={what === 'Delete' ? 'bad' : undefined}
      disabled={busy || disabled}
      onClick={() => void confirmAndStart(what)}
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

function useBulkAction(game: number, what: What, onDone: () => void) {
  const { t } = useTranslation()
  const changed = useChallengesChanged(game)
  return useMany<ChallengeRow>({
    id: 'bulk',
    call: ({ id: cid }) => {
      const params = { id: game, cid }
      return what === 'Delete'
        ? call(deleteChallenge, { params })
        : call(updateChallenge, { params, body: { isEnabled: what === 'Enable' } })
    },
    ...(what === 'Delete' && { already: 'challenge.not_found' }),
    // Players get a notice for each challenge that is enabled, in this order.
    ...(what === 'Enable' && { lanes: 1 }),
    working: t('admin.challenges.switching'),
    done: ({ length: count }) => t(`admin.challenges.bulk${what}d`, { count }),
    failed: t('admin.challenges.notEnabled'),
    onDone: async (finished) => {
      await changed()
      if (finished.length > 0) onDone()
    },
  })
}
