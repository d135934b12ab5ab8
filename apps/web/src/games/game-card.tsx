import type { BasicGame } from '@vexil/contract/games'
import type { Phase } from '@vexil/core/phases'
import type { ParticipationStatus } from '@vexil/core/vocabulary'
import { Link } from 'react-router'
import { paths } from '../shell/paths.ts'
import { HoistPair } from '../ui/base/hoist.tsx'
import { PhaseWord } from '../ui/game/phase-word.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { Countdown } from '../ui/time/countdown.tsx'
import { hoursBetween, useFormats } from '../ui/time/time.ts'
import { TimeTip } from '../ui/time/when.tsx'
import c from './game-list.module.css'
import { StatusWord } from './status.tsx'
import { useLimitText } from './use-limit-text.ts'

interface Props {
  readonly game: BasicGame
  readonly phase: Phase
  readonly status?: ParticipationStatus
}

export function GameCard({ game, phase, status }: Props) {
  const { t } = useTranslation()
  const { time } = useFormats()
  const limitText = useLimitText()
  return (
    <li className={c.card}>
      <HoistPair title={game.title} id={game.id} poster={game.poster} size={40} />
      <div>
        <div className={c.head}>
          <Link className={c.name} to={paths.game(game.id)}>
            {game.title}
          </Link>
          <PhaseWord phase={phase} />
        </div>
        <p className={`${c.facts} num`}>
          <TimeTip at={game.start} until={game.end}>
            {time(game.start)} – {time(game.end)}
          </TimeTip>
          <span>{t('games.hours', { count: hoursBetween(game.start, game.end) })}</span>
          <span>{limitText(game.limit)}</span>
          {phase === 'running' && (
            <span>
              {t('games.left')} <Countdown to={game.end} />
            </span>
          )}
        </p>
        {game.summary && <p className={c.summary}>{game.summary}</p>}
      </div>
      {status && <StatusWord status={status} />}
    </li>
  )
}
