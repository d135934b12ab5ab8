import { Button, TextInput } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react'
import { flagLimits } from '@vexil/core/limits'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import frame from '../ui/challenge-frame.module.css'
import { CopyButton } from '../ui/copy.tsx'
import { Pennant } from '../ui/pennant.tsx'
import { formatTime, useFormats } from '../ui/time.ts'
import c from './challenge-dialog.module.css'
import type { Shown } from './shown.ts'
import type { Flags } from './use-flags.ts'

interface Props {
  readonly card: Shown
  readonly flags: Flags
  /** False in practice: right answers count for nothing. */
  readonly scored: boolean
}

/** Spans the foot of the dialog; one line below it is kept for what came of the answer, so nothing jumps. */
export function FlagForm({ card, flags, scored }: Props) {
  const { t } = useTranslation()
  const { text, busy, message, last, waitUntil } = flags.of(card.id)
  const wait = useCountdown(waitUntil)
  const examples = Object.values(t('play.examples', { returnObjects: true }))
  const [example] = useState(() => examples[Math.floor(Math.random() * examples.length)])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void flags.send(card.id, scored)
  }
  if (card.isSolved) return <Solved card={card} scored={scored} />
  const tooLong = text.length > flagLimits.flagMax
  return (
    <>
      <form className={frame.form} onSubmit={submit}>
        <TextInput
          key={last}
          className={message?.kind === 'bad' ? `${frame.input} ${c.shake}` : frame.input}
          aria-label={t('play.flag')}
          placeholder={example}
          value={text}
          error={tooLong || message?.kind === 'bad'}
          disabled={busy}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          onChange={(event) => flags.write(card.id, event.currentTarget.value)}
          data-autofocus
        />
        <Button type="submit" size="md" h={44} loading={busy} disabled={wait > 0 || tooLong}>
          {wait > 0 ? t('ui.againIn', { seconds: wait }) : t('play.submit')}
        </Button>
      </form>
      <p className={[c.message, message && c[message.kind]].filter(Boolean).join(' ')} role={message ? 'alert' : undefined}>
        {tooLong ? (
          <span className={c.bad}>{t('play.tooLong', { max: flagLimits.flagMax })}</span>
        ) : message ? (
          <>
            {message.kind === 'bad' ? <IconX size={16} stroke={1.9} /> : <IconAlertTriangle size={16} stroke={1.9} />}
            <span>{message.text}</span>
            {message.submission !== undefined && <CopyButton text={String(message.submission)} />}
          </>
        ) : (
          !scored && <span>{t('play.practice')}</span>
        )}
        {last !== null && text === '' && (
          <button type="button" className={`link ${c.bring}`} onClick={() => flags.write(card.id, last)}>
            {t('play.bringBack')}
          </button>
        )}
      </p>
    </>
  )
}

/** Who of us solved it, when and for how much; without points as long as the board does not know (CD-19, CD-23). */
function Solved({ card: { own, practised }, scored }: Pick<Props, 'card' | 'scored'>) {
  const { t } = useTranslation()
  const { language, number } = useFormats()
  const who = own?.by
    ? t('play.solvedBy', { name: own.by, time: formatTime(own.at, 'weekClock', language) })
    : t('play.alreadySolved')
  return (
    <>
      <div className={frame.form}>
        <p className={c.done} role="status">
          <Pennant size={14} />
          <span className="cut">{who}</span>
        </p>
        <Button size="md" h={44} disabled>
          {t('play.solved')}
        </Button>
      </div>
      <p className={`${c.message} ${c.ok}`}>
        <IconCheck size={16} stroke={1.9} />
        {own && !practised
          ? t('play.gained', { points: number(own.points) })
          : t(scored && !practised ? 'play.boardFollows' : 'play.notScored')}
      </p>
    </>
  )
}

/** Whole seconds until a moment of the device's clock. */
function useCountdown(until: number): number {
  const [left, setLeft] = useState(0)
  useEffect(() => {
    const tick = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)))
    tick()
    if (until <= Date.now()) return
    const timer = setInterval(tick, 500)
    return () => clearInterval(timer)
  }, [until])
  return left
}
