import { TextInput } from '@mantine/core'
import { challengeLimits, checkLimits } from '@vexil/core/limits'
import { useSite } from '../../shell/site.ts'
import { lazyPart } from '../../ui/base/lazy-part.tsx'
import mono from '../../ui/fields/mono-input.module.css'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './challenge.module.css'
import type { PartProps } from './challenge-part.ts'

/** Most challenges have no check. */
const SolverResults = lazyPart(() => import('./solver-results.tsx'))

interface Props extends PartProps {
  /** Stores the form; true when that worked or nothing was changed. */
  readonly store: () => Promise<boolean>
}

/** Image and interval of the solver check, its button and its results. */
export function SolverCheckPart({ game, challenge, fields, set, wrong, busy, store }: Props) {
  const { t } = useTranslation()
  const { containers } = useSite()
  return (
    <>
      <h3 className={c.partHead}>{t('admin.check.title')}</h3>
      <p className={c.note}>{t('admin.check.help', { seconds: checkLimits.within / 1000 })}</p>
      <TextInput
        label={t('admin.challenge.checkImage')}
        description={t('admin.check.imageHelp')}
        classNames={mono}
        placeholder="registry.example/solver:tag"
        maxLength={challengeLimits.imageNameMax}
        spellCheck={false}
        value={fields.checkImage}
        error={wrong.has('checkImage') && t('admin.check.imageWrong')}
        disabled={busy}
        onChange={(event) => set({ checkImage: event.currentTarget.value.trim() })}
      />
      <NumberField
        label={t('admin.challenge.checkMinutes')}
        description={t('admin.check.minutesHelp')}
        min={0}
        value={fields.checkMinutes}
        error={wrong.has('checkMinutes')}
        disabled={busy || fields.checkImage === ''}
        onChange={(checkMinutes) => set({ checkMinutes })}
      />
      {containers !== 'None' && fields.checkImage !== '' && (
        <SolverResults wanted game={game.id} challenge={challenge.id} busy={busy} disabled={wrong.size > 0} store={store} />
      )}
    </>
  )
}
