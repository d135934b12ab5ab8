import { Button, Textarea, TextInput } from '@mantine/core'
import { createTeam, type TeamInfo } from '@vexil/contract/teams'
import { teamLimits } from '@vexil/core/limits'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../api/client.ts'
import { useSession } from '../shell/session.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useAction } from '../ui/use-action.ts'
import c from './teams.module.css'
import { captainOf, useTeamsChanged } from './teams.queries.ts'

/** A captain sees the refusal instead of the form: each player may own only one team (TEAM-3). */
export function CreateTeamButton({ teams }: { readonly teams: readonly TeamInfo[] }) {
  const { t } = useTranslation()
  const { user } = useSession()
  const [opened, setOpened] = useState(false)
  const owned = teams.find((team) => captainOf(team)?.id === user?.userId)
  return (
    <>
      <Button onClick={() => setOpened(true)}>{t('teams.create')}</Button>
      <Dialog opened={opened} onClose={() => setOpened(false)} title={t('teams.create')}>
        {owned ? (
          <>
            <p className="dim">{t('teams.onlyOne', { name: owned.name ?? '' })}</p>
            <div className={c.buttons} style={{ marginTop: 24 }}>
              <span />
              <Button variant="default" data-autofocus onClick={() => setOpened(false)}>
                {t('ui.close')}
              </Button>
            </div>
          </>
        ) : (
          <CreateTeamForm onDone={() => setOpened(false)} />
        )}
      </Dialog>
    </>
  )
}

function CreateTeamForm({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation()
  const changed = useTeamsChanged()
  const [name, setName] = useState('')
  const [bio, setBio] = useState('')
  const [wrong, setWrong] = useState<string>()
  const action = useAction({
    id: 'team',
    failed: t('teams.notCreated'),
    done: (team) => t('teams.created', { name: team.name ?? '' }),
    call: async () => call(createTeam, { body: { name: name.trim(), bio: bio.trim() } }),
    onDone: async () => {
      await changed()
      onDone()
    },
    onFail: (refusal) => {
      setWrong(refusal.title || t('ui.unknownError'))
      return true
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return setWrong(t('teams.nameMissing'))
    void action.start()
  }
  return (
    <form className={c.form} onSubmit={submit} noValidate>
      <p className="dim">{t('teams.createText')}</p>
      <TextInput
        data-autofocus
        label={t('teams.name')}
        autoComplete="off"
        maxLength={teamLimits.nameMax}
        value={name}
        error={wrong}
        disabled={action.busy}
        onChange={(event) => {
          setName(event.currentTarget.value)
          setWrong(undefined)
        }}
      />
      <Textarea
        label={t('teams.bio')}
        autosize
        minRows={2}
        maxLength={teamLimits.bioMax}
        description={`${bio.length} / ${teamLimits.bioMax}`}
        value={bio}
        disabled={action.busy}
        onChange={(event) => setBio(event.currentTarget.value)}
      />
      <div className={c.buttons}>
        <span />
        <ActionButton action={action} type="submit">
          {t('teams.createButton')}
        </ActionButton>
      </div>
    </form>
  )
}
