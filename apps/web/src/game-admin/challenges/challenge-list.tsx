import { Button, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import type { ChallengeRow } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { type ReactNode, useRef, useState } from 'react'
import { Empty } from '../../ui/base/states.tsx'
import { focusSearch, useSlash } from '../../ui/base/use-slash.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { BulkButtons } from './bulk-buttons.tsx'
import c from './challenge-list.module.css'
import { type ChallengeFilter, groupRows, keepRows } from './challenge-rows.ts'
import { ChallengeTable } from './challenge-table.tsx'
import { CategorySelect, TypeSelect } from './kind-selects.tsx'

interface Props {
  readonly game: GameInfo
  readonly rows: readonly ChallengeRow[]
  readonly create: ReactNode
}

const filterSelect = { className: c.select, clearable: true, bare: true }
const nothing: ChallengeFilter = { text: '', category: null, type: null }

export function ChallengeList({ game, rows, create }: Props) {
  const { t } = useTranslation()
  const [filter, setFilter] = useState(nothing)
  const [picked, setPicked] = useState<ReadonlySet<number>>(new Set())
  const search = useRef<HTMLInputElement>(null)
  useSlash(search)
  if (rows.length === 0) {
    return <Empty flag="C" title={t('admin.challenges.none')} text={t('admin.challenges.noneText')} action={create} />
  }
  const shown = keepRows(rows, filter)
  const chosen = shown.filter(({ id }) => picked.has(id))
  return (
    <>
      <div className={c.tools}>
        <TextInput
          ref={search}
          className={c.search}
          leftSection={<IconSearch size={18} stroke={1.6} />}
          placeholder={t('admin.challenges.find')}
          aria-label={t('admin.challenges.find')}
          value={filter.text}
          onChange={(event) => setFilter({ ...filter, text: event.currentTarget.value })}
        />
        <CategorySelect
          {...filterSelect}
          label={t('admin.challenges.category')}
          placeholder={t('admin.challenges.allCategories')}
          value={filter.category}
          onChange={(category) => setFilter({ ...filter, category })}
        />
        <TypeSelect
          {...filterSelect}
          label={t('admin.challenges.type')}
          placeholder={t('admin.challenges.allTypes')}
          value={filter.type}
          onChange={(type) => setFilter({ ...filter, type })}
        />
        {chosen.length > 0 && <BulkButtons game={game} rows={chosen} onDone={() => setPicked(new Set())} />}
      </div>
      {shown.length === 0 && (
        <Empty
          flag="C"
          title={t('admin.challenges.notFound')}
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
      )}
      {shown.length > 0 && (
        <ChallengeTable
          game={game}
          rows={groupRows(shown).flatMap(([, some]) => some)}
          picked={picked}
          onPick={(ids, on) =>
            setPicked((before) => new Set(on ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id))))
          }
        />
      )}
    </>
  )
}
