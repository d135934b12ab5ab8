import { Switch, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { sendTestMail } from '@vexil/contract/mails'
import { type ServiceSettings, updateMailServer } from '@vexil/contract/service-settings'
import { isEmail } from '@vexil/core/accounts'
import { accountLimits, mailServerLimits, pages } from '@vexil/core/limits'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { useSession } from '../../shell/session.ts'
import { ActionButton } from '../../ui/base/action-button.tsx'
import { QueryView } from '../../ui/base/states.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { FormSection, SwitchRow, Wide } from '../../ui/fields/form-section.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { useDraft } from '../../ui/fields/use-draft.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { failedMailsQuery, failedMailsStep, servicesQuery, useMailsChanged, useServicesChanged } from '../site-admin.queries.ts'
import { FailedMails } from './failed-mails.tsx'
import { FixedValues, SecretField, ServiceForm } from './service-form.tsx'

export function MailSection() {
  const { t } = useTranslation()
  const [count, setCount] = useState(failedMailsStep)
  const query = useQuery(failedMailsQuery(count))
  const more = count < pages.mails.max ? () => setCount(count + failedMailsStep) : undefined
  return (
    <FormSection id="mail" title={t('admin.mail.title')} help={t('admin.mail.help')}>
      <QueryView query={useQuery(servicesQuery)}>
        {({ mail }) => (mail.fixed ? <FixedMail mail={mail} /> : <MailForm mail={mail} />)}
      </QueryView>
      <Wide>
        <QueryView query={query}>
          {({ configured, data, total }) => (configured || total > 0) && <FailedMails mails={data} total={total} onMore={more} />}
        </QueryView>
      </Wide>
    </FormSection>
  )
}

type MailServer = ServiceSettings['mail']

function FixedMail({ mail }: { readonly mail: MailServer }) {
  const { t } = useTranslation()
  const { host, port, user, sender, senderName } = mail
  const rows = {
    [t('admin.mail.host')]: `${host}:${port}`,
    [t('admin.mail.user')]: user,
    [t('admin.mail.sender')]: sender,
    [t('admin.mail.senderName')]: senderName,
  }
  return (
    <>
      <FixedValues variable="VEXIL_MAIL_HOST" rows={rows} />
      <Wide>
        <TestMail />
      </Wide>
    </>
  )
}

const fieldsOf = ({ host, port, user, sender, senderName, ignoreCertificate }: MailServer) => ({
  host,
  port: port as number | string,
  user,
  password: '',
  sender,
  senderName,
  ignoreCertificate,
})

function MailForm({ mail }: { readonly mail: MailServer }) {
  const { t } = useTranslation()
  const refresh = useServicesChanged()
  const draft = useDraft(fieldsOf(mail))
  const { value, set } = draft
  const [shown, setShown] = useState(false)
  const host = value.host.trim()
  const wrong = {
    port: typeof value.port !== 'number' || value.port < 1 || value.port > 65_535,
    sender: host !== '' && !isEmail(value.sender.trim()),
  }
  const save = useAction({
    id: 'mail-server',
    done: t(host === '' ? 'admin.mail.turnedOff' : 'admin.mail.saved'),
    failed: t('admin.notSaved'),
    call: async () => {
      const { password, ...rest } = value
      const body = { ...rest, host, port: Number(value.port), user: value.user.trim(), sender: value.sender.trim() }
      await call(updateMailServer, { body: { ...body, ...(password !== '' && { password }) } })
      draft.accept({ ...value, password: '' })
      await refresh()
    },
  })
  const start = async () => {
    setShown(true)
    return wrong.port || wrong.sender ? false : save.start()
  }
  const text = (name: 'host' | 'user' | 'sender' | 'senderName', maxLength: number) => ({
    label: t(`admin.mail.${name}`),
    value: value[name],
    maxLength,
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value }),
  })
  return (
    <ServiceForm
      isChanged={draft.changed.length > 0}
      onDiscard={draft.discard}
      save={{ ...save, start }}
      label={t('admin.mail.save')}
      test={mail.host === '' ? <p className="dim">{t('admin.mail.off')}</p> : <TestMail />}
    >
      <TextInput {...text('host', mailServerLimits.hostMax)} placeholder="mail.example.org" />
      <NumberField
        label={t('admin.mail.port')}
        description={t('admin.mail.portHelp')}
        min={1}
        max={65_535}
        value={value.port}
        error={shown && wrong.port && t('admin.mail.portWrong')}
        onChange={(port) => set({ port })}
      />
      <TextInput {...text('user', mailServerLimits.userMax)} description={t('admin.mail.userHelp')} />
      <SecretField
        label={t('admin.mail.password')}
        isSet={mail.passwordSet}
        maxLength={mailServerLimits.passwordMax}
        value={value.password}
        onChange={(password) => set({ password })}
      />
      <TextInput
        {...text('sender', accountLimits.emailMax)}
        type="email"
        placeholder="ctf@example.org"
        error={shown && wrong.sender && t('admin.mail.addressWrong')}
      />
      <TextInput {...text('senderName', mailServerLimits.senderNameMax)} description={t('admin.mail.senderNameHelp')} />
      <SwitchRow label={t('admin.mail.ignoreCertificate')} help={t('admin.mail.ignoreCertificateHelp')}>
        <Switch
          aria-label={t('admin.mail.ignoreCertificate')}
          checked={value.ignoreCertificate}
          onChange={(event) => set({ ignoreCertificate: event.currentTarget.checked })}
        />
      </SwitchRow>
    </ServiceForm>
  )
}

function TestMail() {
  const { t } = useTranslation()
  const changed = useMailsChanged()
  const recipient = useSession().user?.email ?? ''
  const action = useAction({
    id: 'test-mail',
    working: t('admin.mail.testing'),
    done: t('admin.mail.tested', { recipient }),
    failed: t('admin.mail.notTested'),
    call: () => call(sendTestMail),
    onFail: () => {
      void changed()
      return false
    },
  })
  return (
    <ActionButton action={action} variant="default" onClick={() => void action.start()}>
      {t('admin.mail.test', { recipient })}
    </ActionButton>
  )
}
