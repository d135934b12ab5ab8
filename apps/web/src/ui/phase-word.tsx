import type { Phase } from '@vexil/core/phases'
import { Pennant } from './pennant.tsx'
import c from './phase-word.module.css'
import { useTranslation } from './texts.tsx'

/** The phase of a game: coming, running or ended. */
export function PhaseWord({ phase }: { readonly phase: Phase }) {
  const { t } = useTranslation()
  return (
    <span className={c.phase} data-phase={phase}>
      <Pennant />
      {t(`games.phase.${phase}`)}
    </span>
  )
}
