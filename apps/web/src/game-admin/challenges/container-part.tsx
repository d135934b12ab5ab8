import { Switch, TextInput } from '@mantine/core'
import type { ChallengeFieldOf } from '@vexil/contract/challenge-fields'
import { challengeLimits } from '@vexil/core/limits'
import { type ContainerNetwork, type ContainerProfile, containerNetworks, containerProfiles } from '@vexil/core/vocabulary'
import mono from '../../ui/fields/mono-input.module.css'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { Select } from '../../ui/fields/select.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useFormats } from '../../ui/time/time.ts'
import { AdditionalContainers, NamedPorts } from './additional-containers.tsx'
import c from './challenge.module.css'
import type { PartProps } from './challenge-part.ts'
import { ImageLookup } from './image-lookup.tsx'
import { SolverCheckPart } from './solver-check.tsx'
import { TestContainer } from './test-container.tsx'

type Numbered = Exclude<ChallengeFieldOf<'whole'>, 'originalScore' | 'checkMinutes'>

interface Props extends PartProps {
  /** Stores the form; true when that worked or nothing was changed. */
  readonly store: () => Promise<boolean>
}

export function ContainerPart({ game, challenge, fields, set, wrong, busy, store }: Props) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const cores = typeof fields.cpuCount === 'number' ? t('admin.challenge.cores', { cores: number(fields.cpuCount / 10) }) : ' '
  const field = (name: Numbered, help: string) => (
    <NumberField
      label={t(`admin.challenge.${name}`)}
      description={help}
      min={0}
      value={fields[name]}
      error={wrong.has(name)}
      disabled={busy}
      onChange={(value) => set({ [name]: value })}
    />
  )
  return (
    <section className={c.part}>
      <h2 className={c.partHead}>{t('admin.challenge.container')}</h2>
      <TextInput
        label={t('admin.challenge.containerImage')}
        classNames={mono}
        placeholder="registry.example/name:tag"
        maxLength={challengeLimits.imageNameMax}
        spellCheck={false}
        value={fields.containerImage}
        error={wrong.has('containerImage') && t('admin.challenge.imageMissing')}
        disabled={busy}
        onChange={(event) => set({ containerImage: event.currentTarget.value })}
      />
      <ImageLookup image={fields.containerImage} busy={busy} />
      <div className={c.four}>
        {field('containerExposePort', 'TCP')}
        {field('cpuCount', cores)}
        {field('memoryLimit', 'MB')}
        {field('storageLimit', 'MB')}
      </div>
      <NamedPorts
        ports={fields.namedPorts}
        first={fields.containerExposePort}
        busy={busy}
        onChange={(namedPorts) => set({ namedPorts })}
      />
      <AdditionalContainers
        containers={fields.additionalContainers}
        busy={busy}
        onChange={(additionalContainers) => set({ additionalContainers })}
      />
      <div className={c.four}>
        {field('readyTimeout', t('admin.challenge.readyTimeoutHelp'))}
        <TextInput
          className={c.wideOfFour}
          label={t('admin.challenge.readyText')}
          description={t('admin.challenge.readyTextHelp')}
          maxLength={challengeLimits.readyTextMax}
          spellCheck={false}
          value={fields.readyText}
          disabled={busy || fields.readyTimeout === 0}
          onChange={(event) => set({ readyText: event.currentTarget.value })}
        />
      </div>
      <Select
        label={t('admin.challenge.containerNetwork')}
        description={t(`admin.challenge.networkHelp.${fields.containerNetwork}`)}
        data={containerNetworks.map((value) => ({ value, label: t(`admin.challenge.network.${value}`) }))}
        allowDeselect={false}
        value={fields.containerNetwork}
        disabled={busy}
        onChange={(value) => value && set({ containerNetwork: value as ContainerNetwork })}
      />
      <Select
        label={t('admin.challenge.profile')}
        description={t(`admin.challenge.profileHelp.${fields.profile}`)}
        data={containerProfiles.map((value) => ({ value, label: t(`admin.challenge.profiles.${value}`) }))}
        allowDeselect={false}
        value={fields.profile}
        disabled={busy}
        onChange={(value) => value && set({ profile: value as ContainerProfile })}
      />
      <TextInput
        label={t('admin.challenge.runtime')}
        description={t('admin.challenge.runtimeHelp')}
        classNames={mono}
        maxLength={challengeLimits.runtimeMax}
        spellCheck={false}
        value={fields.runtime}
        error={wrong.has('runtime') && t('admin.challenge.runtimeWrong')}
        disabled={busy}
        onChange={(event) => set({ runtime: event.currentTarget.value.trim() })}
      />
      <Switch
        label={t('admin.challenge.capture')}
        description={t('admin.challenge.captureHelp')}
        checked={fields.enableTrafficCapture}
        disabled={busy}
        onChange={(event) => set({ enableTrafficCapture: event.currentTarget.checked })}
      />
      <TestContainer game={game} challenge={challenge} wrong={wrong} busy={busy} store={store} />
      <SolverCheckPart {...{ game, challenge, fields, set, wrong, busy, store }} />
    </section>
  )
}
