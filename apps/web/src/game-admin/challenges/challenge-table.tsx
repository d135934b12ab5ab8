import { Checkbox, Switch } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ChallengeRow } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { generatesFlags } from '@vexil/core/vocabulary'
import { Fragment } from 'react'
import { Link } from 'react-router'
import { lacksFlag, problemsOf } from '../../shell/challenge-problems.ts'
import { paths } from '../../shell/paths.ts'
import table from '../../ui/base/table.module.css'
import { CategorySign } from '../../ui/game/category-sign.tsx'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useFormats } from '../../ui/time/time.ts'
import c from './challenge-list.module.css'
import { flagPlace } from './challenge-rows.ts'
import { useEnabling } from './use-enabling.ts'

interface Props {
  readonly game: GameInfo
  readonly rows: readonly ChallengeRow[]
  readonly picked: ReadonlySet<number>
  readonly onPick: (ids: readonly number[], on: boolean) => void
}

export function ChallengeTable({ game, rows, picked, onPick }: Props) {
  const { t } = useTranslation()
  const count = rows.filter(({ id }) => picked.has(id)).length
  return (
    <table className={`${table.table} ${c.table}`}>
      <thead>
        <tr>
          <th scope="col" className={c.pick}>
            <Checkbox
              size="xs"
              aria-label={t('admin.pickAll')}
              checked={count > 0 && count === rows.length}
              indeterminate={count > 0 && count < rows.length}
              onChange={(event) =>
                onPick(
                  rows.map(({ id }) => id),
                  event.currentTarget.checked,
                )
              }
            />
          </th>
          <th scope="col" className={c.switch}>
            {t('admin.challenge.enabled')}
          </th>
          <th scope="col">{t('admin.challenge.title')}</th>
          <th scope="col" className={c.category}>
            {t('admin.challenges.category')}
          </th>
          <th scope="col" className={c.type}>
            {t('admin.challenges.type')}
          </th>
          <th scope="col" className={c.points}>
            {t('admin.challenges.points')}
          </th>
          <th scope="col" className={c.solves}>
            {t('board.solved')}
          </th>
          <th scope="col" className={c.flags}>
            {t('admin.flags.title')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.id} game={game} row={row} picked={picked.has(row.id)} onPick={(on) => onPick([row.id], on)} />
        ))}
      </tbody>
    </table>
  )
}

interface RowProps {
  readonly game: GameInfo
  readonly row: ChallengeRow
  readonly picked: boolean
  readonly onPick: (on: boolean) => void
}

function Row({ game, row, picked, onPick }: RowProps) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const { confirmAndSet, busy } = useEnabling(game, row)
  const problems = problemsOf(row)
  const refused = !row.isEnabled && lacksFlag(row)
  const { id, title } = row
  const flags = row.flagCount === 0 && generatesFlags(row.type) ? t('admin.challenges.template') : number(row.flagCount)
  return (
    <tr data-off={!row.isEnabled || undefined} data-picked={picked || undefined}>
      <td>
        <Checkbox
          size="xs"
          aria-label={t('admin.pick', { name: title })}
          checked={picked}
          onChange={(event) => onPick(event.currentTarget.checked)}
        />
      </td>
      <td>
        <Tooltip label={t('admin.challenges.needsFlag')} disabled={!refused}>
          <Switch
            size="xs"
            aria-label={t('admin.challenges.enableOne', { title })}
            checked={row.isEnabled}
            disabled={busy || refused}
            onChange={(event) => void confirmAndSet(event.currentTarget.checked)}
          />
        </Tooltip>
      </td>
      <td>
        <span className={c.title}>
          <Link to={paths.admin.challenge(game.id, id)} className={`${c.name} cut`} title={title}>
            {title}
          </Link>
          {problems.length > 0 && (
            <span className={c.mark} data-bad={problems.some((one) => one === 'silent' || one === 'check') || undefined}>
              <IconAlertTriangle size={14} stroke={1.8} />
              <span>
                {problems.map((problem, i) => (
                  <Fragment key={problem}>
                    {i > 0 && ', '}
                    {problem === 'flag' ? (
                      <Link to={flagPlace(game.id, row)} className="link" title={t('admin.challenges.needsFlag')}>
                        {t('admin.problem.flag')}
                      </Link>
                    ) : (
                      t(`admin.problem.${problem}`)
                    )}
                  </Fragment>
                ))}
              </span>
            </span>
          )}
        </span>
      </td>
      <td>
        <span className={c.sign}>
          <CategorySign category={row.category} size={16} labelled={false} />
          {row.category}
        </span>
      </td>
      <td className="cut dim">{t(`admin.types.${row.type}`)}</td>
      <td className="num">
        <b>{number(row.score)}</b> <span className="faint">/ {number(row.originalScore)}</span>
      </td>
      <td className="num">{number(row.acceptedCount)}</td>
      <td className="num">
        <Link to={flagPlace(game.id, row)} className="link" aria-label={t('admin.challenges.flagsOne', { title, flags })}>
          {flags}
        </Link>
      </td>
    </tr>
  )
}
