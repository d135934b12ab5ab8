import { mailChangeConfirm } from '@vexil/contract/accounts'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { call } from '../api/client.ts'
import { paths } from '../shell/paths.ts'
import { useSession } from '../shell/session.ts'
import { useAction } from '../ui/base/use-action.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { useEntered } from './account.queries.ts'
import { isRefusedLink, readMailLink } from './mail-link.ts'
import { MailLinkPage } from './mail-link-page.tsx'

export default function ConfirmScreen() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const entered = useEntered()
  const session = useSession()
  const { pathname, search } = useLocation()
  const [query] = useSearchParams()
  const link = readMailLink(query)
  const action = useAction({
    id: 'account',
    done: t('account.emailChanged'),
    failed: t('account.confirmFailed'),
    failedText: (refusal) => (isRefusedLink(refusal) ? t('account.linkUsed') : undefined),
    call: async () => call(mailChangeConfirm, { body: { token: link?.token ?? '', email: link?.email ?? '' } }),
    onDone: async () => {
      await entered()
      await navigate(paths.home, { replace: true })
    },
  })
  // The address belongs to an account, so its owner must be signed in.
  const instead =
    session.state === 'visitor'
      ? { label: t('account.signInFirst'), act: () => void navigate(paths.login(`${pathname}${search}`)) }
      : undefined
  return <MailLinkPage kind="confirm" link={link} action={action} instead={instead} />
}
