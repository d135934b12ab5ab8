import { ActionIcon } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react'
import type { Phase } from '@vexil/core/phases'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { BoardState } from '../api/board.ts'
import { useServerNow } from '../api/clock.ts'
import { CopyButton } from '../ui/base/copy.tsx'
import { FocusBack } from '../ui/overlays/focus-back.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { formatTime, useFormats } from '../ui/time/time.ts'
import { momentText, stepOf } from './replay.ts'
import c from './replay-bar.module.css'

/** Duration and steps of playing from the start to the end. */
const playMs = 30_000
const playSteps = 200
/** How often the end of a running game's replay follows the clock, ms. */
const clockMs = 10_000

interface Props {
  readonly state: Pick<BoardState, 'startsAt' | 'endsAt'>
  readonly phase: Phase
  readonly moment: number
  /** Opened by a press, so that the slider takes the focus. */
  readonly focus: boolean
  readonly onMove: (moment: number) => void
  readonly onClose: () => void
}

/** A slider from the start of the game to now, which can be dragged, moved by keys, or played. */
export function ReplayBar({ state: { startsAt, endsAt }, phase, moment, focus, onMove, onClose }: Props) {
  const { t } = useTranslation()
  const { language } = useFormats()
  const now = useServerNow(phase === 'running' ? clockMs : 0)
  const until = phase === 'running' ? Math.max(startsAt, Math.min(now, endsAt)) : endsAt
  const [playing, setPlaying] = useState(false)
  /** The moment that was the end when it was chosen: in a running game the end is later by now. */
  const [reachedEnd, setReachedEnd] = useState(until - moment <= clockMs ? moment : null)
  const move = (to: number) => {
    if (to === until) setReachedEnd(to)
    onMove(to)
  }
  const slider = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (focus) slider.current?.focus()
  }, [focus])

  const span = until - startsAt
  const advance = useEffectEvent(() => {
    const next = Math.min(until, moment + span / playSteps)
    move(next)
    if (next === until) setPlaying(false)
  })
  useEffect(() => {
    if (!playing) return
    const timer = setInterval(advance, playMs / playSteps)
    return () => clearInterval(timer)
  }, [playing])
  const press = () => {
    // At the end, playing starts over.
    if (!playing && (moment >= until || moment === reachedEnd)) onMove(startsAt)
    setPlaying(!playing)
  }

  const step = stepOf(span)
  const word = formatTime(moment, 'exact', language)
  const link = new URL(location.href)
  link.searchParams.set('at', momentText(moment))
  return (
    <section className={c.bar} aria-label={t('board.replay')}>
      <FocusBack />
      <Tooltip label={t(playing ? 'board.pause' : 'board.play')}>
        <ActionIcon aria-label={t(playing ? 'board.pause' : 'board.play')} onClick={press}>
          {playing ? <IconPlayerPause size={18} stroke={1.6} /> : <IconPlayerPlay size={18} stroke={1.6} />}
        </ActionIcon>
      </Tooltip>
      <input
        ref={slider}
        className={c.slider}
        type="range"
        aria-label={t('board.moment')}
        aria-valuetext={word}
        min={0}
        max={Math.ceil(span / step)}
        value={Math.round((moment - startsAt) / step)}
        style={{ ['--part' as string]: span > 0 ? (moment - startsAt) / span : 1 }}
        onChange={(event) => {
          setPlaying(false)
          move(Math.min(until, startsAt + Number(event.currentTarget.value) * step))
        }}
      />
      <time className={c.moment} dateTime={new Date(moment).toISOString()}>
        {word}
      </time>
      <CopyButton text={link.href} label={t('board.copyMoment')} size="md" />
      <Tooltip label={t('board.leaveReplay')}>
        <ActionIcon aria-label={t('board.leaveReplay')} onClick={onClose}>
          <IconX size={18} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
    </section>
  )
}
