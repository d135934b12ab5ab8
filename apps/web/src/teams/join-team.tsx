import { Button, TextInput } from '@mantine/core'
import { acceptInvite } from '@vexil/contract/teams'
import { parseInviteCode } from '@vexil/core/accounts'
import { type FormEvent, useState } from 'react'
import { useSearchParams } from 'react-router'
import { call } from '../api/client.ts'
import { paths, withParts } from '../shell/paths.ts'
import { FormFoot } from '../ui/fields/form-foot.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './teams.module.css'
import { useEnterTeam } from './use-enter-team.ts'

/** A link with `?join=<code>` opens the dialog with the code filled in. */
export function JoinTeamButton() {
  const { t } = useTranslation()
  const [query, setQuery] = useSearchParams()
  const invited = query.get('join')
  const [opened, setOpened] = useState(false)
  const close = () => {
    setOpened(false)
    if (invited !== null) setQuery((old) => withParts(old, { join: null }), { replace: true })
  }
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        {t('teams.join')}
      </Button>
      <Dialog opened={opened || invited !== null} onClose={close} title={t('teams.join')}>
        <JoinTeamForm code={invited ?? ''} onDone={close} />
      </Dialog>
    </>
  )
}

/** The code of an invite link, or the unchanged text. */
function codeIn(text: string): string {
  if (!URL.canParse(text.trim())) return text
  const { pathname, searchParams } = new URL(text.trim())
  return (pathname === paths.teams && searchParams.get('join')) || text
}

function JoinTeamForm({ code: given, onDone }: { readonly code: string; readonly onDone: () => void }) {
  const { t } = useTranslation()
  const [code, setCode] = useState(given)
  const { action, wrong, setWrong } = useEnterTeam({
    failed: t('teams.notJoined'),
    done: t('teams.joined'),
    call: async () => call(acceptInvite, { body: code.trim() }),
    onDone,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (parseInviteCode(code.trim())) return void action.start()
    setWrong(t('teams.codeWrong'))
  }
  return (
    <form className={c.form} onSubmit={submit} noValidate>
      <TextInput
        data-autofocus
        label={t('teams.code')}
        description={t('teams.codeHelp')}
        placeholder="name:1:0123456789abcdef…"
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: 'mono' }}
        value={code}
        error={wrong}
        disabled={action.busy}
        onChange={(event) => {
          setCode(codeIn(event.currentTarget.value))
          setWrong(undefined)
        }}
      />
      <FormFoot action={action} onCancel={onDone}>
        {t('teams.joinButton')}
      </FormFoot>
    </form>
  )
}
