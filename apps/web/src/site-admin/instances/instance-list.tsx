import { Button, Checkbox, Pagination, Select } from '@mantine/core'
import { IconSearch, IconServer } from '@tabler/icons-react'
import type { ContainerInstance } from '@vexil/contract/instances'
import { useRef, useState } from 'react'
import { useSite } from '../../shell/site.ts'
import { Empty } from '../../ui/base/states.tsx'
import { focusSearch, useSlash } from '../../ui/base/use-slash.ts'
import { useConfirm } from '../../ui/overlays/confirm.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useListAddress } from '../use-list-address.ts'
import { InstanceTable } from './instance-table.tsx'
import c from './instances.module.css'
import { choicesOf, filterInstances, instancePage } from './instances.ts'
import { useDestroyInstances } from './use-destroy-instances.ts'

const icon = <IconServer size={32} stroke={1.4} />

export function InstanceList({ instances }: { readonly instances: readonly ContainerInstance[] }) {
  const { t } = useTranslation()
  const { containers } = useSite()
  const { page, part, change, turn } = useListAddress()
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const destroy = useDestroyInstances()

  const filter = { team: part('team'), challenge: part('challenge') }
  const note = <p className={c.note}>{t('admin.instances.note')}</p>
  if (instances.length === 0 && filter.team === null && filter.challenge === null) {
    const text = t(containers === 'None' ? 'admin.instances.noEngine' : 'admin.instances.noneText')
    return <Empty icon={icon} title={t('admin.instances.none')} text={text} action={note} />
  }
  const kept = filterInstances(instances, filter)
  const pages = Math.max(1, Math.ceil(kept.length / instancePage))
  const at = Math.min(page, pages)
  const chosen = kept.filter(({ containerGuid }) => picked.has(containerGuid))
  return (
    <>
      <div className={c.tools}>
        <Filters instances={instances} filter={filter} onChange={change} />
        <span className={c.right}>
          <DestroyMany chosen={chosen} destroy={destroy} onDone={() => setPicked(new Set())} />
        </span>
      </div>
      {kept.length === 0 ? (
        <Empty
          icon={icon}
          title={t('admin.instances.notFound')}
          action={
            <Button
              variant="default"
              onClick={() => {
                change({ team: null, challenge: null })
                focusSearch()
              }}
            >
              {t('admin.clearSearch')}
            </Button>
          }
        />
      ) : (
        <InstanceTable
          instances={kept.slice((at - 1) * instancePage, at * instancePage)}
          proxied={containers === 'PlatformProxy'}
          picked={picked}
          onPick={setPicked}
          busy={destroy.busy || destroy.wait > 0}
          onDestroy={(one) => void destroy.start([one])}
        />
      )}
      <div className={c.foot}>
        <Checkbox
          label={t('admin.instances.pickAll', { count: kept.length })}
          disabled={kept.length === 0}
          checked={chosen.length > 0 && chosen.length === kept.length}
          indeterminate={chosen.length > 0 && chosen.length < kept.length}
          onChange={(event) =>
            setPicked(new Set(event.currentTarget.checked ? kept.map(({ containerGuid }) => containerGuid) : []))
          }
        />
        <span className="num" role="status">
          {t('admin.shownOf', { shown: kept.length, total: instances.length })}
        </span>
        {pages > 1 && <Pagination size="sm" total={pages} value={at} onChange={turn} />}
      </div>
      {note}
    </>
  )
}

type Filter = Parameters<typeof filterInstances>[1]
interface FiltersProps {
  readonly instances: readonly ContainerInstance[]
  readonly filter: Filter
  readonly onChange: (part: Partial<Filter>) => void
}

function Filters({ instances, filter, onChange }: FiltersProps) {
  const { t } = useTranslation()
  const names = useRef({ team: new Map<string, string>(), challenge: new Map<string, string>() })
  const field = useRef<HTMLInputElement>(null)
  useSlash(field)
  const challenges = instances.map(({ challenge }) => challenge && { id: challenge.id, name: challenge.title })
  const select = (name: 'team' | 'challenge', data: ReturnType<typeof choicesOf>) => (
    <Select
      ref={name === 'team' ? field : undefined}
      className={c.select}
      leftSection={<IconSearch size={18} stroke={1.6} />}
      aria-label={t(`admin.instances.find.${name}`)}
      placeholder={t(`admin.instances.find.${name}`)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('admin.clearSearch') }}
      nothingFoundMessage={t('admin.nothingFound')}
      data={data}
      value={filter[name]}
      onChange={(value) => onChange({ [name]: value })}
    />
  )
  return (
    <>
      {select(
        'team',
        choicesOf(
          instances.map(({ team }) => team),
          filter.team,
          names.current.team,
        ),
      )}
      {select('challenge', choicesOf(challenges, filter.challenge, names.current.challenge))}
    </>
  )
}

interface DestroyProps {
  readonly chosen: readonly ContainerInstance[]
  readonly destroy: ReturnType<typeof useDestroyInstances>
  readonly onDone: () => void
}

function DestroyMany({ chosen, destroy, onDone }: DestroyProps) {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const many = async () => {
    const yes = await confirm({
      title: t('admin.instances.destroyTitle', { count: chosen.length }),
      text: t('admin.instances.destroyText'),
      confirm: t('admin.instances.destroy'),
      harmful: true,
    })
    if (yes && (await destroy.start(chosen))) onDone()
  }
  return (
    <>
      {chosen.length > 0 && <span className="small num">{t('admin.instances.picked', { count: chosen.length })}</span>}
      <Button
        variant="default"
        color="bad"
        loading={destroy.busy}
        disabled={chosen.length === 0 || destroy.wait > 0}
        onClick={() => void many()}
      >
        {t('admin.instances.destroyPicked')}
      </Button>
    </>
  )
}
