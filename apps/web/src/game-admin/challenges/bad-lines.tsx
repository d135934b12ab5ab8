import { useTranslation } from '../../ui/text/organiser-texts.ts'
import type { Checked } from './flag-input.ts'
import c from './flags.module.css'

export function BadLines({ bad }: Pick<Checked<unknown>, 'bad'>) {
  const { t } = useTranslation()
  if (bad.length === 0) return null
  return (
    <ul className={c.bad} aria-live="polite">
      {bad.map(({ line, text, reason }) => (
        <li key={line}>
          <span className="num">{t('admin.flags.line', { line })}</span>
          <span className="mono cut">{text}</span>
          <span>{t(`admin.flags.reason.${reason}`)}</span>
        </li>
      ))}
    </ul>
  )
}
