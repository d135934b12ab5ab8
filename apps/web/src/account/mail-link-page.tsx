import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { Gate } from '../shell/gate.tsx'
import { paths } from '../shell/paths.ts'
import { useSession } from '../shell/session.ts'
import { useTitle } from '../shell/site.ts'
import { ActionButton } from '../ui/base/action-button.tsx'
import type { Action } from '../ui/base/use-action.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './forms.module.css'
import type { MailLink } from './mail-link.ts'

interface Props {
  readonly kind: 'verify' | 'confirm' | 'cancel'
  readonly link: MailLink | undefined
  readonly action: Action<void>
  /** Replaces the button, for instance to sign in first. */
  readonly instead?: { readonly label: string; readonly act: () => void }
}

/** Target of a link in a mail. Waits for a click, so that mail scanners do not use up the link. */
export function MailLinkPage({ kind, link, action, instead }: Props) {
  const { t } = useTranslation()
  const member = useSession().state === 'member'
  useTitle(t(`account.${kind}`))
  return (
    <Gate heading={t(`account.${kind}`)}>
      {link ? (
        <div className={c.stack}>
          <p className="dim">{t(`account.${kind}Text`, { email: link.address })}</p>
          {instead ? (
            <Button size="lg" onClick={instead.act}>
              {instead.label}
            </Button>
          ) : (
            <ActionButton action={action} size="lg" onClick={() => void action.start()}>
              {t(`account.${kind}Button`)}
            </ActionButton>
          )}
        </div>
      ) : (
        <div className={c.stack}>
          <p className="poor">{t('account.linkInvalid')}</p>
          <p className="dim">{t('account.linkInvalidText')}</p>
          <Link className="link" to={member ? paths.home : paths.login()}>
            {t(member ? 'ui.home' : 'account.backToSignIn')}
          </Link>
        </div>
      )}
    </Gate>
  )
}
