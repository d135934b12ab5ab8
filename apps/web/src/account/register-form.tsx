import { register } from '@vexil/contract/accounts'
import { type FormEvent, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { call, type Refusal } from '../api/client.ts'
import { paths, safeFrom } from '../shell/paths.ts'
import { ActionButton } from '../ui/base/action-button.tsx'
import { useAction } from '../ui/base/use-action.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { useEntered } from './account.queries.ts'
import {
  type AccountForm,
  checkAccount,
  EmailField,
  emptyAccount,
  PasswordFields,
  UserNameField,
  type WrongAccount,
} from './account-fields.tsx'
import { useCaptcha } from './captcha.tsx'
import c from './forms.module.css'

export interface Registration {
  readonly email: string
  readonly userName: string
  readonly password: string
}

function fieldOf(refusal: Refusal): 'email' | 'userName' | 'password' | undefined {
  const code = refusal.code ?? ''
  if (['account.domain_refused', 'account.exists'].includes(code) || code.startsWith('account.email')) return 'email'
  if (code.startsWith('account.name')) return 'userName'
  return code.startsWith('account.password') ? 'password' : undefined
}

export function RegisterForm({ onMailSent }: { readonly onMailSent: (registration: Registration) => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const from = query.get('from')
  const captcha = useCaptcha('register')
  const entered = useEntered()
  const [form, setForm] = useState(emptyAccount)
  const [wrong, setWrong] = useState<WrongAccount>({})
  const change = (part: Partial<AccountForm>) => {
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
    // The page shows that a mail was sent.
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
    const found = checkAccount(form)
    if (Object.values(found).some(Boolean)) return setWrong(found)
    await captcha.start(action)
  }

  const fields = { form, wrong, readOnly: action.busy, onChange: change }
  return (
    <form onSubmit={submit} noValidate>
      <EmailField {...fields} />
      <UserNameField label={t('account.userName')} {...fields} />
      <PasswordFields {...fields} />
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
