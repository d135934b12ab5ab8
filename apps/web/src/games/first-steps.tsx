import { IconCircle, IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { editListChallenges } from '@vexil/contract/challenges'
import { editListGames } from '@vexil/contract/games'
import { defaultSiteTitle } from '@vexil/core/limits'
import { Link } from 'react-router'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { mailStateQuery } from '../api/shared.queries.ts'
import { paths } from '../shell/paths.ts'
import { useSite } from '../shell/site.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './first-steps.module.css'

interface Step {
  readonly name: 'site' | 'mail' | 'game' | 'challenge'
  /** Undefined while unknown. */
  readonly done: boolean | undefined
  /** Absent while another step comes first. */
  readonly to?: string
}

function useSteps(): readonly Step[] {
  const site = useSite()
  const mail = useQuery(mailStateQuery)
  const games = useQuery({
    queryKey: keys.edit.games({ count: 1 }),
    queryFn: ({ signal }) => call(editListGames, { query: { count: 1, skip: 0 }, signal }),
  })
  const game = games.data?.data[0]?.id
  const challenges = useQuery({
    queryKey: keys.edit.challenges(game ?? 0),
    queryFn: ({ signal }) => call(editListChallenges, { params: { id: game ?? 0 }, signal }),
    enabled: game !== undefined,
  })
  return [
    {
      name: 'site',
      done: site.known ? site.name !== defaultSiteTitle && Boolean(site.logoUrl) : undefined,
      to: paths.admin.settings,
    },
    { name: 'mail', done: mail.data?.configured, to: paths.admin.mail },
    { name: 'game', done: games.data && game !== undefined, to: paths.admin.newGame },
    {
      name: 'challenge',
      done: game === undefined ? games.data && false : challenges.data && challenges.data.length > 0,
      ...(game !== undefined && { to: paths.admin.game(game, 'challenges') }),
    },
  ]
}

/** The steps for an administrator before the first event. */
export default function FirstSteps() {
  const { t } = useTranslation()
  const steps = useSteps()
  return (
    <section aria-labelledby="first-steps" className={c.steps}>
      <h2 id="first-steps" className={c.head}>
        {t('games.steps.title')}
      </h2>
      <ol>
        {steps.map(({ name, done, to }) => (
          <li key={name} className={c.step} data-done={done}>
            {done ? <IconCircleCheck size={20} stroke={1.6} /> : <IconCircle size={20} stroke={1.6} />}
            {to && done === false ? (
              <Link className="link" to={to}>
                {t(`games.steps.${name}`)}
              </Link>
            ) : (
              <span>{t(`games.steps.${name}`)}</span>
            )}
            {done && <span className="unseen">{t('games.steps.done')}</span>}
          </li>
        ))}
      </ol>
    </section>
  )
}
