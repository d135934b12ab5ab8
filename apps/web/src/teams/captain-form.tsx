import { UnstyledButton } from '@mantine/core'
import { disbandTeam, type TeamInfo, teamAvatar, updateTeam } from '@vexil/contract/teams'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../api/client.ts'
import { ActionButton } from '../ui/base/action-button.tsx'
import { Avatar } from '../ui/base/avatar.tsx'
import { useAction } from '../ui/base/use-action.ts'
import { useDraft } from '../ui/fields/use-draft.ts'
import { ImageDialog } from '../ui/overlays/image-dialog.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { EndButton } from './end-button.tsx'
import { TeamFields } from './team-fields.tsx'
import c from './teams.module.css'
import { useTeamsChanged } from './teams.queries.ts'

interface Props {
  readonly team: TeamInfo
  readonly onClose: () => void
  readonly children: ReactNode
}

export function CaptainForm({ team, onClose, children }: Props) {
  const { t } = useTranslation()
  const changed = useTeamsChanged()
  const draft = useDraft({ name: team.name ?? '', bio: team.bio ?? '' })
  const [wrong, setWrong] = useState<string>()
  const [picture, setPicture] = useState(false)

  const save = useAction({
    id: 'team',
    done: t('teams.saved'),
    failed: t('teams.notSaved'),
    call: async () => {
      const stored = { name: draft.value.name.trim(), bio: draft.value.bio.trim() }
      const [name, bio] = [draft.changed.includes('name'), draft.changed.includes('bio')]
      // An administrator may have changed the other one. The call keeps a name that it does not get, but not a description.
      const body = { ...(name && { name: stored.name }), bio: bio ? stored.bio : (team.bio ?? '') }
      await call(updateTeam, { params: { id: team.id }, body })
      return stored
    },
    onDone: async (stored) => {
      draft.accept(stored)
      await changed()
    },
    onFail: (refusal) => {
      // Other refusals, for instance of a locked team, are not about the name.
      if (refusal.code === 'team.name_invalid' || refusal.code === 'team.renamed_too_soon') setWrong(refusal.title)
      return refusal.code === 'team.name_invalid'
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (draft.value.name.trim() === '') return setWrong(t('teams.nameMissing'))
    if (draft.changed.length > 0) void save.start()
  }
  const avatar = <Avatar src={team.avatar} name={team.name ?? ''} id={team.id} size={112} />
  return (
    <form className={c.form} onSubmit={submit} noValidate>
      <div className={c.top}>
        <UnstyledButton className={c.avatar} onClick={() => setPicture(true)}>
          {avatar}
          <span className={`${c.change} link`}>{t('teams.changeAvatar')}</span>
        </UnstyledButton>
        <div className={c.form}>
          <TeamFields
            value={draft.value}
            wrong={wrong}
            busy={save.busy}
            onChange={draft.set}
            onRename={() => setWrong(undefined)}
          />
        </div>
      </div>
      {children}
      <div className={c.buttons}>
        <EndButton kind="disband" team={team} onDone={onClose} end={() => call(disbandTeam, { params: { id: team.id } })} />
        <ActionButton action={save} type="submit" disabled={draft.changed.length === 0}>
          {t('ui.save')}
        </ActionButton>
      </div>
      <ImageDialog
        opened={picture}
        onClose={() => setPicture(false)}
        title={t('teams.changeAvatar')}
        current={avatar}
        upload={(files) => call(teamAvatar, { params: { id: team.id }, files })}
        onDone={changed}
        done={t('teams.avatarChanged')}
      />
    </form>
  )
}
