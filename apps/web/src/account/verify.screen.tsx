import { verify } from '@vexil/contract/accounts'
import { useNavigate } from 'react-router'
import { call } from '../api/client.ts'
import { paths } from '../shell/paths.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { useEntered } from './account.queries.ts'
import { MailLinkPage } from './mail-link-page.tsx'

export default function VerifyScreen() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const entered = useEntered()
  return (
    <MailLinkPage
      kind="verify"
      send={(body) => call(verify, { body })}
      done={(email) => t('account.verified', { email })}
      // The call has signed the user in.
      onDone={async () => {
        await entered()
        await navigate(paths.home, { replace: true })
      }}
      renewal={{ label: t('account.register'), to: paths.register() }}
    />
  )
}
