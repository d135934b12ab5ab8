import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconBan, IconCircleCheck, IconCircleDashed, IconCircleX, IconClock, IconDots } from '@tabler/icons-react'
import { type ParticipationStatus, participationStatuses } from '@vexil/core/vocabulary'
import { useConfirm } from '../overlays/confirm.tsx'
import { ConfirmPopover } from '../overlays/confirm-popover.tsx'
import { useTranslation } from '../text/organiser-texts.ts'
import c from './participation-status.module.css'

const icons = {
  Pending: IconClock,
  Accepted: IconCircleCheck,
  Rejected: IconCircleX,
  Suspended: IconBan,
  Unsubmitted: IconCircleDashed,
}

export function StatusWord({ status }: { readonly status: ParticipationStatus }) {
  const { t } = useTranslation()
  const Icon = icons[status]
  return (
    <span className={`${c.status} ${c[status]}`}>
      <Icon size={16} stroke={1.8} />
      {t(`admin.status.${status}`)}
    </span>
  )
}

/** The usual next step, when it is not destructive; the menu has the others. */
const nextSteps: Readonly<Record<ParticipationStatus, readonly ParticipationStatus[]>> = {
  Pending: ['Accepted'],
  Accepted: [],
  Suspended: ['Accepted'],
  Rejected: ['Accepted'],
  Unsubmitted: ['Accepted'],
}

const harmful = (status: ParticipationStatus) => status === 'Suspended' || status === 'Rejected'

interface Props {
  readonly status: ParticipationStatus
  readonly team: string
  readonly busy?: boolean
  readonly onSet: (status: ParticipationStatus) => void
}

/** Each step asks for confirmation: the button in a pop-over, the menu in a dialog. */
export function StatusActions({ status, team, busy, onSet }: Props) {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const question = (to: ParticipationStatus) => ({
    title: t(`admin.setTitle.${to}`, { team }),
    text: t(`admin.setText.${to}`),
    confirm: t(`admin.set.${to}`),
    harmful: harmful(to),
  })
  const others = participationStatuses.filter((one) => one !== status && !nextSteps[status].includes(one))
  return (
    <span className={c.actions}>
      {nextSteps[status].map((to) => (
        <ConfirmPopover key={to} {...question(to)} onConfirm={() => onSet(to)}>
          {(open) => (
            <Button size="sm" variant="default" disabled={busy} onClick={open}>
              {t(`admin.set.${to}`)}
            </Button>
          )}
        </ConfirmPopover>
      ))}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon size="sm" aria-label={t('admin.moreFor', { name: team })} disabled={busy}>
            <IconDots size={18} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {others.map((to) => (
            <Menu.Item
              key={to}
              data-harmful={harmful(to) || undefined}
              onClick={() => void confirm(question(to)).then((yes) => yes && onSet(to))}
            >
              {t(`admin.set.${to}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </span>
  )
}
