import { type ChallengeRow, updateChallenge } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { call } from '../../api/client.ts'
import { usePhase } from '../../api/use-phase.ts'
import { useAction } from '../../ui/base/use-action.ts'
import { useConfirm } from '../../ui/overlays/confirm.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useChallengesChanged } from '../game-admin.queries.ts'

export function useEnabling(game: GameInfo, challenge: Pick<ChallengeRow, 'id' | 'title' | 'isEnabled'>) {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const phase = usePhase(game)
  const changed = useChallengesChanged(game.id)
  const action = useAction({
    id: `enable-${challenge.id}`,
    call: async (isEnabled: boolean) =>
      call(updateChallenge, { params: { id: game.id, cid: challenge.id }, body: { isEnabled } }),
    done: (now) => t(now.isEnabled ? 'admin.challenges.enabled' : 'admin.challenges.disabled', { title: now.title }),
    failed: t('admin.challenges.notEnabled'),
    onDone: () => changed(),
  })
  /** `before` runs between the answer and the call, for instance to save; false cancels. */
  const confirmAndSet = async (on: boolean, before?: () => Promise<boolean>) => {
    const running = phase === 'running'
    const text = on
      ? t(running ? 'admin.challenges.enableRunning' : 'admin.challenges.enableText')
      : t(phase === 'before' ? 'admin.challenges.disableText' : 'admin.challenges.disableRunning')
    const yes = await confirm({
      title: t(on ? 'admin.challenges.enableTitle' : 'admin.challenges.disableTitle', { title: challenge.title }),
      text,
      confirm: t(on ? 'admin.challenges.enable' : 'admin.challenges.disable'),
      harmful: !on && phase !== 'before',
    })
    if (yes && (!before || (await before()))) await action.start(on)
  }
  return { confirmAndSet, busy: action.busy || action.wait > 0 }
}
