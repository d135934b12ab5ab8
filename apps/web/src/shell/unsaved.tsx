import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useBlocker } from 'react-router'
import { useConfirm } from '../ui/confirm.tsx'

/** Warns before unsaved changes are lost, by going elsewhere in the application or by closing the tab (FB-6). */
export function useUnsavedWarning(changed: boolean): void {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const blocker = useBlocker(({ currentLocation, nextLocation }) => changed && currentLocation.pathname !== nextLocation.pathname)
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    void confirm({ title: t('shell.unsaved'), text: t('shell.unsavedText'), confirm: t('shell.leave'), harmful: true }).then(
      (yes) => (yes ? blocker.proceed() : blocker.reset()),
    )
  }, [blocker, confirm, t])
  useEffect(() => {
    if (!changed) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [changed])
}
