import { Button, TextInput } from '@mantine/core'
import { IconFlag3, IconSearch } from '@tabler/icons-react'
import type { ChallengeRow } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CategorySign } from '../ui/category-sign.tsx'
import { Empty } from '../ui/states.tsx'
import { useSlash } from '../ui/use-slash.ts'
import { BulkButtons } from './bulk-buttons.tsx'
import { ChallengeCard } from './challenge-card.tsx'
import c from './challenge-list.module.css'
import { type ChallengeFilter, groupRows, keepRows } from './challenge-rows.ts'
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
  const search = useRef<HTMLInputElement>(null)
  useSlash(search)
  const icon = <IconFlag3 size={32} stroke={1.4} />
  if (rows.length === 0) {
    return <Empty icon={icon} title={t('admin.challenges.none')} text={t('admin.challenges.noneText')} action={create} />
  }
  const shown = keepRows(rows, filter)
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
        <BulkButtons game={game} rows={shown} />
      </div>
      {shown.length === 0 && (
        <Empty
          icon={icon}
          title={t('admin.challenges.notFound')}
          action={
            <Button variant="default" onClick={() => setFilter(nothing)}>
              {t('admin.clearSearch')}
            </Button>
          }
        />
      )}
      {groupRows(shown).map(([category, some]) => (
        <section key={category} className={c.group} aria-label={category}>
          <h2 className={c.groupHead}>
            <CategorySign category={category} size={18} labelled={false} />
            {category}
            <span className="num">{some.length}</span>
          </h2>
          <ul className={c.grid}>
            {some.map((row) => (
              <ChallengeCard key={row.id} game={game} row={row} />
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}
