import { Button } from '@mantine/core'
import type { DetailedGame } from '@vexil/contract/games'
import type { TeamInfo } from '@vexil/contract/teams'
import { useState } from 'react'
import { lazyPart } from '../ui/base/lazy-part.tsx'
import { Pennant } from '../ui/base/pennant.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './game-page.module.css'
import type { JoinForm as Fields } from './join-check.ts'

const JoinForm = lazyPart(() => import('./join-form.tsx'))

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
  readonly game: DetailedGame
  readonly teams: readonly TeamInfo[]
  /** Values of an earlier visit: the reader returns from creating a team and has agreed before. */
  readonly preset?: Partial<Fields>
}

export function JoinDialog({ opened, ...steps }: Props) {
  const { t } = useTranslation()
  return (
    <Dialog opened={opened} onClose={steps.onClose} title={t('games.joinTitle', { title: steps.game.title })}>
      <Steps {...steps} />
    </Dialog>
  )
}

/** Starts over each time the dialog opens. */
function Steps({ onClose, game, teams, preset }: Omit<Props, 'opened'>) {
  const { t } = useTranslation()
  const [agreed, setAgreed] = useState(false)
  if (agreed || preset) return <JoinForm wanted game={game} teams={teams} onClose={onClose} preset={preset} />
  return (
    <>
      <ul className={c.points}>
        {(['register', 'lock', 'limit'] as const).map((point) => (
          <li key={point}>
            <Pennant />
            {t(`games.joinPoint.${point}`)}
          </li>
        ))}
      </ul>
      <div style={{ display: 'flex', justifyContent: 'flex-end', gap: 8, marginTop: 24 }}>
        <Button variant="default" onClick={onClose}>
          {t('ui.cancel')}
        </Button>
        <Button data-autofocus onClick={() => setAgreed(true)}>
          {t('games.continue')}
        </Button>
      </div>
    </>
  )
}
