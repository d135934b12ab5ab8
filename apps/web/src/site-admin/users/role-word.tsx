import { IconBan, IconEye, IconShieldHalf, IconUser } from '@tabler/icons-react'
import type { Role } from '@vexil/core/vocabulary'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from '../list.module.css'

const looks = {
  Admin: { Icon: IconShieldHalf, colour: 'var(--accent-text)' },
  Monitor: { Icon: IconEye, colour: 'var(--warn)' },
  User: { Icon: IconUser, colour: 'var(--ok)' },
  Banned: { Icon: IconBan, colour: 'var(--bad)' },
}

export function RoleWord({ role }: { readonly role: Role }) {
  const { t } = useTranslation()
  const { Icon, colour } = looks[role]
  return (
    <span className={c.word} style={{ color: colour }}>
      <Icon size={14} stroke={1.8} />
      {t(`admin.users.roles.${role}`)}
    </span>
  )
}
