import { ActionIcon, Checkbox } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import type { ContainerInstance } from '@vexil/contract/instances'
import { Avatar } from '../../ui/base/avatar.tsx'
import { CopyText } from '../../ui/base/copy.tsx'
import table from '../../ui/base/table.module.css'
import { CategorySign } from '../../ui/game/category-sign.tsx'
import { tunnelUrl } from '../../ui/game/entry-links.ts'
import { ConfirmPopover } from '../../ui/overlays/confirm-popover.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { Countdown } from '../../ui/time/countdown.tsx'
import { When } from '../../ui/time/when.tsx'
import c from './instances.module.css'

interface Props {
  readonly instances: readonly ContainerInstance[]
  /** Containers are reached through the platform's proxy. */
  readonly proxied: boolean
  readonly picked: ReadonlySet<string>
  readonly onPick: (picked: ReadonlySet<string>) => void
  readonly busy: boolean
  readonly onDestroy: (instance: ContainerInstance) => void
}

export function InstanceTable({ instances, picked, onPick, ...rest }: Props) {
  const { t } = useTranslation()
  return (
    <table className={`${table.table} ${table.cards} ${c.table}`}>
      <thead>
        <tr>
          <th scope="col" className={c.pick}>
            <span className="unseen">{t('admin.instances.destroyPicked')}</span>
          </th>
          {(['team', 'challenge', 'time', 'container', 'entry'] as const).map((column) => (
            <th key={column} scope="col" className={c[column]}>
              {t(`admin.instances.column.${column}`)}
            </th>
          ))}
          <th scope="col" className={c.end}>
            <span className="unseen">{t('admin.instances.destroy')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {instances.map((one) => (
          <Row
            key={one.containerGuid}
            instance={one}
            picked={picked.has(one.containerGuid)}
            onPick={(on) => {
              const next = new Set(picked)
              if (on) next.add(one.containerGuid)
              else next.delete(one.containerGuid)
              onPick(next)
            }}
            {...rest}
          />
        ))}
      </tbody>
    </table>
  )
}

interface RowProps extends Pick<Props, 'proxied' | 'busy' | 'onDestroy'> {
  readonly instance: ContainerInstance
  readonly picked: boolean
  readonly onPick: (on: boolean) => void
}

function Row({ instance, proxied, picked, onPick, busy, onDestroy }: RowProps) {
  const { t } = useTranslation()
  const { team, challenge, containerGuid, containerId, ip, port } = instance
  const names = { team: team?.name ?? '?', challenge: challenge?.title ?? '?' }
  const entry = `${ip}:${port}`
  const shown = containerId.slice(0, 12) || containerGuid.slice(0, 8)
  return (
    <tr data-picked={picked || undefined}>
      <td className={c.pick}>
        <Checkbox
          aria-label={t('admin.instances.pick', names)}
          checked={picked}
          onChange={(event) => onPick(event.currentTarget.checked)}
        />
      </td>
      <td>
        <span className={c.named}>
          {team && <Avatar src={team.avatar} name={team.name} id={team.id} size={24} />}
          <span className={`${c.name} cut`}>{names.team}</span>
        </span>
      </td>
      <td>
        <span className={c.named}>
          {challenge && <CategorySign category={challenge.category} size={18} />}
          <span className="cut" title={instance.image}>
            {names.challenge}
          </span>
        </span>
      </td>
      <td className="small">
        <When at={instance.startedAt} style="clock" /> → <When at={instance.expectStopAt} style="clock" />
        <span className={c.left}>
          <Countdown to={instance.expectStopAt} />
        </span>
      </td>
      <td className="small">
        <span className={c.label}>{t('admin.instances.column.container')}</span>
        <CopyText
          text={proxied ? tunnelUrl(containerGuid) : containerId}
          // The accessible name contains the visible text.
          label={`${t(proxied ? 'admin.instances.copyTunnel' : 'admin.instances.copyId')} ${shown}`}
        >
          {shown}
        </CopyText>
      </td>
      <td className="small">
        <span className={c.label}>{t('admin.instances.column.entry')}</span>
        <CopyText text={entry} label={t('admin.instances.copyEntry')}>
          {entry}
        </CopyText>
        {instance.readiness !== 'ready' && (
          <span className={instance.readiness === 'late' ? `${c.state} ${c.bad}` : c.state}>
            {t(`admin.instances.${instance.readiness}`)}
          </span>
        )}
      </td>
      <td className={c.end}>
        <ConfirmPopover
          title={t('admin.instances.destroyOne', names)}
          text={t('admin.instances.destroyText')}
          confirm={t('admin.instances.destroy')}
          harmful
          onConfirm={() => onDestroy(instance)}
        >
          {(open) => (
            <ActionIcon aria-label={t('admin.instances.destroyOf', names)} disabled={busy} onClick={open}>
              <IconTrash size={18} stroke={1.6} />
            </ActionIcon>
          )}
        </ConfirmPopover>
      </td>
    </tr>
  )
}
