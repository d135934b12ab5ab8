/** Confirmation before an irreversible action: a dialog here, a pop-over in `confirm-popover.tsx`. */
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react'
import { lazyPart } from '../base/lazy-part.tsx'
import type { Question } from './confirm-dialog.tsx'

export type { Question }

const ConfirmDialog = lazyPart(() => import('./confirm-dialog.tsx'))

const ConfirmContext = createContext<(question: Question) => Promise<boolean>>(async () => false)

/** `const confirm = useConfirm(); if (await confirm({ title, confirm: 'Delete', harmful: true })) …` */
export function useConfirm() {
  return useContext(ConfirmContext)
}

/** Rendered once around the application; shows the questions of `useConfirm`. */
export function ConfirmProvider({ children }: { readonly children: ReactNode }) {
  const [question, setQuestion] = useState<Question>()
  const [opened, setOpened] = useState(false)
  const [round, setRound] = useState(0)
  const answer = useRef<(yes: boolean) => void>(undefined)

  const openQuestion = useCallback((next: Question) => {
    answer.current?.(false)
    setRound((before) => before + 1)
    setQuestion(next)
    setOpened(true)
    return new Promise<boolean>((resolve) => {
      answer.current = resolve
    })
  }, [])
  const settle = (yes: boolean) => {
    setOpened(false)
    answer.current?.(yes)
    answer.current = undefined
  }

  return (
    <ConfirmContext.Provider value={openQuestion}>
      {children}
      <ConfirmDialog
        wanted={opened}
        onClose={() => settle(false)}
        opened={opened}
        round={round}
        question={question}
        settle={settle}
      />
    </ConfirmContext.Provider>
  )
}
