import { IconEyeOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { DetailedGame } from '@vexil/contract/games'
import { myTeamsQuery } from '../api/shared.queries.ts'
import { usePhase } from '../api/use-phase.ts'
import { profileQuery, useSession } from '../shell/session.ts'
import { Hoist } from '../ui/base/hoist.tsx'
import { PhaseWord } from '../ui/game/phase-word.tsx'
import { Markdown } from '../ui/markdown/markdown.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { useFormats } from '../ui/time/time.ts'
import { TimeTip } from '../ui/time/when.tsx'
import { GameActions } from './game-actions.tsx'
import { GameClock } from './game-clock.tsx'
import c from './game-page.module.css'
import hero from './hero.module.css'
import { useLimitText } from './use-limit-text.ts'

export function GamePage({ game }: { readonly game: DetailedGame }) {
  const { t } = useTranslation()
  const { time, number } = useFormats()
  const limitText = useLimitText()
  const phase = usePhase(game)
  const member = useSession().state === 'member'
  // The buttons and the alert depend on the reader.
  const needed = [useQuery(profileQuery), useQuery({ ...myTeamsQuery, enabled: member })]
  const waiting = needed.some(({ isLoading, failureCount }) => isLoading && failureCount === 0)
  return (
    <div className={c.page}>
      <section className={hero.hero} data-waiting={waiting || undefined} data-poster={game.poster ? true : undefined}>
        <Hoist title={game.title} id={game.id} poster={game.poster} />
        <div className={hero.words}>
          <div className={hero.facts}>
            <PhaseWord phase={phase} />
            <span>{limitText(game.limit)}</span>
            <span className="num">{t('games.teams', { count: game.teamCount, number: number(game.teamCount) })}</span>
            {game.hidden && (
              <span className={c.hidden}>
                <IconEyeOff size={14} stroke={1.8} />
                {t('games.hidden')}
              </span>
            )}
          </div>
          <h1 className={hero.title}>{game.title}</h1>
          {game.summary && <p className={hero.summary}>{game.summary}</p>}
          <GameClock start={game.start} end={game.end} phase={phase} />
          <p className={`${c.times} num`}>
            <TimeTip at={game.start} until={game.end}>
              {t('games.fromTo', { start: time(game.start, 'long'), end: time(game.end, 'long') })}
            </TimeTip>
          </p>
          <GameActions game={game} phase={phase} />
        </div>
      </section>
      {game.content.trim() !== '' && (
        <section className={c.content} aria-label={t('games.about')}>
          <Markdown source={game.content} />
        </section>
      )}
    </div>
  )
}
