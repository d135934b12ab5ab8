import { mailChangeCancel } from '@vexil/contract/accounts'
import { call } from '../api/client.ts'
import { paths } from '../shell/paths.ts'
import { useLeave } from '../shell/session.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { MailLinkPage } from './mail-link-page.tsx'

/** Target of the link in the notice to the old address: reverts a change of the address, with or without a session. */
export default function CancelScreen() {
  const { t } = useTranslation()
  const leave = useLeave()
  return (
    <MailLinkPage
      kind="cancel"
      send={(body) => call(mailChangeCancel, { body })}
      done={() => t('account.cancelled')}
      // The call has ended all sessions. A stranger who made the change may know the password.
      onDone={() => leave(paths.recovery)}
      renewal={{ label: t('account.recovery'), to: paths.recovery }}
    />
  )
}
