import { mailChangeConfirm } from '@vexil/contract/accounts'
import { useLocation, useNavigate } from 'react-router'
import { call } from '../api/client.ts'
import { paths } from '../shell/paths.ts'
import { useSession } from '../shell/session.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { useEntered } from './account.queries.ts'
import { MailLinkPage } from './mail-link-page.tsx'

export default function ConfirmScreen() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const entered = useEntered()
  const session = useSession()
  const { pathname, search } = useLocation()
  // The address belongs to an account, so its owner must be signed in.
  const instead =
    session.state === 'visitor'
      ? { label: t('account.signInFirst'), act: () => void navigate(paths.login(`${pathname}${search}`)) }
      : undefined
  return (
    <MailLinkPage
      kind="confirm"
      send={(body) => call(mailChangeConfirm, { body })}
      done={() => t('account.emailChanged')}
      onDone={async () => {
        await entered()
        await navigate(paths.home, { replace: true })
      }}
      renewal={{ label: t('account.requestNewLink'), to: paths.profile }}
      instead={instead}
    />
  )
}
