import type { Phase } from '@vexil/core/phases'
import { Pennant } from '../base/pennant.tsx'
import { useTranslation } from '../text/texts.tsx'
import c from './phase-word.module.css'

export function PhaseWord({ phase }: { readonly phase: Phase }) {
  const { t } = useTranslation()
  return (
    <span className={c.phase} data-phase={phase}>
      <Pennant />
      {t(`games.phase.${phase}`)}
    </span>
  )
}
