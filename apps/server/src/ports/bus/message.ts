/** Format and validation of messages between nodes: every client that may connect to the database can send a NOTIFY. */
import type { EventName, Events } from './bus.ts'

export type NamedEvent = readonly [EventName, Events[EventName]]

/** NOTIFY carries less than 8000 bytes. */
const bytesMost = 7900

type IsValid = (value: unknown) => boolean

const id: IsValid = Number.isSafeInteger
const idOrNull: IsValid = (value) => value === null || id(value)
const accountOrNone: IsValid = (value) => value === undefined || typeof value === 'string'

/** The fields of each event; others are dropped. */
const fields: { readonly [N in EventName]: Readonly<Record<keyof Events[N], IsValid>> } = {
  'game.changed': { gameId: id },
  'challenge.changed': { gameId: id, challengeId: id },
  'team.changed': { teamId: id },
  'participation.changed': { gameId: id, participationId: id, leaverId: accountOrNone },
  'submission.judged': { gameId: id, submissionId: id, solve: idOrNull },
  'notice.added': { gameId: id, noticeId: id },
  'notice.changed': { gameId: id },
  'event.recorded': { gameId: id, eventId: id },
  'instance.changed': { gameId: id, challengeId: id, participationId: idOrNull },
  'start.changed': { gameId: id, challengeId: id, participationId: id },
  'log.written': { from: id, to: id },
  'settings.changed': {},
  'security.changed': {},
}

export function writeMessages(node: string, events: readonly NamedEvent[]): string[] {
  const frame = Buffer.byteLength(JSON.stringify([node, []]))
  const parts: string[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const one of events) {
    const text = JSON.stringify(one)
    const bytes = Buffer.byteLength(text) + 1
    if (size + bytes > bytesMost) {
      parts.push([])
      size = frame
    }
    parts.at(-1)?.push(text)
    size += bytes
  }
  return parts.map((part) => `[${JSON.stringify(node)},[${part.join()}]]`)
}

/** The events of a message; empty for a message of this node or an invalid one. Never throws. */
export function readMessage(node: string, payload: string | undefined): NamedEvent[] {
  const [from, events] = parseList(payload)
  if (typeof from !== 'string' || from === node || !Array.isArray(events)) return []
  return events.flatMap((one) => (Array.isArray(one) ? (parseEvent(one[0], one[1]) ?? []) : []))
}

function parseList(payload: string | undefined): readonly unknown[] {
  try {
    const read: unknown = JSON.parse(payload ?? '')
    return Array.isArray(read) ? read : []
  } catch {
    return []
  }
}

function parseEvent(name: unknown, event: unknown): NamedEvent[] | null {
  if (typeof name !== 'string' || !Object.hasOwn(fields, name) || typeof event !== 'object' || event === null) return null
  const given = event as Record<string, unknown>
  const wanted = Object.entries<IsValid>(fields[name as EventName])
  if (!wanted.every(([field, isValid]) => isValid(given[field]))) return null
  const found = Object.fromEntries(wanted.map(([field]) => [field, given[field]]))
  return [[name as EventName, found as unknown as Events[EventName]]]
}
