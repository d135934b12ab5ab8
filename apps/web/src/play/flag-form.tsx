import { Button, TextInput } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconClock, IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { trimFlag } from '@vexil/core/flags'
import { flagLimits } from '@vexil/core/limits'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { serverNow } from '../api/clock.ts'
import { useOnline } from '../api/connection.ts'
import { ActionButton } from '../ui/base/action-button.tsx'
import { CopyButton } from '../ui/base/copy.tsx'
import { Pennant } from '../ui/base/pennant.tsx'
import frame from '../ui/game/challenge-frame.module.css'
import { listTexts, useTranslation } from '../ui/text/texts.tsx'
import { formatRelative, formatTime, useFormats } from '../ui/time/time.ts'
import { TimeTip } from '../ui/time/when.tsx'
import c from './challenge-dialog.module.css'
import { triesQuery } from './play.queries.ts'
import type { Shown } from './shown.ts'
import type { FlagState, Flags } from './use-flags.ts'

interface Props {
  readonly game: number
  readonly card: Shown
  readonly flags: Flags
  /** False in practice: right answers earn no points. */
  readonly scored: boolean
}

/** Age in ms above which the team's tries are reloaded before a flag is typed. */
const freshTriesMs = 5000

/** Reserves one line for the result, to avoid a layout shift. */
export function FlagForm(props: Props) {
  return props.card.isSolved ? <Solved {...props} /> : <OpenForm {...props} />
}

function OpenForm({ game, card, flags, scored }: Props) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const state = flags.of(card.id)
  const { text, busy, message, last, waitUntil, tried, waitsSince } = state
  const wait = useCountdown(waitUntil)
  const examples = listTexts('play.examples')
  const [example] = useState(() => examples[Math.floor(Math.random() * examples.length)])
  const field = useRef<HTMLInputElement>(null)
  const { attend } = flags
  useEffect(() => attend(card.id), [attend, card.id])
  useSelected(field, message ?? tried)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void flags.send(card.id, scored)
  }
  const write = (next: string) => {
    if (text === '') void queries.fetchQuery({ ...triesQuery(game, card.id), staleTime: freshTriesMs }).catch(() => {})
    flags.write(card.id, next)
  }
  const tooLong = trimFlag(text).length > flagLimits.flagMax
  return (
    <>
      <form className={frame.form} onSubmit={submit}>
        <TextInput
          ref={field}
          className={frame.input}
          aria-label={t('play.flag')}
          placeholder={example}
          value={text}
          error={tooLong || message?.kind === 'bad'}
          readOnly={busy}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          onChange={(event) => write(event.currentTarget.value)}
          data-autofocus
        />
        <ActionButton action={{ busy, wait }} type="submit" size="md" h={44} disabled={tooLong}>
          {t(waitsSince !== null ? 'play.sendNow' : tried ? 'play.sendAgain' : 'play.submit')}
        </ActionButton>
      </form>
      <p className={[c.message, c[toneOf(state)]].filter(Boolean).join(' ')} role={message || tried ? 'alert' : 'status'}>
        {tooLong ? (
          <span className={c.bad}>{t('play.tooLong', { max: flagLimits.flagMax })}</span>
        ) : waitsSince !== null ? (
          <Waits since={waitsSince}>
            <button type="button" className={`link ${c.bring}`} onClick={() => flags.write(card.id, text)}>
              {t('play.doNotSend')}
            </button>
          </Waits>
        ) : tried ? (
          <Tried tried={tried} />
        ) : message ? (
          <>
            {message.kind === 'bad' ? <IconX size={16} stroke={1.9} /> : <IconAlertTriangle size={16} stroke={1.9} />}
            <span>{message.text}</span>
            {message.submission !== undefined && <CopyButton text={String(message.submission)} />}
          </>
        ) : (
          !scored && <span>{t('play.practice')}</span>
        )}
        {last !== null && text !== last && !tried && waitsSince === null && (
          <button type="button" className={`link ${c.bring}`} onClick={() => flags.write(card.id, last)}>
            {t('play.bringBack')}
          </button>
        )}
      </p>
    </>
  )
}

const toneOf = ({ message, tried, waitsSince }: FlagState) => (waitsSince !== null || tried ? 'wary' : (message?.kind ?? ''))

/** Keeps a refused answer in the field, selected, so that typing replaces it. */
function useSelected(field: React.RefObject<HTMLInputElement | null>, refused: object | null): void {
  useEffect(() => {
    const input = field.current
    if (!refused || !input) return
    const isElsewhere = document.activeElement !== document.body && !input.form?.contains(document.activeElement)
    if (!isElsewhere) {
      input.focus()
      input.select()
    }
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
    const steps = [0, -4, 0, 4, 0].map((x) => ({ transform: `translateX(${x}px)` }))
    input.animate?.(steps, { duration: 200, easing: 'ease-out' })
  }, [field, refused])
}

function Tried({ tried: { user, time } }: { readonly tried: NonNullable<FlagState['tried']> }) {
  const { t } = useTranslation()
  const { language } = useFormats()
  const ago = formatRelative(time, serverNow(), language)
  return (
    <>
      <IconAlertTriangle size={16} stroke={1.9} />
      <TimeTip at={time}>{user ? t('play.triedBy', { name: user, ago }) : t('play.triedByUs', { ago })}</TimeTip>
    </>
  )
}

/** A flag sent while the platform was unreachable. After its return the player confirms it, seeing its age. */
function Waits({ since, children }: { readonly since: number; readonly children: ReactNode }) {
  const { t } = useTranslation()
  const { language } = useFormats()
  const online = useOnline()
  return (
    <>
      <IconClock size={16} stroke={1.9} />
      <TimeTip at={since}>
        {online
          ? t('play.waited', { ago: formatRelative(since, Date.now(), language), time: formatTime(since, 'exact', language) })
          : t('play.waits')}
      </TimeTip>
      {children}
    </>
  )
}
/** Who of the team solved it, when, and for how many points; the points follow when the board has the solve. */
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
          {own ? (
            <TimeTip at={own.at} className="cut">
              {who}
            </TimeTip>
          ) : (
            <span className="cut">{who}</span>
          )}
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

/** Whole seconds until a moment by the device's clock. */
function useCountdown(until: number): number {
  const [left, setLeft] = useState(0)
  useEffect(() => {
    const tick = () => {
      const seconds = Math.max(0, Math.ceil((until - Date.now()) / 1000))
      setLeft(seconds)
      return seconds
    }
    if (tick() === 0) return
    const timer = setInterval(() => tick() === 0 && clearInterval(timer), 500)
    return () => clearInterval(timer)
  }, [until])
  return left
}
