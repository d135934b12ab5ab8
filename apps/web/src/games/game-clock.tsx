import type { Phase } from '@vexil/core/phases'
import { useTranslation } from '../ui/text/texts.tsx'
import { Countdown } from '../ui/time/countdown.tsx'
import { hoursBetween, useFormats } from '../ui/time/time.ts'
import { TimeScale } from '../ui/time/time-scale.tsx'
import { TimeTip } from '../ui/time/when.tsx'
import c from './hero.module.css'

interface Props {
  readonly start: string
  readonly end: string
  readonly phase: Phase
}

/** Counts to the start, then to the end; after the end shows when it ended. */
export function GameClock({ start, end, phase }: Props) {
  const { t } = useTranslation()
  const { time } = useFormats()
  const hours = hoursBetween(start, end)
  return (
    <>
      <div className={c.clock}>
        {phase === 'ended' ? (
          <TimeTip at={end} className={c.over}>
            {t('games.endedAt', { time: time(end) })}
          </TimeTip>
        ) : (
          <>
            <Countdown to={phase === 'before' ? start : end} size="clock" />
            <TimeTip at={phase === 'before' ? start : end} className="dim">
              {phase === 'before'
                ? t('games.untilStart', { time: time(start), count: hours })
                : t('games.untilEnd', { time: time(end) })}
            </TimeTip>
          </>
        )}
      </div>
      <div className={c.scale}>
        <TimeScale start={start} end={end} label={t('games.scale', { start: time(start), end: time(end) })} />
      </div>
    </>
  )
}
