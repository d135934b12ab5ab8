import { ActionIcon, Switch, Textarea, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { challengeLimits } from '@vexil/core/limits'
import { type ReactNode, useEffect, useRef } from 'react'
import mono from '../../ui/fields/mono-input.module.css'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './challenge.module.css'
import {
  type ContainerDraft,
  containerProblems,
  newContainer,
  newPort,
  type PortDraft,
  portProblems,
} from './container-drafts.ts'
import { ImageLookup } from './image-lookup.tsx'

interface ListProps {
  readonly title: string
  /** Shown while there are no rows. */
  readonly none: string
  readonly add: string
  readonly count: number
  readonly max: number
  readonly busy: boolean
  readonly onAdd: () => void
  readonly children: ReactNode
}

/** A list of rows with a button that adds one, whose first field then has the focus. */
function Rows({ title, none, add, count, max, busy, onAdd, children }: ListProps) {
  const list = useRef<HTMLFieldSetElement>(null)
  const added = useRef(false)
  useEffect(() => {
    if (!added.current) return
    added.current = false
    list.current?.querySelector<HTMLElement>(`[data-row='${count - 1}']`)?.focus()
  }, [count])
  return (
    <fieldset ref={list} className={c.rows}>
      <legend className={c.name}>{title}</legend>
      {count === 0 ? <p className={c.note}>{none}</p> : children}
      <button
        type="button"
        className={`link ${c.addRow}`}
        disabled={busy || count >= max}
        onClick={() => {
          added.current = true
          onAdd()
        }}
      >
        <IconPlus size={16} stroke={1.8} />
        {add}
      </button>
    </fieldset>
  )
}

interface PortsProps {
  readonly ports: readonly PortDraft[]
  /** The port of the challenge. */
  readonly first: number | string
  readonly busy: boolean
  readonly onChange: (ports: readonly PortDraft[]) => void
}

export function NamedPorts({ ports, first, busy, onChange }: PortsProps) {
  const { t } = useTranslation()
  const put = (at: number, patch: Partial<PortDraft>) =>
    onChange(ports.map((port, index) => (index === at ? { ...port, ...patch } : port)))
  return (
    <Rows
      title={t('admin.challenge.namedPorts')}
      none={t('admin.challenge.namedPortsNone')}
      add={t('admin.challenge.namedPortAdd')}
      count={ports.length}
      max={challengeLimits.namedPortsMax}
      busy={busy}
      onAdd={() => onChange([...ports, newPort(ports)])}
    >
      {ports.map((draft, at) => {
        const wrong = portProblems(draft, ports, first)
        const number = at + 1
        return (
          <div key={draft.key} className={c.portRow}>
            <TextInput
              data-row={at}
              aria-label={t('admin.challenge.namedPortName', { number })}
              placeholder="sql"
              classNames={mono}
              maxLength={challengeLimits.partNameMax}
              spellCheck={false}
              value={draft.name}
              error={draft.name !== '' && wrong.has('name') && t('admin.challenge.partNameWrong')}
              disabled={busy}
              onChange={(event) => put(at, { name: event.currentTarget.value })}
            />
            <NumberField
              aria-label={t('admin.challenge.namedPortNumber', { number })}
              placeholder="5432"
              min={challengeLimits.portMin}
              max={challengeLimits.portMax}
              value={draft.port}
              error={draft.port !== '' && wrong.has('port') && t('admin.challenge.namedPortWrong')}
              disabled={busy}
              onChange={(port) => put(at, { port })}
            />
            <RemoveRow
              label={t('admin.challenge.namedPortRemove', { number })}
              busy={busy}
              onClick={() => onChange(ports.filter((_, index) => index !== at))}
            />
          </div>
        )
      })}
    </Rows>
  )
}

function RemoveRow({ label, busy, onClick }: { readonly label: string; readonly busy: boolean; readonly onClick: () => void }) {
  return (
    <ActionIcon size="sm" aria-label={label} disabled={busy} onClick={onClick}>
      <IconX size={16} stroke={1.6} />
    </ActionIcon>
  )
}

interface ContainersProps {
  readonly containers: readonly ContainerDraft[]
  readonly busy: boolean
  readonly onChange: (containers: readonly ContainerDraft[]) => void
}

export function AdditionalContainers({ containers, busy, onChange }: ContainersProps) {
  const { t } = useTranslation()
  return (
    <Rows
      title={t('admin.challenge.additional')}
      none={t('admin.challenge.additionalNone')}
      add={t('admin.challenge.additionalAdd')}
      count={containers.length}
      max={challengeLimits.additionalMax}
      busy={busy}
      onAdd={() => onChange([...containers, newContainer(containers)])}
    >
      {containers.map((draft, at) => (
        <ContainerRow
          key={draft.key}
          draft={draft}
          at={at}
          all={containers}
          busy={busy}
          onChange={(patch) => onChange(containers.map((one, index) => (index === at ? { ...one, ...patch } : one)))}
          onRemove={() => onChange(containers.filter((_, index) => index !== at))}
        />
      ))}
    </Rows>
  )
}

interface RowProps {
  readonly draft: ContainerDraft
  readonly at: number
  readonly all: readonly ContainerDraft[]
  readonly busy: boolean
  readonly onChange: (patch: Partial<ContainerDraft>) => void
  readonly onRemove: () => void
}

function ContainerRow({ draft, at, all, busy, onChange, onRemove }: RowProps) {
  const { t } = useTranslation()
  const wrong = containerProblems(draft, all)
  const limit = (name: 'cpuCount' | 'memoryLimit' | 'storageLimit', unit: string) => (
    <NumberField
      label={t(`admin.challenge.${name}`)}
      description={unit}
      min={0}
      value={draft[name]}
      error={wrong.has(name)}
      disabled={busy}
      onChange={(value) => onChange({ [name]: value })}
    />
  )
  return (
    <section className={c.containerRow} aria-label={t('admin.challenge.additionalNumber', { number: at + 1 })}>
      <div className={c.containerHead}>
        <TextInput
          data-row={at}
          label={t('admin.challenge.additionalName')}
          description={t('admin.challenge.additionalNameHelp')}
          placeholder="db"
          classNames={mono}
          maxLength={challengeLimits.partNameMax}
          spellCheck={false}
          value={draft.name}
          error={draft.name !== '' && wrong.has('name') && t('admin.challenge.partNameWrong')}
          disabled={busy}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <RemoveRow label={t('admin.challenge.additionalRemove', { number: at + 1 })} busy={busy} onClick={onRemove} />
      </div>
      <TextInput
        label={t('admin.challenge.containerImage')}
        classNames={mono}
        placeholder="registry.example/name:tag"
        maxLength={challengeLimits.imageNameMax}
        spellCheck={false}
        value={draft.image}
        disabled={busy}
        onChange={(event) => onChange({ image: event.currentTarget.value })}
      />
      <ImageLookup image={draft.image} busy={busy} />
      <div className={c.limits}>
        {limit('cpuCount', t('admin.challenge.tenths'))}
        {limit('memoryLimit', 'MB')}
        {limit('storageLimit', 'MB')}
      </div>
      <Textarea
        label={t('admin.challenge.environment')}
        description={t('admin.challenge.environmentHelp')}
        classNames={mono}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        placeholder={'MYSQL_DATABASE=shop\nMYSQL_PASSWORD=secret'}
        value={draft.environment}
        error={wrong.has('environment') && t('admin.challenge.environmentWrong')}
        disabled={busy}
        onChange={(event) => onChange({ environment: event.currentTarget.value })}
      />
      <Switch
        label={t('admin.challenge.getsFlag')}
        description={t('admin.challenge.getsFlagHelp')}
        checked={draft.getsFlag}
        disabled={busy}
        onChange={(event) => onChange({ getsFlag: event.currentTarget.checked })}
      />
    </section>
  )
}
