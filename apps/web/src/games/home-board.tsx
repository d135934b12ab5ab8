import { useQuery } from '@tanstack/react-query'
import { refreshInterval } from '@vexil/core/limits'
import { Link } from 'react-router'
import { topOfBoardQuery } from '../api/board-start.ts'
import { paths } from '../shell/paths.ts'
import { Avatar } from '../ui/base/avatar.tsx'
import { PartHead } from '../ui/base/page.tsx'
import { BloodMark, type Place } from '../ui/game/blood-mark.tsx'
import { latestSolves } from '../ui/game/latest-solves.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { useFormats } from '../ui/time/time.ts'
import { When } from '../ui/time/when.tsx'
import c from './home-board.module.css'

const most = 5
const places: Partial<Record<string, Place>> = { FirstBlood: 1, SecondBlood: 2, ThirdBlood: 3 }

/** The first five teams of a running game, and the newest solves of the first hundred with their bloods. */
export function HomeBoard({ game }: { readonly game: number }) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const { data } = useQuery({ ...topOfBoardQuery(game), refetchInterval: refreshInterval * 3 })
  if (!data) return null
  const titles = new Map(data.heads.map(({ id, title }) => [id, title]))
  const solves = latestSolves(data.rows, most)
  return (
    <div className={c.board}>
      <section>
        <PartHead title={t('games.leading')}>
          <Link className="link" to={paths.scoreboard(game)}>
            {t('games.scoreboard')}
          </Link>
        </PartHead>
        {data.rows.length === 0 && <p className={c.none}>{t('games.noTeams')}</p>}
        <ol className={c.list}>
          {data.rows.slice(0, most).map(({ team, rank, points }) => (
            <li key={team.participationId}>
              <span className="num">{number(rank)}</span>
              <Avatar src={team.avatar} name={team.name} id={team.id} size={24} />
              <span className="cut">{team.name}</span>
              <b className="num">{number(points)}</b>
            </li>
          ))}
        </ol>
      </section>
      <section>
        <PartHead title={t('games.latest')} />
        {solves.length === 0 && <p className={c.none}>{t('games.noSolves')}</p>}
        <ol className={c.list}>
          {solves.map(({ team, challengeId, time, type }) => (
            <li key={`${team.participationId} ${challengeId}`}>
              <span className={c.mark}>{places[type] && <BloodMark place={places[type]} />}</span>
              <span className={`${c.solve} cut`}>
                <b>{team.name}</b> {titles.get(challengeId)}
              </span>
              <When at={time} style="clock" className={c.time} />
            </li>
          ))}
        </ol>
      </section>
    </div>
  )
}
