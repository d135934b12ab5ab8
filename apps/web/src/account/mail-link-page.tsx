import { Button } from '@mantine/core'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { Gate } from '../shell/gate.tsx'
import { paths } from '../shell/paths.ts'
import { useSession } from '../shell/session.ts'
import { useTitle } from '../shell/site.ts'
import { ActionButton } from '../ui/base/action-button.tsx'
import { useAction } from '../ui/base/use-action.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './forms.module.css'
import { isRefusedLink, type MailLink, readMailLink } from './mail-link.ts'

interface Props {
  readonly kind: 'verify' | 'confirm' | 'cancel'
  readonly send: (link: Pick<MailLink, 'token' | 'email'>) => Promise<unknown>
  /** Title of the success toast. */
  readonly done: (address: string) => string
  readonly onDone: () => void | Promise<void>
  /** Where to get a new email once the link was refused. */
  readonly renewal: { readonly label: string; readonly to: string }
  /** Replaces the button, for instance to sign in first. */
  readonly instead?: { readonly label: string; readonly act: () => void }
}

/** Target of a link in a mail. Waits for a click, so that mail scanners do not use up the link. */
export function MailLinkPage({ kind, send, done, onDone, renewal, instead }: Props) {
  const { t } = useTranslation()
  const [query] = useSearchParams()
  const link = readMailLink(query)
  const isMember = useSession().state === 'member'
  const [isRefused, setRefused] = useState(false)
  useTitle(t(`account.${kind}`))
  const action = useAction({
    id: 'account',
    done: done(link?.address ?? ''),
    failed: t(`account.${kind}Failed`),
    failedText: (refusal) => (isRefusedLink(refusal) ? t('account.linkUsed') : undefined),
    call: async () => send({ token: link?.token ?? '', email: link?.email ?? '' }),
    onDone,
    onFail: (refusal) => {
      setRefused(isRefusedLink(refusal))
      return undefined
    },
  })
  return (
    <Gate heading={t(`account.${kind}`)}>
      {link ? (
        <div className={c.stack}>
          <p className="dim">{t(`account.${kind}Text`, { email: link.address })}</p>
          {isRefused && <p className="poor">{t('account.linkUsed')}</p>}
          {instead ? (
            <Button size="lg" onClick={instead.act}>
              {instead.label}
            </Button>
          ) : (
            <ActionButton action={action} size="lg" onClick={() => void action.start()}>
              {t(`account.${kind}Button`)}
            </ActionButton>
          )}
          {isRefused && (
            <Link className="link" to={renewal.to}>
              {renewal.label}
            </Link>
          )}
        </div>
      ) : (
        <div className={c.stack}>
          <p className="poor">{t('account.linkInvalid')}</p>
          <p className="dim">{t('account.linkInvalidText')}</p>
          <Link className="link" to={isMember ? paths.home : paths.login()}>
            {t(isMember ? 'ui.home' : 'account.backToSignIn')}
          </Link>
        </div>
      )}
    </Gate>
  )
}
