import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Avatar } from '../ui/base/avatar.tsx'
import { QueryView } from '../ui/base/states.tsx'
import { CategorySign } from '../ui/game/category-sign.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import c from './traffic.module.css'
import { type CaptureChallenge, captureTeamsQuery } from './traffic.queries.ts'

interface ColumnProps {
  readonly title: string
  readonly sub?: ReactNode
  readonly tools?: ReactNode
  readonly children: ReactNode
}

export function Column({ title, sub, tools, children }: ColumnProps) {
  return (
    <section className={c.column} aria-label={title}>
      <header className={c.head}>
        <h2>{title}</h2>
        {sub && <span className="small faint num">{sub}</span>}
        {tools && <span className={c.right}>{tools}</span>}
      </header>
      {children}
    </section>
  )
}

export const Hint = ({ children }: { readonly children: string }) => <p className={c.hint}>{children}</p>

interface ChoiceProps {
  readonly sign: ReactNode
  readonly name: string
  readonly sub: string | null
  readonly count: string
  readonly chosen: boolean
  readonly onChoose: () => void
}

function Choice({ sign, name, sub, count, chosen, onChoose }: ChoiceProps) {
  return (
    <li>
      <button type="button" className={c.choice} aria-pressed={chosen} onClick={onChoose}>
        {sign}
        <span className={c.words}>
          <span className={`${c.name} cut`}>{name}</span>
          {sub && <span className="small faint cut">{sub}</span>}
        </span>
        <span className="small faint num">{count}</span>
      </button>
    </li>
  )
}

interface ChallengesProps {
  readonly challenges: readonly CaptureChallenge[]
  readonly chosen: number | undefined
  readonly onChoose: (id: number) => void
}

export function CaptureChallenges({ challenges, chosen, onChoose }: ChallengesProps) {
  const { t } = useTranslation()
  return (
    <Column title={t('monitor.traffic.challenges')} sub={challenges.length}>
      <ul className={c.list}>
        {challenges.map(({ id, title, category, type, isEnabled, count }) => (
          <Choice
            key={id}
            sign={<CategorySign category={category} size={20} />}
            name={title}
            sub={[t(`admin.types.${type}`), !isEnabled && t('monitor.traffic.disabled')].filter(Boolean).join(' · ')}
            count={t('monitor.traffic.teamCount', { count })}
            chosen={id === chosen}
            onChoose={() => onChoose(id)}
          />
        ))}
      </ul>
    </Column>
  )
}

interface TeamsProps {
  readonly game: number
  readonly challenge: number | undefined
  readonly chosen: number | undefined
  readonly onChoose: (id: number) => void
}

export function CaptureTeams({ game, challenge, chosen, onChoose }: TeamsProps) {
  const { t } = useTranslation()
  const teams = useQuery({ ...captureTeamsQuery(game, challenge ?? 0), enabled: challenge !== undefined })
  return (
    <Column title={t('monitor.traffic.teams')} sub={teams.data?.length}>
      {challenge === undefined ? (
        <Hint>{t('monitor.traffic.chooseChallenge')}</Hint>
      ) : (
        <QueryView query={teams}>
          {(list) =>
            list.length === 0 ? (
              <Hint>{t('monitor.traffic.noTeams')}</Hint>
            ) : (
              <ul className={c.list}>
                {list.map(({ id, teamId, name, organization, avatar, count }) => (
                  <Choice
                    key={id}
                    sign={<Avatar src={avatar} name={name ?? ''} id={teamId} size={28} />}
                    name={name ?? `#${teamId}`}
                    sub={organization}
                    count={t('monitor.traffic.fileCount', { count })}
                    chosen={id === chosen}
                    onChoose={() => onChoose(id)}
                  />
                ))}
              </ul>
            )
          }
        </QueryView>
      )}
    </Column>
  )
}
