import { Button, Checkbox, Pagination, TextInput } from '@mantine/core'
import { IconDownload, IconSearch } from '@tabler/icons-react'
import type { GameInfo, ParticipationInfo } from '@vexil/contract/games'
import { type ParticipationStatus, participationStatuses } from '@vexil/core/vocabulary'
import { useRef, useState } from 'react'
import { Empty } from '../../ui/base/states.tsx'
import { focusSearch, useSlash } from '../../ui/base/use-slash.ts'
import { Select } from '../../ui/fields/select.tsx'
import { useConfirm } from '../../ui/overlays/confirm.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './review.module.css'
import { keepTeams, type ReviewFilter, reviewPage, warningsOf } from './review.ts'
import { ReviewRow } from './review-row.tsx'
import { useReviewSheet } from './use-review-sheet.ts'
import { useSetStatus } from './use-set-status.ts'

interface Props {
  readonly game: GameInfo
  readonly teams: readonly ParticipationInfo[]
}

const nothing: ReviewFilter = { text: '', division: null, status: null }

export function ReviewList({ game, teams }: Props) {
  const { t } = useTranslation()
  const [filter, setFilterOnly] = useState(nothing)
  const [page, setPage] = useState(1)
  const [picked, setPicked] = useState<ReadonlySet<number>>(new Set())
  const set = useSetStatus(game.id)
  if (teams.length === 0) return <Empty flag="R" title={t('admin.review.none')} text={t('admin.review.noneText')} />

  const setFilter = (patch: Partial<ReviewFilter>) => {
    setFilterOnly({ ...filter, ...patch })
    setPage(1)
  }
  const kept = keepTeams(teams, filter)
  const pages = Math.max(1, Math.ceil(kept.length / reviewPage))
  const at = Math.min(page, pages)
  const shown = kept.slice((at - 1) * reviewPage, at * reviewPage)
  const warnings = warningsOf(teams, game.teamMemberCountLimit)
  const chosen = kept.filter(({ id }) => picked.has(id))
  return (
    <>
      <div className={c.tools}>
        <Filters teams={teams} filter={filter} onFilter={setFilter} />
        <span className={c.right}>
          <SetMany chosen={chosen} set={set} onDone={() => setPicked(new Set())} />
          <SaveSheet game={game} kept={kept} />
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty
          flag="R"
          title={t('admin.review.notFound')}
          action={
            <Button
              variant="default"
              onClick={() => {
                setFilter(nothing)
                focusSearch()
              }}
            >
              {t('admin.clearSearch')}
            </Button>
          }
        />
      ) : (
        <ul className={c.list}>
          {shown.map((one) => (
            <ReviewRow
              key={one.id}
              participation={one}
              warnings={warnings.get(one.id) ?? []}
              busy={set.busy || set.wait > 0}
              picked={picked.has(one.id)}
              onPick={(on) => {
                const next = new Set(picked)
                if (on) next.add(one.id)
                else next.delete(one.id)
                setPicked(next)
              }}
              onSet={(to) => void set.start([{ team: one, to }])}
            />
          ))}
        </ul>
      )}
      <div className={c.foot}>
        <Checkbox
          label={t('admin.review.pickAll', { count: kept.length })}
          checked={chosen.length > 0 && chosen.length === kept.length}
          indeterminate={chosen.length > 0 && chosen.length < kept.length}
          onChange={(event) => setPicked(new Set(event.currentTarget.checked ? kept.map(({ id }) => id) : []))}
        />
        <span className="num">{t('admin.shownOf', { shown: kept.length, total: teams.length })}</span>
        {pages > 1 && <Pagination size="sm" total={pages} value={at} onChange={setPage} />}
      </div>
    </>
  )
}

interface FiltersProps {
  readonly teams: readonly ParticipationInfo[]
  readonly filter: ReviewFilter
  readonly onFilter: (patch: Partial<ReviewFilter>) => void
}

function Filters({ teams, filter, onFilter }: FiltersProps) {
  const { t } = useTranslation()
  const field = useRef<HTMLInputElement>(null)
  useSlash(field)
  const divisions = [...new Set(teams.flatMap(({ organization }) => organization ?? []))].sort()
  return (
    <>
      <TextInput
        ref={field}
        className={c.search}
        leftSection={<IconSearch size={18} stroke={1.6} />}
        placeholder={t('admin.review.find')}
        aria-label={t('admin.review.find')}
        value={filter.text}
        onChange={(event) => onFilter({ text: event.currentTarget.value })}
      />
      {divisions.length > 0 && (
        <Select
          className={c.select}
          aria-label={t('admin.review.division')}
          placeholder={t('admin.review.allDivisions')}
          clearable
          data={divisions.map((name) => ({ value: name, label: name }))}
          value={filter.division}
          onChange={(division) => onFilter({ division })}
        />
      )}
      <Select
        className={c.select}
        aria-label={t('admin.review.status')}
        placeholder={t('admin.review.allStatuses')}
        clearable
        data={participationStatuses.map((value) => ({ value, label: t(`admin.status.${value}`) }))}
        value={filter.status}
        onChange={(status) => onFilter({ status: status as ParticipationStatus | null })}
      />
    </>
  )
}

interface SetManyProps {
  readonly chosen: readonly ParticipationInfo[]
  readonly set: ReturnType<typeof useSetStatus>
  readonly onDone: () => void
}

function SetMany({ chosen, set, onDone }: SetManyProps) {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const many = async (to: ParticipationStatus) => {
    const yes = await confirm({
      title: t(`admin.review.manyTitle.${to as 'Accepted'}`, { count: chosen.length }),
      text: t(`admin.setText.${to}`),
      confirm: t(`admin.set.${to}`),
      harmful: to === 'Rejected',
    })
    if (yes && (await set.start(chosen.map((team) => ({ team, to }))))) onDone()
  }
  if (chosen.length === 0) return null
  const held = set.busy || set.wait > 0
  return (
    <>
      <span className="small num">{t('admin.review.picked', { count: chosen.length })}</span>
      <Button variant="default" disabled={held} onClick={() => void many('Accepted')}>
        {t('admin.set.Accepted')}
      </Button>
      <Button variant="default" color="bad" disabled={held} onClick={() => void many('Rejected')}>
        {t('admin.set.Rejected')}
      </Button>
    </>
  )
}

function SaveSheet({ game, kept }: { readonly game: GameInfo; readonly kept: readonly ParticipationInfo[] }) {
  const { t } = useTranslation()
  const save = useReviewSheet(game)
  return (
    <Button
      variant="subtle"
      leftSection={<IconDownload size={18} stroke={1.6} />}
      disabled={kept.length === 0}
      onClick={() => save(kept)}
    >
      {t('admin.review.sheet')}
    </Button>
  )
}
