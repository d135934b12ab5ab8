import { ActionIcon, Switch, Tooltip } from '@mantine/core'
import { IconAlertTriangle, IconFlag, IconPencil } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ChallengeRow } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../shell/paths.ts'
import { CategorySign, categoryField } from '../ui/category-sign.tsx'
import c from './challenge-list.module.css'
import { problemsOf } from './challenge-rows.ts'
import { challengeQuery } from './game-admin.queries.ts'
import { useEnabling } from './use-enabling.ts'

const share = (part: number, whole: number) => `${whole > 0 ? Math.min(100, (part / whole) * 100) : 0}%`

export function ChallengeCard({ game, row }: { readonly game: GameInfo; readonly row: ChallengeRow }) {
  const { t } = useTranslation()
  const { ask, busy, lacksFlag } = useEnabling(game, row)
  // The list does not say what is missing; what was opened before, or refused just now, is known.
  const { data } = useQuery({ ...challengeQuery(game.id, row.id), enabled: false })
  const problems = data ? problemsOf(data) : lacksFlag ? (['flag'] as const) : []
  const { title } = row
  const { challenge, flags } = paths.admin
  const links = [
    { to: challenge(game.id, row.id), tip: t('ui.edit'), label: t('admin.challenges.editOne', { title }), Icon: IconPencil },
    { to: flags(game.id, row.id), tip: t('admin.flags.title'), label: t('admin.challenges.flagsOne', { title }), Icon: IconFlag },
  ]
  return (
    <li className={c.card} data-off={!row.isEnabled || undefined}>
      <span className={c.field} style={categoryField(row.category)}>
        <CategorySign category={row.category} size={20} bare labelled={false} />
      </span>
      <span className={c.switch}>
        <Switch
          aria-label={t('admin.challenges.enableOne', { title: row.title })}
          checked={row.isEnabled}
          disabled={busy}
          onChange={(event) => void ask(event.currentTarget.checked)}
        />
      </span>
      <div className={c.words}>
        <Link to={paths.admin.challenge(game.id, row.id)} className={`${c.name} cut`}>
          {row.title}
        </Link>
        <div className={c.line}>
          <span className="num">
            <b>{row.score}</b> / {row.originalScore} {t('play.pts')}
          </span>
          {problems.length > 0 ? (
            <span className={c.mark}>
              <IconAlertTriangle size={14} stroke={1.8} />
              {problems.map((problem) => t(`admin.problem.${problem}`)).join(', ')}
            </span>
          ) : (
            <span className="cut">{t(`admin.types.${row.type}`)}</span>
          )}
        </div>
        <span className={c.bar} aria-hidden>
          <b style={{ width: share(row.score, row.originalScore) }} />
          <i style={{ width: share(row.minScore, row.originalScore) }} />
        </span>
      </div>
      <span className={c.icons}>
        {links.map(({ to, tip, label, Icon }) => (
          <Tooltip key={to} label={tip}>
            <ActionIcon size="sm" component={Link} to={to} aria-label={label}>
              <Icon size={18} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        ))}
      </span>
    </li>
  )
}
