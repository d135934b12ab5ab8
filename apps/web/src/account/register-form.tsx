import { TextInput } from '@mantine/core'
import { register } from '@vexil/contract/accounts'
import { isEmail } from '@vexil/core/accounts'
import { accountLimits } from '@vexil/core/limits'
import { type FormEvent, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { call, type Refusal } from '../api/client.ts'
import { paths, safeFrom } from '../shell/paths.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { useTranslation } from '../ui/texts.tsx'
import { useAction } from '../ui/use-action.ts'
import { useEntered } from './account.queries.ts'
import { useCaptcha } from './captcha.tsx'
import c from './forms.module.css'
import { NewPassword, RetypedPassword } from './password-field.tsx'

/** The sent fields, so that the mail can be requested again. */
export interface Registration {
  readonly email: string
  readonly userName: string
  readonly password: string
}

/** The field that a refusal is about. */
function fieldOf(refusal: Refusal): 'email' | 'userName' | 'password' | undefined {
  const code = refusal.code ?? ''
  if (['account.domain_refused', 'account.exists'].includes(code) || code.startsWith('account.email')) return 'email'
  if (code.startsWith('account.name')) return 'userName'
  return code.startsWith('account.password') ? 'password' : undefined
}

type Wrong = Partial<Record<'email' | 'userName' | 'password' | 'again', string | undefined>>

export function RegisterForm({ onMailSent }: { readonly onMailSent: (registration: Registration) => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const from = query.get('from')
  const captcha = useCaptcha('register')
  const entered = useEntered()
  const [form, setForm] = useState({ email: '', userName: '', password: '', again: '' })
  const [wrong, setWrong] = useState<Wrong>({})
  const change = (part: Partial<typeof form>) => {
    setForm({ ...form, ...part })
    setWrong({})
  }

  const action = useAction({
    id: 'account',
    failed: t('account.notRegistered'),
    call: async (challenge: string | undefined) => {
      const { email, userName, password } = form
      return call(register, { body: { email: email.trim(), userName: userName.trim(), password, challenge } })
    },
    // That a mail was sent is what the page says next.
    done: ({ data }) => (data === 'EmailConfirmationRequired' ? undefined : t(`account.registered.${data}`)),
    onDone: async ({ data }) => {
      if (data === 'LoggedIn') {
        await entered()
        await navigate(safeFrom(from), { replace: true })
      } else if (data === 'EmailConfirmationRequired') onMailSent(form)
      else await navigate(paths.login(from ?? undefined))
    },
    onFail: (refusal) => {
      const field = fieldOf(refusal)
      if (field) setWrong({ [field]: refusal.title })
      return field !== undefined
    },
  })

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const { userNameMin, userNameMax, passwordMin } = accountLimits
    const name = form.userName.trim()
    const found: Wrong = {
      email: isEmail(form.email.trim()) ? undefined : t('account.emailInvalid'),
      userName:
        name.length < userNameMin || name.length > userNameMax
          ? t('account.nameRule', { min: userNameMin, max: userNameMax })
          : undefined,
      password: form.password.length < passwordMin ? t('account.passwordRule', { min: passwordMin }) : undefined,
      again: form.password === form.again ? undefined : t('account.differs'),
    }
    if (Object.values(found).some(Boolean)) return setWrong(found)
    await captcha.start(action)
  }

  return (
    <form onSubmit={submit} noValidate>
      <TextInput
        label={t('account.email')}
        type="email"
        autoComplete="email"
        value={form.email}
        readOnly={action.busy}
        error={wrong.email}
        onChange={(event) => change({ email: event.currentTarget.value })}
      />
      <TextInput
        label={t('account.userName')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={accountLimits.userNameMax}
        value={form.userName}
        readOnly={action.busy}
        error={wrong.userName}
        onChange={(event) => change({ userName: event.currentTarget.value })}
      />
      <NewPassword
        label={t('account.password')}
        value={form.password}
        readOnly={action.busy}
        error={wrong.password}
        onChange={(password) => change({ password })}
      />
      <RetypedPassword
        original={form.password}
        value={form.again}
        error={wrong.again}
        readOnly={action.busy}
        onChange={(again) => change({ again })}
      />
      {captcha.box}
      <ActionButton action={action} type="submit" size="lg">
        {t('account.register')}
      </ActionButton>
      <div className={c.links}>
        <Link className="link" to={paths.login(from ?? undefined)}>
          {t('account.haveAccount')}
        </Link>
      </div>
    </form>
  )
}
