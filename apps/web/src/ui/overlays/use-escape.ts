import { useEffect, useEffectEvent } from 'react'

/** Open dialogs, the topmost last. */
const stack: object[] = []

/** Escape closes the topmost dialog only. The modal gets `closeOnEscape={false}`: its own listener closes all open ones. */
export function useEscape(opened: boolean, onClose: () => void): void {
  const close = useEffectEvent(onClose)
  useEffect(() => {
    if (!opened) return
    const dialog = {}
    stack.push(dialog)
    const press = ({ key, isComposing, target }: KeyboardEvent) => {
      if (key !== 'Escape' || isComposing || stack.at(-1) !== dialog) return
      // An open list, calendar or question inside the dialog closes first.
      if (
        target instanceof Element &&
        target.closest('[data-mantine-stop-propagation="true"], [role="dialog"]:not([aria-modal])')
      )
        return
      close()
    }
    window.addEventListener('keydown', press, { capture: true })
    return () => {
      window.removeEventListener('keydown', press, { capture: true })
      stack.splice(stack.indexOf(dialog), 1)
    }
  }, [opened])
}
