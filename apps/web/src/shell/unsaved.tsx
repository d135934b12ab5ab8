import { useEffect, useEffectEvent, useId, useRef } from 'react'
import { useBlocker } from 'react-router'
import { useConfirm } from '../ui/overlays/confirm.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { newPasswords } from './new-passwords.ts'

/** Ids of mounted forms with unsaved changes. */
const unsaved = new Set<string>()

/** Work that closing the tab or changing the account loses. */
export const hasUnsaved = (): boolean => unsaved.size > 0 || newPasswords().length > 0

/**
 * Forgets unsaved changes of forms, so that leaving asks no question: the user was asked, the session has ended, or they are saved, and the form may
 * not have rendered that yet.
 */
export const discardUnsaved = (): void => unsaved.clear()

/** Asks whether unsaved changes of forms may be lost. Resolves with true if there are none. */
export function useConfirmLoss(): () => Promise<boolean> {
  const { t } = useTranslation()
  const confirm = useConfirm()
  return async () =>
    unsaved.size === 0 ||
    confirm({ title: t('shell.unsaved'), text: t('shell.unsavedText'), confirm: t('ui.discard'), harmful: true })
}

/** Registers unsaved changes of a form while `changed` is true. */
export function useUnsavedWarning(changed: boolean): void {
  const form = useId()
  useEffect(() => {
    if (!changed) return
    unsaved.add(form)
    return () => void unsaved.delete(form)
  }, [changed, form])
}

/** Registers unsaved changes of a dialog's form while `changed` is true. Returns its `onClose`, which asks before it loses them. */
export function useConfirmClose(changed: boolean, onClose: () => void): () => void {
  useUnsavedWarning(changed)
  const mayLose = useConfirmLoss()
  const isConfirming = useRef(false)
  return () => {
    if (!changed) return onClose()
    if (isConfirming.current) return
    isConfirming.current = true
    void mayLose().then((yes) => {
      isConfirming.current = false
      if (yes) onClose()
    })
  }
}

/** Warns before a navigation or closing the tab loses unsaved changes. Rendered once, around all screens. */
export function UnsavedGuard() {
  const mayLose = useEffectEvent(useConfirmLoss())
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => unsaved.size > 0 && currentLocation.pathname !== nextLocation.pathname,
  )
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    let isLatest = true
    // A second press of the back button replaces the question; only the answer to the latest one counts.
    void mayLose().then((yes) => isLatest && (yes ? blocker.proceed() : blocker.reset()))
    return () => {
      isLatest = false
    }
  }, [blocker])
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => hasUnsaved() && event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [])
  return null
}
