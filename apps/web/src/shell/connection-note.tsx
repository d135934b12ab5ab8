import { IconCloudOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useConnection } from '../api/connection.ts'
import { useLiveBlocked } from '../api/live.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { tagOf } from '../ui/time/time.ts'
import c from './connection-note.module.css'
import { profileQuery } from './session.ts'

export function ConnectionNote() {
  const { online, answeredAt } = useConnection()
  const { status } = useQuery(profileQuery)
  // The same message is shown if the session cannot be loaded although the platform answers.
  const { t } = useTranslation()
  const blocked = useLiveBlocked()
  if (!online || status === 'error')
    return (
      <Note>
        {t('shell.unreachable')} <Age since={answeredAt} />
      </Note>
    )
  return blocked ? <Note>{t('shell.liveOff')}</Note> : null
}

function Note({ children }: { readonly children: ReactNode }) {
  const line = useRef<HTMLDivElement>(null)
  // Full-height screens subtract its height.
  useLayoutEffect(() => {
    const root = document.documentElement.style
    root.setProperty('--note', `${line.current?.offsetHeight ?? 0}px`)
    return () => void root.removeProperty('--note')
  }, [])
  return (
    <div ref={line} className={c.note} role="status">
      <IconCloudOff size={18} stroke={1.6} />
      <span>{children}</span>
    </div>
  )
}

/** Changes without announcements, which screen readers would repeat every few seconds. */
function Age({ since }: { readonly since: number }) {
  const { t, language } = useTranslation()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.round((now - since) / 1000))
  const [count, unit] = seconds < 60 ? ([seconds, 'second'] as const) : ([Math.floor(seconds / 60), 'minute'] as const)
  return (
    <span className="num" aria-hidden>
      {t('shell.shownFrom', { age: new Intl.RelativeTimeFormat(tagOf(language)).format(-count, unit) })}
    </span>
  )
}
