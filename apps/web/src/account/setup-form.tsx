import { Checkbox, ColorInput, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { setup } from '@vexil/contract/site'
import { isEmail } from '@vexil/core/accounts'
import { accountLimits, defaultSiteTitle, siteLimits } from '@vexil/core/limits'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { call } from '../api/client.ts'
import { paths } from '../shell/paths.ts'
import { siteQuery } from '../shell/site.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { brandColour } from '../ui/colours.ts'
import { isColour } from '../ui/ramp.ts'
import { Trans, useTranslation } from '../ui/texts.tsx'
import { useAction } from '../ui/use-action.ts'
import { useEntered } from './account.queries.ts'
import c from './forms.module.css'
import { NewPassword, RetypedPassword } from './password-field.tsx'

const empty = { userName: '', email: '', password: '', again: '', title: '', slogan: '', colour: '', demo: true }
type Form = typeof empty
type Wrong = Partial<Record<keyof Form, string>>

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
      // What the empty fields show is what they mean.
      const named = { title: title.trim() || defaultSiteTitle, slogan: slogan.trim() || t('shell.slogan') }
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
    const { userNameMin: min, userNameMax: max, passwordMin } = accountLimits
    const name = form.userName.trim()
    const found: Wrong = {
      userName: name.length < min || name.length > max ? t('account.nameRule', { min, max }) : undefined,
      email: isEmail(form.email.trim()) ? undefined : t('account.emailInvalid'),
      password: form.password.length < passwordMin ? t('account.passwordRule', { min: passwordMin }) : undefined,
      again: form.again === form.password ? undefined : t('account.differs'),
      colour: form.colour === '' || isColour(form.colour) ? undefined : t('shell.colourWrong'),
    }
    if (Object.values(found).some(Boolean)) return setWrong(found)
    void action.start()
  }

  const text = (name: 'userName' | 'email' | 'title' | 'slogan') => ({
    value: form[name],
    error: wrong[name],
    readOnly: action.busy,
    onChange: (event: FormEvent<HTMLInputElement>) => change({ [name]: event.currentTarget.value }),
  })
  const shown = `${form.title.trim() || defaultSiteTitle}::CTF`
  return (
    <form onSubmit={submit} noValidate>
      <div className={c.pair}>
        <TextInput
          label={t('setup.administrator')}
          autoComplete="username"
          maxLength={accountLimits.userNameMax}
          {...text('userName')}
        />
        <TextInput label={t('account.email')} type="email" autoComplete="email" {...text('email')} />
      </div>
      <NewPassword
        label={t('account.password')}
        value={form.password}
        error={wrong.password}
        readOnly={action.busy}
        onChange={(password) => change({ password })}
      />
      <RetypedPassword
        original={form.password}
        value={form.again}
        error={wrong.again}
        readOnly={action.busy}
        onChange={(again) => change({ again })}
      />
      <TextInput
        label={t('setup.name')}
        maxLength={siteLimits.titleMax}
        placeholder={defaultSiteTitle}
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
          readOnly={action.busy}
          onChange={(colour) => change({ colour })}
        />
      </div>
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
