import { Button, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslation } from '../text/texts.tsx'
import c from './confirm.module.css'
import { Dialog } from './dialog.tsx'

export interface Question {
  readonly title: string
  readonly text?: ReactNode
  readonly confirm: string
  /** Cannot be undone: the button is red and not focused. */
  readonly harmful?: boolean
  /** Text to type before the button is enabled. */
  readonly typed?: string
}

interface Props {
  readonly opened: boolean
  /** Changes with each question. */
  readonly round: number
  readonly question: Question | undefined
  readonly onClose: () => void
  readonly settle: (yes: boolean) => void
}

export default function ConfirmDialog({ opened, round, question, onClose, settle }: Props) {
  return (
    <Dialog opened={opened} onClose={onClose} title={question?.title ?? ''} size={440} above>
      {question && <Content key={round} question={question} settle={settle} />}
    </Dialog>
  )
}

function Content({ question, settle }: { readonly question: Question; readonly settle: (yes: boolean) => void }) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (question.typed === undefined || typed === question.typed) settle(true)
  }
  return (
    <form onSubmit={submit}>
      {question.text && <div className={c.text}>{question.text}</div>}
      {question.typed !== undefined && (
        <TextInput
          mt="md"
          label={t('ui.typeToConfirm', { text: question.typed })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <div className={c.buttons}>
        <Button variant="default" data-autofocus={question.harmful || undefined} onClick={() => settle(false)}>
          {t('ui.cancel')}
        </Button>
        <Button
          type="submit"
          color={question.harmful ? 'bad' : undefined}
          data-autofocus={!question.harmful || undefined}
          disabled={question.typed !== undefined && typed !== question.typed}
        >
          {question.confirm}
        </Button>
      </div>
    </form>
  )
}
