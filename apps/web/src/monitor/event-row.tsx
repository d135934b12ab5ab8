import { IconAlertTriangle, IconBolt, IconFlag, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react'
import type { GameEvent } from '@vexil/contract/games'
import { answerResults } from '@vexil/core/vocabulary'
import { Trans, useTranslation } from '../ui/text/organiser-texts.ts'
import { When } from '../ui/time/when.tsx'
import c from './monitor.module.css'

const icons = {
  Normal: IconBolt,
  ContainerStart: IconPlayerPlay,
  ContainerDestroy: IconPlayerStop,
  FlagSubmit: IconFlag,
  CheatDetected: IconAlertTriangle,
}

export function EventRow({ event, fresh }: { readonly event: GameEvent; readonly fresh: boolean }) {
  const { t } = useTranslation()
  const Icon = icons[event.type]
  return (
    <li className={c.event} data-fresh={fresh || undefined}>
      <Icon className={c[event.type]} size={18} stroke={1.8} role="img" aria-label={t(`monitor.events.types.${event.type}`)} />
      <span className={c.words}>
        <Words {...event} />
      </span>
      <span className={`${c.who} cut`}>{[event.team, event.user].filter(Boolean).join(' · ')}</span>
      <When at={event.time} style="exact" className={c.time} />
    </li>
  )
}

/** Names and flags are text nodes, so that they are never parsed as markup. */
function Words({ type, values }: Pick<GameEvent, 'type' | 'values'>) {
  const { t } = useTranslation()
  const [first = '', second = '', third = '', fourth = ''] = values
  const numberedTitle = (title: string, id: string) => (
    <b>
      {title} <span className="faint num">#{id}</span>
    </b>
  )
  switch (type) {
    case 'FlagSubmit': {
      const result = answerResults.find((one) => one === first)
      return (
        <Trans
          i18nKey="monitor.events.sentences.FlagSubmit"
          components={{
            result: <b className={result && c[result]}>{result ? t(`monitor.result.${result}`) : first}</b>,
            flag: <span className="mono">{second}</span>,
            challenge: numberedTitle(third, fourth),
          }}
        />
      )
    }
    case 'CheatDetected':
      return (
        <Trans
          i18nKey="monitor.events.sentences.CheatDetected"
          components={{ challenge: <b>{first}</b>, submitter: <b>{second}</b>, owner: <b>{third}</b> }}
        />
      )
    case 'ContainerStart':
    case 'ContainerDestroy':
      return <Trans i18nKey={`monitor.events.sentences.${type}`} components={{ challenge: numberedTitle(second, first) }} />
    default:
      return values.at(-1) ?? ''
  }
}
