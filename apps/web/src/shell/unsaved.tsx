import { useEffect, useId } from 'react'
import { useBlocker } from 'react-router'
import { useConfirm } from '../ui/overlays/confirm.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { newPasswords } from './new-passwords.ts'

/** Ids of mounted forms with unsaved changes. */
const unsaved = new Set<string>()

/** Work that closing the tab or changing the account loses. */
export const hasUnsaved = (): boolean => unsaved.size > 0 || newPasswords().length > 0

/** Registers unsaved changes of a form while `changed` is true. */
export function useUnsavedWarning(changed: boolean): void {
  const form = useId()
  useEffect(() => {
    if (!changed) return
    unsaved.add(form)
    return () => void unsaved.delete(form)
  }, [changed, form])
}

/** Warns before a navigation or closing the tab loses unsaved changes. Rendered once, around all screens. */
export function UnsavedGuard() {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => unsaved.size > 0 && currentLocation.pathname !== nextLocation.pathname,
  )
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    void confirm({ title: t('shell.unsaved'), text: t('shell.unsavedText'), confirm: t('shell.leave'), harmful: true }).then(
      (yes) => (yes ? blocker.proceed() : blocker.reset()),
    )
  }, [blocker, confirm, t])
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => hasUnsaved() && event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [])
  return null
}
