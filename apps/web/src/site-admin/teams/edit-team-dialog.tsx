import { Textarea, TextInput } from '@mantine/core'
import { IconStarFilled } from '@tabler/icons-react'
import { adminUpdateTeam, type ListedTeam } from '@vexil/contract/teams'
import { teamLimits } from '@vexil/core/limits'
import { cleanTeamName } from '@vexil/core/names'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import { useConfirmClose } from '../../shell/unsaved.tsx'
import { Avatar } from '../../ui/base/avatar.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { FormFoot } from '../../ui/fields/form-foot.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useTeamsChanged } from '../people.queries.ts'
import { passes } from '../users/user-fields.ts'
import m from './teams.module.css'

interface Props {
  readonly team: ListedTeam
  readonly onClose: () => void
}

export function TeamDialog({ team, onClose }: Props) {
  const { t } = useTranslation()
  const refresh = useTeamsChanged()
  const [name, setName] = useState(team.name ?? '')
  const [bio, setBio] = useState(team.bio ?? '')
  const [wrong, setWrong] = useState<string>()
  const edit = { ...(name !== (team.name ?? '') && { name: name.trim() }), ...(bio !== (team.bio ?? '') && { bio: bio.trim() }) }
  const changed = Object.keys(edit).length > 0
  const save = useAction({
    id: `team-${team.id}`,
    call: async () => call(adminUpdateTeam, { params: { id: team.id }, body: edit }),
    done: t('admin.teams.saved', { name: name.trim() }),
    failed: t('admin.notSaved'),
    onDone: async () => {
      await refresh()
      onClose()
    },
    onFail: ({ code, title }) => {
      if (!code?.startsWith('team.name')) return false
      setWrong(title)
      return true
    },
  })
  const close = useConfirmClose(changed && !save.busy, onClose)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!passes(() => cleanTeamName(name))) return setWrong(t('admin.teams.nameRule', { max: teamLimits.nameMax }))
    void save.start()
  }
  return (
    <Dialog opened onClose={close} title={t('admin.teams.editOne', { name: team.name })}>
      <form className={m.form} onSubmit={submit} noValidate>
        <TextInput
          data-autofocus
          label={t('teams.name')}
          maxLength={teamLimits.nameMax}
          value={name}
          error={wrong}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setWrong(undefined)
          }}
        />
        <Textarea
          label={t('teams.bio')}
          description={`${bio.length} / ${teamLimits.bioMax}`}
          autosize
          minRows={2}
          maxLength={teamLimits.bioMax}
          value={bio}
          onChange={(event) => setBio(event.currentTarget.value)}
        />
        <section aria-label={t('admin.teams.column.members')}>
          <h3 className={m.title}>{t('admin.teams.column.members')}</h3>
          <ul className={m.list}>
            {(team.members ?? []).map((member) => (
              <li key={member.id}>
                <Avatar src={member.avatar} name={member.userName ?? ''} id={member.id ?? ''} size={24} />
                <span className="cut">{member.userName}</span>
                {member.captain && (
                  <span className="small wary">
                    <IconStarFilled size={14} aria-hidden />
                    {t('admin.teams.captainWord')}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </section>
        <FormFoot action={save} onCancel={onClose} disabled={!changed}>
          {t('ui.save')}
        </FormFoot>
      </form>
    </Dialog>
  )
}
