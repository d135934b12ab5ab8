import { DateTimePicker } from '@mantine/dates'
import '@mantine/dates/styles.layer.css'
import 'dayjs/locale/ja'
import 'dayjs/locale/zh-cn'
import { IconCalendar } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import c from './moment-field.module.css'
import { tagOf, useFormats } from './time.ts'

interface Props {
  readonly label: string
  /** Milliseconds since 1970. */
  readonly value: number
  readonly onChange: (value: number) => void
  /** Stands after the same moment in UTC. */
  readonly note?: ReactNode
  readonly error?: ReactNode
  readonly disabled?: boolean
}

const shape = {
  weekday: 'short',
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
} as const
const dayjsNames: Readonly<Record<string, string>> = { zh_CN: 'zh-cn', ja_JP: 'ja' }

/** `2026-11-21 09:00:00` of the device's zone to milliseconds, and nothing for what is no time. */
export function readLocal(text: string | null): number | undefined {
  const at = text ? Date.parse(text.replace(' ', 'T')) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

/** A date and time to the second, in the reader's zone, with the same moment in UTC below it (GI-4). */
export function MomentField({ label, value, onChange, note, error, disabled }: Props) {
  const { language } = useFormats()
  const format = (zone?: string) => {
    const text = new Intl.DateTimeFormat(tagOf(language), { ...shape, timeZone: zone }).format(value)
    return language === 'en_US' ? text.replace(',', '') : text
  }
  return (
    <DateTimePicker
      label={label}
      value={new Date(value)}
      onChange={(text) => {
        const at = readLocal(text)
        if (at !== undefined) onChange(at)
      }}
      withSeconds
      locale={dayjsNames[language] ?? 'en'}
      valueFormat={() => format()}
      rightSection={<IconCalendar size={18} stroke={1.6} />}
      rightSectionPointerEvents="none"
      description={
        <>
          {new Date(value).toISOString().slice(11, 19)} UTC{note && <> · {note}</>}
        </>
      }
      error={error}
      disabled={disabled}
      popoverProps={{ shadow: 'md', radius: 'lg', classNames: { dropdown: c.dropdown } }}
      weekendDays={[]}
      firstDayOfWeek={language === 'en_US' || language === 'zh_CN' ? 1 : 0}
    />
  )
}
