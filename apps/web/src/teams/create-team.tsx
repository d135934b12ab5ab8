import { Button } from '@mantine/core'
import { createTeam, type TeamInfo } from '@vexil/contract/teams'
import { type FormEvent, useState } from 'react'
import { call } from '../api/client.ts'
import { useSession } from '../shell/session.ts'
import { FormFoot } from '../ui/fields/form-foot.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { TeamFields } from './team-fields.tsx'
import c from './teams.module.css'
import { captainOf } from './teams.queries.ts'
import { useEnterTeam } from './use-enter-team.ts'

/** A captain sees an explanation instead of the form: a player may own only one team. */
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
  const [texts, setTexts] = useState({ name: '', bio: '' })
  const { action, wrong, setWrong } = useEnterTeam({
    failed: t('teams.notCreated'),
    done: (team) => t('teams.created', { name: team.name ?? '' }),
    call: async () => call(createTeam, { body: { name: texts.name.trim(), bio: texts.bio.trim() } }),
    onDone,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (texts.name.trim() === '') return setWrong(t('teams.nameMissing'))
    void action.start()
  }
  return (
    <form className={c.form} onSubmit={submit} noValidate>
      <p className="dim">{t('teams.createText')}</p>
      <TeamFields fresh value={texts} wrong={wrong} busy={action.busy} onChange={setTexts} onRename={() => setWrong(undefined)} />
      <FormFoot action={action} onCancel={onDone}>
        {t('teams.createButton')}
      </FormFoot>
    </form>
  )
}
