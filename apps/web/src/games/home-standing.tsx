import { useQuery } from '@tanstack/react-query'
import type { DetailedGame } from '@vexil/contract/games'
import { refreshInterval } from '@vexil/core/limits'
import { detailsQuery } from '../api/shared.queries.ts'
import { Avatar } from '../ui/base/avatar.tsx'
import { Stat } from '../ui/base/stat.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { useFormats } from '../ui/time/time.ts'
import c from './home.module.css'

export function HomeStanding({ game }: { readonly game: DetailedGame }) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const { data, isPending, failureCount } = useQuery({ ...detailsQuery(game.id), refetchInterval: refreshInterval * 3 })
  if (isPending && failureCount === 0) return <section data-waiting />
  const row = data?.rank
  if (!data || !row) return null
  const division = row.organization ?? game.organization
  return (
    <section className={c.stand} aria-label={t('games.standing')}>
      <span className={c.who}>
        <Avatar src={row.avatar} name={row.name} id={row.id} />
        <span>
          <span className="cut" style={{ display: 'block' }}>
            {row.name || game.teamName}
          </span>
          <span className={c.whose}>{division ? t('games.yourTeamIn', { division }) : t('games.yourTeam')}</span>
        </span>
      </span>
      <Stat
        value={row.rank > 0 ? number(row.rank) : '-'}
        of={t('games.of', { total: number(data.teamCount ?? game.teamCount) })}
        label={t('games.rank')}
      />
      <Stat value={number(row.score)} label={t('games.points')} />
      <Stat
        value={number(row.solvedCount)}
        of={t('games.of', { total: number(data.challengeCount) })}
        label={t('games.solved')}
      />
    </section>
  )
}
