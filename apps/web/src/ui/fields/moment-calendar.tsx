import { Button } from '@mantine/core'
import { DatePicker, TimeInput } from '@mantine/dates'
import '@mantine/dates/styles.layer.css'
import 'dayjs/locale/ja'
import 'dayjs/locale/zh-cn'
import { useTranslation } from '../text/texts.tsx'
import { useFormats } from '../time/time.ts'
import c from './moment-field.module.css'

interface Props {
  readonly value: number
  readonly onChange: (value: number) => void
  readonly onClose: () => void
}

const dayjsNames: Readonly<Record<string, string>> = { zh_CN: 'zh-cn', ja_JP: 'ja' }
const two = (number: number) => String(number).padStart(2, '0')

export default function MomentCalendar({ value, onChange, onClose }: Props) {
  const { t } = useTranslation()
  const { language } = useFormats()
  const at = new Date(value)
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
  const set = (text: string) => {
    const next = Date.parse(text)
    if (!Number.isNaN(next)) onChange(next)
  }
  return (
    <div className={c.calendar}>
      <DatePicker
        value={day}
        defaultDate={day}
        onChange={(picked) => picked && set(`${picked.slice(0, 10)}T${time}`)}
        locale={dayjsNames[language] ?? 'en'}
        firstDayOfWeek={language === 'ja_JP' ? 0 : 1}
        weekendDays={[]}
      />
      <div className={c.foot}>
        <TimeInput
          withSeconds
          aria-label={t('ui.moment.time')}
          value={time}
          onChange={(event) => set(`${day}T${event.currentTarget.value}`)}
        />
        <Button variant="default" onClick={onClose}>
          {t('ui.done')}
        </Button>
      </div>
    </div>
  )
}
