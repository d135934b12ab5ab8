import { verify } from '@vexil/contract/accounts'
import { useNavigate, useSearchParams } from 'react-router'
import { call } from '../api/client.ts'
import { paths } from '../shell/paths.ts'
import { useAction } from '../ui/base/use-action.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { useEntered } from './account.queries.ts'
import { isRefusedLink, readMailLink } from './mail-link.ts'
import { MailLinkPage } from './mail-link-page.tsx'

export default function VerifyScreen() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const entered = useEntered()
  const [query] = useSearchParams()
  const link = readMailLink(query)
  const action = useAction({
    id: 'account',
    done: t('account.verified', { email: link?.address }),
    failed: t('account.verifyFailed'),
    failedText: (refusal) => (isRefusedLink(refusal) ? t('account.linkUsed') : undefined),
    call: async () => call(verify, { body: { token: link?.token ?? '', email: link?.email ?? '' } }),
    // The call has signed the user in.
    onDone: async () => {
      await entered()
      await navigate(paths.home, { replace: true })
    },
  })
  return <MailLinkPage kind="verify" link={link} action={action} />
}
