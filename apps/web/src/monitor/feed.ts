/** Lists that grow at their top while they are looked at. Entries have no numbers, so their content tells them apart. */
import type { GameEvent } from '@vexil/contract/games'
import type { Submission } from '@vexil/contract/submissions'
import type { EventType } from '@vexil/core/vocabulary'

export const eventKey = ({ time, type, team, user, values }: GameEvent) => [time, type, team, user, ...values].join('\n')

/** Without the status, which may change later (SU-3). */
export const submissionKey = ({ time, team, user, challenge, answer }: Submission) =>
  [time, team, user, challenge, answer].join('\n')

/** Puts a new entry on top; one that is there already is replaced in its place (LIVE-3). */
export function withNew<T>(list: readonly T[], entry: T, keyOf: (entry: T) => string, most: number): T[] {
  const key = keyOf(entry)
  const known = list.some((one) => keyOf(one) === key)
  return known ? list.map((one) => (keyOf(one) === key ? entry : one)) : [entry, ...list].slice(0, most)
}

/** Equal entries get numbers, so that both appear (CH-3). */
export function numbered<T>(list: readonly T[], keyOf: (entry: T) => string): { key: string; entry: T }[] {
  const seen = new Map<string, number>()
  return list.map((entry) => {
    const key = keyOf(entry)
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    return { key: count > 1 ? `${key}\n${count}` : key, entry }
  })
}

const holds = (parts: readonly string[], text: string) => {
  const wanted = text.trim().toLowerCase()
  return wanted === '' || parts.some((part) => part.toLowerCase().includes(wanted))
}

export interface EventFilter {
  readonly type: EventType | null
  readonly text: string
}

/** By kind, and by team or challenge, which stand in the team and the values (EV-5). */
export const keepEvents = (events: readonly GameEvent[], { type, text }: EventFilter) =>
  events.filter((one) => (type === null || one.type === type) && holds([one.team, one.user, ...one.values], text))

/** By team, user, challenge or flag (SU-4). */
export const keepSubmissions = (list: readonly Submission[], text: string) =>
  list.filter(({ team, user, challenge, answer }) => holds([team, user, challenge, answer], text))

export const isContainerEvent = (type: EventType) => type === 'ContainerStart' || type === 'ContainerDestroy'
