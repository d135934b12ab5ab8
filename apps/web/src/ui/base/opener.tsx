import { IconChevronRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Avatar } from './avatar.tsx'
import c from './opener.module.css'

interface Props {
  readonly team: { readonly id: number; readonly name: string; readonly avatar: string | null }
  readonly sub?: ReactNode
  readonly opened: boolean
  readonly controls: string
  readonly onToggle: () => void
}

export function Opener({ team: { id, name, avatar }, sub, opened, controls, onToggle }: Props) {
  return (
    <button type="button" className={c.opener} aria-expanded={opened} aria-controls={controls} onClick={onToggle}>
      <IconChevronRight size={18} stroke={1.6} />
      <Avatar src={avatar} name={name} id={id} size={36} />
      <span className={c.words}>
        <span className={`${c.name} cut`}>{name}</span>
        {sub && <span className={`${c.sub} cut`}>{sub}</span>}
      </span>
    </button>
  )
}
