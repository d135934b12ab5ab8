import type { GameEvent } from '@vexil/contract/games'
import type { Submission } from '@vexil/contract/submissions'
import type { EventType } from '@vexil/core/vocabulary'

export const eventKey = ({ time, type, team, user, values }: GameEvent) => [time, type, team, user, ...values].join('\n')

/** Without the status, which may change later. */
export const submissionKey = ({ time, team, user, challenge, answer }: Submission) =>
  [time, team, user, challenge, answer].join('\n')

const holds = (parts: readonly string[], text: string) => {
  const wanted = text.trim().toLowerCase()
  return wanted === '' || parts.some((part) => part.toLowerCase().includes(wanted))
}

export interface EventFilter {
  readonly type: EventType | null
  readonly text: string
}

export const keepEvents = (events: readonly GameEvent[], { type, text }: EventFilter) =>
  events.filter((one) => (type === null || one.type === type) && holds([one.team, one.user, ...one.values], text))

export const keepSubmissions = (list: readonly Submission[], text: string) =>
  list.filter(({ team, user, challenge, answer }) => holds([team, user, challenge, answer], text))

export const isContainerEvent = (type: EventType) => type === 'ContainerStart' || type === 'ContainerDestroy'
