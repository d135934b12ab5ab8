/** Questions before what cannot be undone (FB-5): a dialog for a page, a small pop-over for a row. */
import { Button, Popover, TextInput } from '@mantine/core'
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react'
import c from './confirm.module.css'
import { Dialog } from './dialog.tsx'
import { useTranslation } from './texts.tsx'

export interface Question {
  readonly title: string
  readonly text?: ReactNode
  /** Label of the button that does it. */
  readonly confirm: string
  /** Deletes or cannot be undone: the button is red and does not have the focus. */
  readonly harmful?: boolean
  /** Has to be typed before the button works, for the heaviest things. */
  readonly typed?: string
}

const Ask = createContext<(question: Question) => Promise<boolean>>(async () => false)

/** `const confirm = useConfirm(); if (await confirm({ title, confirm: 'Delete', harmful: true })) …` */
export function useConfirm() {
  return useContext(Ask)
}

/** Stands once around the application and shows the questions of `useConfirm`. */
export function ConfirmProvider({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation()
  const [question, setQuestion] = useState<Question>()
  const [opened, setOpened] = useState(false)
  const [typed, setTyped] = useState('')
  const answer = useRef<(yes: boolean) => void>(undefined)

  const ask = useCallback((asked: Question) => {
    answer.current?.(false)
    setTyped('')
    setQuestion(asked)
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
    <Ask.Provider value={ask}>
      {children}
      <Dialog opened={opened} onClose={() => settle(false)} title={question?.title ?? ''} size={440} above>
        {question?.text && <div className={c.text}>{question.text}</div>}
        {question?.typed !== undefined && (
          <TextInput
            mt="md"
            label={t('ui.typeToConfirm', { text: question.typed })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <div className={c.buttons}>
          <Button variant="default" data-autofocus={question?.harmful || undefined} onClick={() => settle(false)}>
            {t('ui.cancel')}
          </Button>
          <Button
            color={question?.harmful ? 'bad' : undefined}
            data-autofocus={!question?.harmful || undefined}
            disabled={question?.typed !== undefined && typed !== question.typed}
            onClick={() => settle(true)}
          >
            {question?.confirm}
          </Button>
        </div>
      </Dialog>
    </Ask.Provider>
  )
}

interface PopoverProps extends Question {
  readonly onConfirm: () => void
  /** Draws the control; `open` goes to its click. */
  readonly children: (open: () => void) => ReactNode
}

/** The same question as a pop-over at an icon of a row. */
export function ConfirmPopover({ title, text, confirm, harmful, onConfirm, children }: PopoverProps) {
  const { t } = useTranslation()
  const [opened, setOpened] = useState(false)
  const close = () => setOpened(false)
  return (
    <Popover opened={opened} onChange={setOpened} width={280} position="bottom-end" trapFocus returnFocus withinPortal>
      <Popover.Target>{children(() => setOpened((before) => !before))}</Popover.Target>
      <Popover.Dropdown className={c.popover}>
        <p className={c.question}>{title}</p>
        {text && <div className={c.small}>{text}</div>}
        <div className={c.buttons}>
          <Button size="sm" variant="default" data-autofocus={harmful || undefined} onClick={close}>
            {t('ui.cancel')}
          </Button>
          <Button
            size="sm"
            color={harmful ? 'bad' : undefined}
            onClick={() => {
              close()
              onConfirm()
            }}
          >
            {confirm}
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}
