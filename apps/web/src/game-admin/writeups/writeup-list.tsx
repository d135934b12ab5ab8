import { Button, SegmentedControl, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { Avatar } from '../../ui/base/avatar.tsx'
import { focusSearch, useSlash } from '../../ui/base/use-slash.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { When } from '../../ui/time/when.tsx'
import c from './writeups.module.css'
import type { WriteupFilter, WriteupRow } from './writeups.ts'

interface Props {
  readonly rows: readonly WriteupRow[]
  /** Without the filter. */
  readonly total: readonly WriteupRow[]
  readonly open: WriteupRow | undefined
  readonly filter: WriteupFilter
  readonly onFilter: (parts: Readonly<Record<'find' | 'handed', string | null>>) => void
  readonly onChoose: (row: WriteupRow) => void
}

export function WriteupList({ rows, total, open, filter, onFilter, onChoose }: Props) {
  const { t } = useTranslation()
  const current = useRef<HTMLButtonElement>(null)
  const search = useRef<HTMLInputElement>(null)
  useSlash(search)
  const openId = open?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: brought into sight when another one is opened
  useEffect(() => {
    void current.current?.scrollIntoView?.({ block: 'nearest' })
  }, [openId])
  const handed = total.filter(({ file }) => file).length
  return (
    <section className={c.list} aria-label={t('admin.writeups.teams')}>
      <div className={c.filter}>
        <SegmentedControl
          fullWidth
          aria-label={t('admin.writeups.which')}
          value={filter.handed ?? 'all'}
          data={[
            { value: 'all', label: t('admin.writeups.all', { count: total.length }) },
            { value: 'in', label: t('admin.writeups.in', { count: handed }) },
            { value: 'missing', label: t('admin.writeups.missing', { count: total.length - handed }) },
          ]}
          onChange={(value) => onFilter({ find: filter.text || null, handed: value === 'all' ? null : value })}
        />
        <TextInput
          ref={search}
          leftSection={<IconSearch size={18} stroke={1.6} />}
          placeholder={t('admin.review.find')}
          aria-label={t('admin.review.find')}
          value={filter.text}
          onChange={(event) => onFilter({ find: event.currentTarget.value || null, handed: filter.handed })}
        />
      </div>
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            <button
              type="button"
              ref={row === open ? current : undefined}
              className={c.team}
              aria-current={row === open || undefined}
              onClick={() => onChoose(row)}
            >
              <Avatar src={row.team.avatar} name={row.team.name} id={row.team.id} size={24} />
              <span className={c.words}>
                <span className="cut">{row.team.name}</span>
                <span className="small faint">
                  <span className="num">#{row.team.id}</span>
                  {' · '}
                  {row.file ? <When at={row.file.at} /> : t('admin.writeups.nothing')}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {rows.length === 0 && (
        <p className={c.none}>
          {t('admin.review.notFound')}
          <Button
            size="sm"
            variant="default"
            onClick={() => {
              onFilter({ find: null, handed: null })
              focusSearch()
            }}
          >
            {t('admin.clearSearch')}
          </Button>
        </p>
      )}
    </section>
  )
}
