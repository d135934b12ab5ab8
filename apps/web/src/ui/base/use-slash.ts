import { type RefObject, useEffect } from 'react'
import { useTranslation } from '../text/texts.tsx'
import { lettersListen, runShown, useNamed } from './keyboard.ts'

/** Where letters are typed or choose an entry, and dialogs. */
const elsewhere = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=dialog]'

/** `/` focuses the search field, unless a text is typed or a dialog is open. Some keyboards need Shift for it. */
export function useSlash(field: RefObject<HTMLInputElement | null>): void {
  const { t } = useTranslation()
  useNamed([{ key: '/', name: t('keys.search'), act: () => field.current?.focus() }])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.closest(elsewhere)
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey || !lettersListen()) return
      event.preventDefault()
      field.current?.focus()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [field])
}

/** Focuses the search field of the screen. Call it in the button that clears the search: the button disappears with the empty list. */
export const focusSearch = (): void => runShown('/')
