import { IconArrowLeft, IconArrowRight, IconInfoCircle } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { tagOf, useFormats } from '../ui/time/time.ts'
import { type Direction, hexOf, type Packet, textOf } from './capture.ts'
import c from './traffic.module.css'

const signs = { in: IconArrowRight, out: IconArrowLeft, platform: IconInfoCircle } as const satisfies Record<Direction, unknown>
/** Bytes of a packet shown in its row. */
const previewBytes = 160

/** To the millisecond: several packets may fall into one. */
const clock = (at: number, language: string) =>
  new Intl.DateTimeFormat(tagOf(language), {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
  }).format(at)

export function PacketRow({ packet: { at, direction, from, to, payload } }: { readonly packet: Packet }) {
  const { t } = useTranslation()
  const { language, number } = useFormats()
  const id = useId()
  const [opened, setOpened] = useState(false)
  const Sign = signs[direction]
  return (
    <li className={c.packet} data-direction={direction}>
      <button type="button" className={c.line} aria-expanded={opened} aria-controls={id} onClick={() => setOpened(!opened)}>
        <span className="num faint">{clock(at, language)}</span>
        <Sign size={16} stroke={1.8} role="img" aria-label={t(`monitor.traffic.direction.${direction}`)} />
        <span className={`${c.length} num faint`}>{number(payload.length)}</span>
        <span className="mono cut">{textOf(payload.subarray(0, previewBytes)).replace(/\s+/g, ' ')}</span>
      </button>
      <div id={id} hidden={!opened} className={c.bytes}>
        {opened && (
          <>
            <p className="small faint num">
              {t(`monitor.traffic.direction.${direction}`)} · {from} → {to}
            </p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls and must be reachable by keyboard */}
            <section tabIndex={0} aria-label={t('monitor.traffic.text')}>
              <pre className={c.text}>{textOf(payload)}</pre>
            </section>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls and must be reachable by keyboard */}
            <section tabIndex={0} aria-label={t('monitor.traffic.hex')}>
              <pre>{hexOf(payload)}</pre>
            </section>
          </>
        )}
      </div>
    </li>
  )
}
