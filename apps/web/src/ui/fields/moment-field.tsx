import { ActionIcon, Popover, TextInput } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconCalendar } from '@tabler/icons-react'
import { type ClipboardEvent, type KeyboardEvent, lazy, type ReactNode, Suspense, useState } from 'react'
import { flushSync } from 'react-dom'
import { withRetry } from '../base/chunk-recovery.ts'
import { Tooltip } from '../overlays/tooltip.tsx'
import { useTranslation } from '../text/texts.tsx'
import { tagOf, useFormats } from '../time/time.ts'
import c from './moment-field.module.css'
import { readMoment } from './read-moment.ts'

const MomentCalendar = lazy(withRetry(() => import('./moment-calendar.tsx')))

interface Props {
  readonly label: string
  /** Milliseconds since 1970; NaN while the text is not a time. */
  readonly value: number
  readonly onChange: (value: number) => void
  /** Shown after the moment in UTC. */
  readonly note?: ReactNode
  readonly error?: ReactNode
  readonly disabled?: boolean
}

const shape = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
} as const

export function momentText(value: number, language: string, hasWeekday = true): string {
  const options = hasWeekday ? ({ ...shape, weekday: 'short' } as const) : shape
  return new Intl.DateTimeFormat(tagOf(language), options).format(value).replace(/,/g, language === 'en_US' ? '' : ',')
}

/** A date and time to the second, typed, pasted or picked. An invalid time stays in the field; its value is NaN. */
export function MomentField({ label, value, onChange, note, error, disabled }: Props) {
  const { t } = useTranslation()
  const { language } = useFormats()
  // On narrow windows two fields share a line, without room for the weekday.
  const hasWeekday = useMediaQuery('(min-width: 1184px)', true)
  const [typed, setTyped] = useState<string>()
  const [typing, setTyping] = useState(false)
  const broken = Number.isNaN(value)
  const shown = typed !== undefined && (typing || broken) ? typed : broken ? '' : momentText(value, language, hasWeekday)

  const accept = (text: string) => {
    const at = readMoment(text, value)
    setTyped(at === undefined ? text : undefined)
    if (at === undefined || at !== value) onChange(at ?? Number.NaN)
  }
  const settle = () => {
    if (typed !== undefined) accept(typed)
    setTyping(false)
  }
  const keyed = (event: KeyboardEvent) => {
    const saves = event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey)
    // The form handles the key right after this and needs the typed value.
    if (event.key === 'Enter' || saves) flushSync(settle)
  }
  const pasted = (event: ClipboardEvent<HTMLInputElement>) => {
    const text = event.clipboardData.getData('text')
    if (readMoment(text, value) === undefined) return
    event.preventDefault()
    accept(text)
  }
  return (
    <TextInput
      label={label}
      value={shown}
      autoComplete="off"
      spellCheck={false}
      disabled={disabled}
      error={broken ? t('ui.moment.wrong', { example: '2026-11-24 09:00' }) : error}
      description={
        !broken && (
          <>
            {new Date(value).toISOString().slice(11, 19)} UTC{note && <> · {note}</>}
          </>
        )
      }
      onChange={(event) => {
        setTyping(true)
        setTyped(event.currentTarget.value)
      }}
      onBlur={settle}
      onKeyDown={keyed}
      onPaste={pasted}
      rightSection={
        <CalendarButton
          label={label}
          value={broken ? Date.now() : value}
          disabled={disabled}
          onChange={(at) => {
            setTyped(undefined)
            onChange(at)
          }}
        />
      }
    />
  )
}

function CalendarButton({ label, value, disabled, onChange }: Pick<Props, 'label' | 'value' | 'disabled' | 'onChange'>) {
  const { t } = useTranslation()
  const [picking, setPicking] = useState(false)
  return (
    <Popover opened={picking} onChange={setPicking} position="bottom-end" trapFocus returnFocus shadow="md" radius="lg">
      <Popover.Target>
        <Tooltip label={t('ui.moment.pick')}>
          <ActionIcon
            size="sm"
            aria-label={`${t('ui.moment.pick')}: ${label}`}
            disabled={disabled}
            onClick={() => setPicking(!picking)}
          >
            <IconCalendar size={18} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <Suspense fallback={<div className={c.waiting} />}>
          {picking && <MomentCalendar value={value} onChange={onChange} onClose={() => setPicking(false)} />}
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}
