import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import c from './confirm.module.css'
import { later } from './later.tsx'
import { useTranslation } from './texts.tsx'

const TypedName = later(() => import('./typed-name.tsx'))

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

interface Props {
  readonly question: Question
  readonly settle: (yes: boolean) => void
}

/** The content of a confirmation dialog. */
export function ConfirmDialog({ question, settle }: Props) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  return (
    <>
      {question.text && <div className={c.text}>{question.text}</div>}
      {question.typed !== undefined && (
        <TypedName wanted label={t('ui.typeToConfirm', { text: question.typed })} value={typed} onChange={setTyped} />
      )}
      <div className={c.buttons}>
        <Button variant="default" data-autofocus={question.harmful || undefined} onClick={() => settle(false)}>
          {t('ui.cancel')}
        </Button>
        <Button
          color={question.harmful ? 'bad' : undefined}
          data-autofocus={!question.harmful || undefined}
          disabled={question.typed !== undefined && typed !== question.typed}
          onClick={() => settle(true)}
        >
          {question.confirm}
        </Button>
      </div>
    </>
  )
}
