import { mailChangeCancel } from '@vexil/contract/accounts'
import { useSearchParams } from 'react-router'
import { call } from '../api/client.ts'
import { paths } from '../shell/paths.ts'
import { useLeave } from '../shell/session.ts'
import { useAction } from '../ui/base/use-action.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { isRefusedLink, readMailLink } from './mail-link.ts'
import { MailLinkPage } from './mail-link-page.tsx'

/** Target of the link in the notice to the old address: reverts a change of the address, with or without a session. */
export default function CancelScreen() {
  const { t } = useTranslation()
  const leave = useLeave()
  const [query] = useSearchParams()
  const link = readMailLink(query)
  const action = useAction({
    id: 'account',
    done: t('account.cancelled'),
    failed: t('account.cancelFailed'),
    failedText: (refusal) => (isRefusedLink(refusal) ? t('account.linkUsed') : undefined),
    call: async () => call(mailChangeCancel, { body: { token: link?.token ?? '', email: link?.email ?? '' } }),
    // The call has ended all sessions. A stranger who made the change may know the password.
    onDone: async () => leave(paths.recovery),
  })
  return <MailLinkPage kind="cancel" link={link} action={action} />
}
