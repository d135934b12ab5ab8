import { Button, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ProfileUserInfo, updateProfile } from '@vexil/contract/accounts'
import { cleanPhone } from '@vexil/core/accounts'
import { accountLimits } from '@vexil/core/limits'
import { type FormEvent, useState } from 'react'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { LetterSwitch } from '../shell/letter-switch.tsx'
import { useUnsavedWarning } from '../shell/unsaved.tsx'
import { ActionButton } from '../ui/base/action-button.tsx'
import { useKeys } from '../ui/base/keyboard.ts'
import { useAction } from '../ui/base/use-action.ts'
import { type Draft, useDraft } from '../ui/fields/use-draft.ts'
import { t, useTranslation } from '../ui/text/texts.tsx'
import { EmailDialog } from './email-dialog.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import c from './profile.module.css'
import { ProfileAvatar } from './profile-avatar.tsx'

const fieldsOf = (profile: ProfileUserInfo) => ({
  userName: profile.userName ?? '',
  phone: profile.phone ?? '',
  stdNumber: profile.stdNumber ?? '',
  realName: profile.realName ?? '',
  bio: profile.bio ?? '',
})
type Fields = ReturnType<typeof fieldsOf>

function isPhone(text: string): boolean {
  try {
    cleanPhone(text)
    return true
  } catch {
    return false
  }
}

function wrongIn(form: Fields): Partial<Fields> {
  const { userNameMin: min, userNameMax: max } = accountLimits
  const name = form.userName.trim()
  const found: Partial<Fields> = {}
  if (name.length < min || name.length > max) found.userName = t('account.nameRule', { min, max })
  if (!isPhone(form.phone)) found.phone = t('account.phoneInvalid')
  return found
}

export function ProfileForm({ profile }: { readonly profile: ProfileUserInfo }) {
  const { t } = useTranslation()
  const draft = useDraft(fieldsOf(profile))
  const form = draft.value
  const [wrong, setWrong] = useState<Partial<Fields>>({})
  const [dialog, setDialog] = useState<'email' | 'password'>()
  const changed = draft.changed.length > 0

  const action = useSaveProfile(draft, setWrong)
  useUnsavedWarning(changed && !action.busy)

  const submit = () => {
    const found = wrongIn(form)
    setWrong(found)
    if (changed && Object.keys(found).length === 0) void action.start()
  }
  useKeys([{ key: 'mod+s', name: t('ui.save'), act: submit }], true)

  const field = (name: keyof Fields, maxLength: number) => ({
    label: t(`account.${name}`),
    value: form[name],
    error: wrong[name],
    readOnly: action.busy,
    maxLength,
    onChange: (event: FormEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      draft.set({ [name]: event.currentTarget.value })
      setWrong({})
    },
  })
  return (
    <>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <div className={c.who}>
          <ProfileAvatar profile={profile} />
          <div className={c.grid}>
            <TextInput autoComplete="username" {...field('userName', accountLimits.userNameMax)} />
            <TextInput label={t('account.email')} value={profile.email ?? ''} readOnly />
          </div>
        </div>
        <div className={c.grid}>
          <TextInput autoComplete="name" {...field('realName', accountLimits.realNameMax)} />
          <TextInput {...field('stdNumber', accountLimits.studentNumberMax)} />
          <TextInput type="tel" autoComplete="tel" {...field('phone', accountLimits.phoneMax)} />
          <Textarea
            className={c.wide}
            autosize
            minRows={2}
            placeholder={t('account.bioEmpty')}
            description={`${form.bio.length} / ${accountLimits.bioMax}`}
            {...field('bio', accountLimits.bioMax)}
          />
        </div>
        <LetterSwitch />
        <div className={c.buttons}>
          <div className={c.left}>
            <Button variant="default" onClick={() => setDialog('email')}>
              {t('account.changeEmail')}
            </Button>
            <Button variant="default" onClick={() => setDialog('password')}>
              {t('account.changePassword')}
            </Button>
          </div>
          <ActionButton action={action} type="submit" disabled={!changed}>
            {t('ui.save')}
          </ActionButton>
        </div>
      </form>
      <EmailDialog opened={dialog === 'email'} onClose={() => setDialog(undefined)} />
      <PasswordDialog opened={dialog === 'password'} onClose={() => setDialog(undefined)} />
    </>
  )
}

function useSaveProfile({ value, changed, accept }: Draft<Fields>, setWrong: (wrong: Partial<Fields>) => void) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  return useAction({
    id: 'profile',
    done: t('account.profileSaved'),
    failed: t('account.profileNotSaved'),
    call: async () => {
      const stored = { ...value, userName: value.userName.trim(), phone: cleanPhone(value.phone) ?? '' }
      // Only the changed fields: an administrator may have changed the others.
      await call(updateProfile, { body: Object.fromEntries(changed.map((name) => [name, stored[name]])) })
      return stored
    },
    onDone: async (stored) => {
      accept(stored)
      await queries.invalidateQueries({ queryKey: keys.profile })
    },
    onFail: (refusal) => {
      const field = refusal.code?.startsWith('account.name')
        ? 'userName'
        : refusal.code === 'account.phone_invalid'
          ? 'phone'
          : undefined
      if (field) setWrong({ [field]: refusal.title })
      return field !== undefined
    },
  })
}
