import { Button, Checkbox } from '@mantine/core'
import { useState } from 'react'
import { ActionButton } from '../ui/base/action-button.tsx'
import type { Action } from '../ui/base/use-action.ts'
import { useConfirm } from '../ui/overlays/confirm.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import c from './list.module.css'

type Key = string | number

export interface Picks<T> {
  readonly items: readonly T[]
  readonly chosen: readonly T[]
  readonly has: (item: T) => boolean
  readonly pick: (items: readonly T[], on: boolean) => void
  readonly clear: () => void
}

export function usePicks<T>(items: readonly T[], keyOf: (item: T) => Key): Picks<T> {
  const [keys, setKeys] = useState<ReadonlySet<Key>>(new Set())
  const has = (item: T) => keys.has(keyOf(item))
  return {
    items,
    chosen: items.filter(has),
    has,
    pick: (some, on) => {
      const given = new Set(some.map(keyOf))
      setKeys(new Set([...[...keys].filter((key) => !given.has(key)), ...(on ? given : [])]))
    },
    clear: () => setKeys(new Set()),
  }
}

export function PickHead<T>({ picks: { items, chosen, pick } }: { readonly picks: Picks<T> }) {
  const { t } = useTranslation()
  return (
    <th scope="col" className={c.pick}>
      <Checkbox
        size="xs"
        aria-label={t('admin.pickAll')}
        checked={chosen.length > 0 && chosen.length === items.length}
        indeterminate={chosen.length > 0 && chosen.length < items.length}
        onChange={(event) => pick(items, event.currentTarget.checked)}
      />
    </th>
  )
}

interface CellProps<T> {
  readonly item: T
  readonly name: string
  readonly picks: Picks<T>
}

export function PickCell<T>({ item, name, picks: { items, has, pick } }: CellProps<T>) {
  const { t } = useTranslation()
  return (
    <td className={c.pick}>
      <Checkbox
        size="xs"
        aria-label={t('admin.pick', { name })}
        disabled={!items.includes(item)}
        checked={has(item)}
        onChange={(event) => pick([item], event.currentTarget.checked)}
      />
    </td>
  )
}

export interface BulkAction<T> {
  readonly name: string
  readonly title: string
  readonly text: string
  readonly action: Action<readonly T[]>
  readonly harmful?: boolean
  readonly typed?: string
}

interface BarProps<T> {
  readonly picks: Picks<T>
  readonly actions: readonly BulkAction<T>[]
}

export function PickBar<T>({ picks: { chosen, clear }, actions }: BarProps<T>) {
  const { t } = useTranslation()
  const confirm = useConfirm()
  if (chosen.length === 0) return null
  const confirmAndStart = async ({ name, action, ...question }: BulkAction<T>) => {
    if ((await confirm({ ...question, confirm: name })) && (await action.start(chosen))) clear()
  }
  return (
    <div className={c.picked} role="toolbar" aria-label={t('admin.picked', { count: chosen.length })}>
      <span className="small num">{t('admin.picked', { count: chosen.length })}</span>
      {actions.map((one) => (
        <ActionButton
          key={one.name}
          action={one.action}
          size="sm"
          variant="default"
          color={one.harmful ? 'bad' : undefined}
          onClick={() => void confirmAndStart(one)}
        >
          {one.name}
        </ActionButton>
      ))}
      <Button size="sm" variant="subtle" onClick={clear}>
        {t('admin.pickNone')}
      </Button>
    </div>
  )
}
