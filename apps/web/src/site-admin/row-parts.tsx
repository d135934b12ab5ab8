import { ActionIcon } from '@mantine/core'
import { type Icon, IconPencil } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Avatar } from '../ui/base/avatar.tsx'
import type { Question } from '../ui/overlays/confirm.tsx'
import { ConfirmPopover } from '../ui/overlays/confirm-popover.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import c from './list.module.css'

interface NamedProps {
  readonly avatar: string | null | undefined
  readonly name: string
  readonly id: string | number
  readonly children: ReactNode
}

export function Named({ avatar, name, id, children }: NamedProps) {
  return (
    <span className={c.named}>
      <Avatar src={avatar} name={name} id={id} size={24} />
      <span className={c.words}>{children}</span>
    </span>
  )
}

export function EditButton({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  const { t } = useTranslation()
  return (
    <Tooltip label={t('ui.edit')}>
      <ActionIcon aria-label={label} onClick={onClick}>
        <IconPencil size={18} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  )
}

interface ConfirmButtonProps extends Question {
  readonly label: string
  readonly Icon: Icon
  readonly onConfirm: () => void
}

export function ConfirmButton({ label, Icon, ...question }: ConfirmButtonProps) {
  return (
    <ConfirmPopover {...question}>
      {(open) => (
        <ActionIcon aria-label={label} onClick={open}>
          <Icon size={18} stroke={1.6} />
        </ActionIcon>
      )}
    </ConfirmPopover>
  )
}
