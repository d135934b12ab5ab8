import { UnstyledButton } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { changeAvatar, type ProfileUserInfo } from '@vexil/contract/accounts'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { Avatar } from '../ui/base/avatar.tsx'
import { ImageDialog } from '../ui/overlays/image-dialog.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './profile.module.css'

export function ProfileAvatar({ profile }: { readonly profile: ProfileUserInfo }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const [opened, setOpened] = useState(false)
  const picture = <Avatar src={profile.avatar} name={profile.userName ?? ''} id={profile.userId ?? 0} size={112} />
  return (
    <>
      <UnstyledButton className={c.avatar} aria-label={t('account.changeAvatar')} onClick={() => setOpened(true)}>
        {picture}
        <span className={c.change}>
          <IconPencil size={14} stroke={1.8} />
          {t('ui.change')}
        </span>
      </UnstyledButton>
      <ImageDialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={t('account.changeAvatar')}
        current={picture}
        upload={(files) => call(changeAvatar, { files })}
        onDone={() => queries.invalidateQueries({ queryKey: keys.profile })}
        done={t('account.avatarChanged')}
      />
    </>
  )
}
