import { TextInput } from '@mantine/core'
import { IconCircleCheck, IconMailOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { sendTestMail } from '@vexil/contract/mails'
import { isEmail } from '@vexil/core/accounts'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import { useSession } from '../../shell/session.ts'
import { ActionButton } from '../../ui/base/action-button.tsx'
import { QueryView } from '../../ui/base/states.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { FormSection, Wide } from '../../ui/fields/form-section.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { failedMailsQuery, failedMailsStep, useMailsChanged } from '../site-admin.queries.ts'
import { FailedMails } from './failed-mails.tsx'
import c from './mail.module.css'

const variables = ['VEXIL_MAIL_HOST', 'VEXIL_MAIL_SENDER', 'VEXIL_MAIL_USER', 'VEXIL_MAIL_PASSWORD'] as const

export function MailSection() {
  const { t } = useTranslation()
  const [count, setCount] = useState(failedMailsStep)
  const query = useQuery(failedMailsQuery(count))
  return (
    <FormSection id="mail" title={t('admin.mail.title')} help={t('admin.mail.help')}>
      <Wide>
        <QueryView query={query}>
          {({ configured, data, total }) => (
            <>
              {configured ? <Configured /> : <NotConfigured />}
              {(configured || total > 0) && (
                <FailedMails mails={data} total={total} onMore={() => setCount(count + failedMailsStep)} />
              )}
            </>
          )}
        </QueryView>
      </Wide>
    </FormSection>
  )
}

function NotConfigured() {
  const { t } = useTranslation()
  return (
    <div className={c.state}>
      <IconMailOff size={20} stroke={1.6} className={c.off} />
      <div>
        <p className={c.name}>{t('admin.mail.off')}</p>
        <p className="dim">{t('admin.mail.offText')}</p>
        <dl className={c.variables}>
          {variables.map((name) => (
            <div key={name}>
              <dt className="mono">{name}</dt>
              <dd>{t(`admin.mail.variables.${name}`)}</dd>
            </div>
          ))}
        </dl>
        <p className="dim">{t('admin.mail.offMore')}</p>
      </div>
    </div>
  )
}

function Configured() {
  const { t } = useTranslation()
  const changed = useMailsChanged()
  const own = useSession().user?.email ?? ''
  const [recipient, setRecipient] = useState(own)
  const [wrong, setWrong] = useState<string>()
  const action = useAction({
    id: 'test-mail',
    working: t('admin.mail.testing'),
    done: t('admin.mail.tested', { recipient }),
    failed: t('admin.mail.notTested'),
    call: async () => call(sendTestMail, { body: { recipient: recipient.trim() } }),
    onFail: (refusal) => {
      setWrong(refusal.title || undefined)
      void changed()
      return true
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isEmail(recipient.trim())) return setWrong(t('admin.mail.addressWrong'))
    setWrong(undefined)
    void action.start()
  }
  return (
    <>
      <div className={c.state}>
        <IconCircleCheck size={20} stroke={1.6} className={c.on} />
        <div>
          <p className={c.name}>{t('admin.mail.on')}</p>
          <p className="dim">{t('admin.mail.onText')}</p>
        </div>
      </div>
      <form className={c.test} onSubmit={submit} noValidate>
        <TextInput
          className={c.grow}
          label={t('admin.mail.testTo')}
          type="email"
          value={recipient}
          error={wrong}
          disabled={action.busy}
          onChange={(event) => {
            setRecipient(event.currentTarget.value)
            setWrong(undefined)
          }}
        />
        <ActionButton action={action} type="submit" variant="default">
          {t('admin.mail.test')}
        </ActionButton>
      </form>
    </>
  )
}
