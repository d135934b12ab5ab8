/** Notices that a session ran out or an account was banned while somebody works. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { logout } from '@vexil/contract/accounts'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { call, onSessionEnded, Refusal } from '../api/client.ts'
import { Dialog } from '../ui/dialog.tsx'
import { toast } from '../ui/toast.tsx'
import { paths } from './paths.ts'
import { profileQuery, useLeave, useSession } from './session.ts'
import { useSite } from './site.ts'

export function SessionWatch() {
  const { t } = useTranslation()
  const { setupRequired } = useSite()
  const session = useSession()
  const { error } = useQuery({ ...profileQuery, enabled: setupRequired !== true })
  const leave = useLeave()
  const location = useLocation()
  const [ended, setEnded] = useState(false)

  const signedIn = useRef(false)
  signedIn.current = session.state === 'member'
  useEffect(() => onSessionEnded(() => signedIn.current && setEnded(true)), [])

  const banned = error instanceof Refusal && error.http === 403
  useEffect(() => {
    if (!banned) return
    void call(logout).catch(() => {})
    void leave(paths.home)
    toast({ id: 'session', kind: 'bad', title: t('shell.banned') })
  }, [banned, leave, t])

  return (
    <Dialog
      opened={ended}
      onClose={() => setEnded(false)}
      title={t('shell.sessionEnded')}
      size={440}
      above
      foot={
        <>
          <Button variant="default" onClick={() => setEnded(false)}>
            {t('shell.stayHere')}
          </Button>
          <Button
            onClick={() => {
              setEnded(false)
              void leave(paths.login(`${location.pathname}${location.search}`))
            }}
          >
            {t('shell.signIn')}
          </Button>
        </>
      }
    >
      <p className="dim">{t('shell.sessionEndedText')}</p>
    </Dialog>
  )
}
