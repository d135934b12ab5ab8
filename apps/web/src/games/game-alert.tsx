import { IconAlertTriangle, IconBan, IconCircleCheck, IconClockPause } from '@tabler/icons-react'
import type { DetailedGame } from '@vexil/contract/games'
import type { Phase } from '@vexil/core/phases'
import { Trans } from '../ui/text/texts.tsx'
import c from './game-page.module.css'
import type { MainButton } from './main-button.ts'

interface Props {
  readonly game: DetailedGame
  readonly phase: Phase
  readonly main: MainButton
}

const kinds = {
  pending: ['wary', IconClockPause],
  again: ['bad', IconAlertTriangle],
  banned: ['bad', IconBan],
  ready: ['good', IconCircleCheck],
  noTeam: ['wary', IconAlertTriangle],
} as const

/** The state of the participation; nothing when the game is open to join. */
export function GameAlert({ game, phase, main }: Props) {
  const which = main === 'approved' && phase === 'before' ? 'ready' : main
  if (!(which in kinds)) return null
  const key = which as keyof typeof kinds
  const [kind, Icon] = kinds[key]
  return (
    <div className={c.alert} data-kind={kind} role="status">
      <Icon size={20} stroke={1.6} />
      <p>
        <Trans
          i18nKey={`games.alert.${key}`}
          // A separate element: a team name that looks like a placeholder must not be replaced.
          components={{ team: <b>{game.teamName}</b> }}
        />
      </p>
    </div>
  )
}
