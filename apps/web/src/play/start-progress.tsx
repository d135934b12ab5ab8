/** How far the start of an instance is, in words, and as a bar while the percentage of its images is known. */
import { Loader } from '@mantine/core'
import type { StartProgress } from '@vexil/contract/challenges'
import { Progress } from '../ui/base/progress.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './instance-panel.module.css'

/** Texts such as "Place 3 in the queue" and "Pulling the image 40%". */
export function useStartText(): (start: StartProgress) => string {
  const { t } = useTranslation()
  return ({ phase, place, percent }) => {
    if (place !== null) return t('play.place', { place })
    return percent === null ? t(`play.phase.${phase}`) : `${t(`play.phase.${phase}`)} ${percent}%`
  }
}

export function StartLine({ start }: { readonly start: StartProgress }) {
  const { t } = useTranslation()
  const text = useStartText()
  const { percent } = start
  return (
    <>
      <p className={c.awaited}>
        <Loader size={16} aria-hidden />
        <span className="num">{text(start)}</span>
      </p>
      {percent !== null && <Progress label={t('play.phase.pulling')} share={percent / 100} />}
      <p className={c.note}>{t('play.awaited')}</p>
    </>
  )
}
