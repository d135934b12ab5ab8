import { useQuery, useQueryClient } from '@tanstack/react-query'
import { logout } from '@vexil/contract/accounts'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import { blockWrites, call, onForbidden, onSessionEnded } from '../api/client.ts'
import { reopenChannels } from '../api/live.ts'
import { claimDrafts, forgetDrafts } from '../api/tab-drafts.ts'
import { lazyPart } from '../ui/base/lazy-part.tsx'
import { toast } from '../ui/overlays/toast.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { paths } from './paths.ts'
import { forgetPerson, isOwnChange, onOtherTab, profileQuery, useLeave, useSession } from './session.ts'
import { hasUnsaved } from './unsaved.tsx'

const SessionDialog = lazyPart(() => import('./session-dialog.tsx'))

interface Props {
  /** Another account is signed in: everything on screen must be rendered again. */
  readonly onOther: () => void
}

export function SessionWatch({ onOther }: Props) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const session = useSession()
  const { data } = useQuery(profileQuery)
  const leave = useLeave()
  const location = useLocation()
  const other = useOtherPerson(onOther)
  const [ended, setEnded] = useState(false)
  const stays = useRef(false)

  const end = useEffectEvent((acts: boolean) => {
    const member = session.state === 'member'
    // Lists on screen are requested again and again.
    if (member && (acts || !stays.current)) setEnded(true)
    return member
  })
  useEffect(() => onSessionEnded((acts) => end(acts)), [])

  // Its role was lowered, or it was banned.
  useEffect(() => onForbidden(() => void queries.refetchQueries({ queryKey: profileQuery.queryKey })), [queries])

  const banned = data?.role === 'Banned'
  const signOutBanned = useEffectEvent(() => {
    void call(logout).catch(() => {})
    void leave(paths.home)
    toast({ id: 'session', kind: 'bad', title: t('shell.banned') })
  })
  useEffect(() => {
    if (banned) signOutBanned()
  }, [banned])

  return (
    <>
      <SessionDialog
        wanted={ended}
        opened={ended}
        title={t('shell.sessionEnded')}
        text={t('shell.sessionEndedText')}
        leave={t('shell.signIn')}
        onClose={() => {
          stays.current = true
          setEnded(false)
        }}
        onLeave={() => {
          stays.current = false
          setEnded(false)
          void leave(paths.login(`${location.pathname}${location.search}`))
        }}
      />
      {other}
    </>
  )
}

/** Follows another tab that signed in or out. With unsaved work it opens a dialog first and blocks actions. */
function useOtherPerson(onOther: () => void) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const { data } = useQuery(profileQuery)
  const shown = useRef<string | null>(undefined)
  const [isAsking, setIsAsking] = useState(false)
  const name = data?.userName ?? ''
  const person = data === undefined ? undefined : (data?.userId ?? null)
  const what = name ? t('shell.otherPerson', { name }) : t('shell.signedOutElsewhere')

  useEffect(() => onOtherTab(() => void queries.refetchQueries({ queryKey: profileQuery.queryKey })), [queries])

  const follow = () => {
    setIsAsking(false)
    blockWrites(undefined)
    forgetPerson(queries)
    if (!person) forgetDrafts()
    reopenChannels()
    onOther()
  }
  const notice = useEffectEvent(() => {
    const before = shown.current
    shown.current = person
    if (before === undefined || before === person || isOwnChange()) return
    if (hasUnsaved()) {
      blockWrites(what)
      return setIsAsking(true)
    }
    follow()
    toast({ id: 'session', kind: 'wary', title: what })
  })
  useEffect(() => {
    if (person) claimDrafts(person)
    if (person !== undefined) notice()
  }, [person])

  return (
    <SessionDialog
      wanted={isAsking}
      opened={isAsking}
      title={what}
      text={t('shell.otherPersonText')}
      leave={name ? t('shell.continueAs', { name }) : t('shell.continue')}
      onClose={() => setIsAsking(false)}
      onLeave={follow}
    />
  )
}
