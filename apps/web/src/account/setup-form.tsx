import { Checkbox, ColorInput, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { setup } from '@vexil/contract/site'
import { siteLimits } from '@vexil/core/limits'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { call } from '../api/client.ts'
import { paths } from '../shell/paths.ts'
import { siteQuery } from '../shell/site.ts'
import { ActionButton } from '../ui/base/action-button.tsx'
import { brandColour } from '../ui/base/colours.ts'
import { isColour } from '../ui/base/ramp.ts'
import { useAction } from '../ui/base/use-action.ts'
import { Trans, useTranslation } from '../ui/text/texts.tsx'
import { useEntered } from './account.queries.ts'
import { checkAccount, EmailField, emptyAccount, PasswordFields, UserNameField } from './account-fields.tsx'
import c from './forms.module.css'

/** Proposed by this form; the server's default, for clients that send no title, is another one. */
const proposedTitle = 'Vexil'

const empty = { ...emptyAccount, title: proposedTitle, slogan: '', colour: '', demo: true }
type Form = typeof empty
type Wrong = Partial<Record<keyof Form, string | undefined>>

export function SetupForm({ token }: { readonly token: string }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const entered = useEntered()
  const [form, setForm] = useState(empty)
  const [wrong, setWrong] = useState<Wrong>({})
  const change = (part: Partial<Form>) => {
    setForm({ ...form, ...part })
    setWrong({})
  }

  const action = useAction({
    id: 'setup',
    failed: t('setup.failed'),
    done: t('setup.done'),
    call: async () => {
      const { userName, email, password, title, slogan, colour, demo } = form
      // Empty fields stand for their placeholders.
      const named = { title: title.trim() || proposedTitle, slogan: slogan.trim() || t('shell.slogan') }
      const site = { ...named, customTheme: colour || null, demo }
      return call(setup, { body: { token, userName: userName.trim(), email: email.trim(), password, ...site } })
    },
    onDone: async () => {
      await queries.fetchQuery({ ...siteQuery, staleTime: 0 })
      await entered()
      await navigate(paths.home, { replace: true })
    },
  })

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found: Wrong = {
      ...checkAccount(form),
      colour: form.colour === '' || isColour(form.colour) ? undefined : t('shell.colourWrong'),
    }
    if (Object.values(found).some(Boolean)) return setWrong(found)
    void action.start()
  }

  const fields = { form, wrong, readOnly: action.busy, onChange: change }
  const element = useRef<HTMLFormElement>(null)
  useEffect(() => element.current?.querySelector('input')?.focus(), [])
  return (
    <form ref={element} onSubmit={submit} noValidate>
      <UserNameField label={t('setup.administrator')} {...fields} />
      <EmailField {...fields} />
      <PasswordFields {...fields} />
      <SiteFields form={form} wrong={wrong} readOnly={action.busy} onChange={change} />
      <Checkbox
        label={t('setup.demo')}
        description={t('setup.demoText')}
        checked={form.demo}
        disabled={action.busy}
        onChange={(event) => change({ demo: event.currentTarget.checked })}
      />
      <ActionButton action={action} type="submit" size="lg">
        {t('setup.finish')}
      </ActionButton>
    </form>
  )
}

interface SiteProps {
  readonly form: Form
  readonly wrong: Wrong
  readonly readOnly: boolean
  readonly onChange: (part: Partial<Form>) => void
}

function SiteFields({ form, wrong, readOnly, onChange }: SiteProps) {
  const { t } = useTranslation()
  const text = (name: 'title' | 'slogan') => ({
    value: form[name],
    error: wrong[name],
    readOnly: readOnly,
    onChange: (event: FormEvent<HTMLInputElement>) => onChange({ [name]: event.currentTarget.value }),
  })
  const shown = `${form.title.trim() || proposedTitle}::CTF`
  return (
    <>
      <TextInput
        label={t('setup.name')}
        maxLength={siteLimits.titleMax}
        placeholder={proposedTitle}
        description={<Trans i18nKey="setup.shownAs" components={{ name: <b className={c.strong}>{shown}</b> }} />}
        {...text('title')}
      />
      <div className={c.pair}>
        <TextInput
          label={t('setup.slogan')}
          maxLength={siteLimits.sloganMax}
          placeholder={t('shell.slogan')}
          {...text('slogan')}
        />
        <ColorInput
          label={t('setup.colour')}
          format="hex"
          fixOnBlur={false}
          eyeDropperButtonProps={{ 'aria-label': t('ui.pickColour') }}
          placeholder={brandColour}
          value={form.colour}
          error={wrong.colour}
          readOnly={readOnly}
          onChange={(colour) => onChange({ colour })}
        />
      </div>
    </>
  )
}
