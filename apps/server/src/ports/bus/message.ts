/** What goes from node to node, and what of it is believed: anybody who may connect to the database can send a NOTIFY. */
import type { EventName, Events } from './bus.ts'

export type Said = readonly [EventName, Events[EventName]]

/** NOTIFY carries less than 8000 bytes. */
const bytesMost = 7900

type Kind = 'number' | 'number or null'

/** The fields of each event; whatever else comes with it is left out. */
const fields: { readonly [N in EventName]: Readonly<Record<keyof Events[N], Kind>> } = {
  'game.changed': { gameId: 'number' },
  'challenge.changed': { gameId: 'number', challengeId: 'number' },
  'team.changed': { teamId: 'number' },
  'participation.changed': { gameId: 'number', participationId: 'number' },
  'submission.judged': { gameId: 'number', submissionId: 'number', solve: 'number or null' },
  'notice.added': { gameId: 'number', noticeId: 'number' },
  'notice.changed': { gameId: 'number' },
  'event.recorded': { gameId: 'number', eventId: 'number' },
  'instance.changed': { gameId: 'number', challengeId: 'number', participationId: 'number or null' },
  'log.written': { from: 'number', to: 'number' },
  'settings.changed': {},
  'security.changed': {},
}

/** Messages of one node with all of these, as many as are needed for the size that a NOTIFY may have. */
export function writeMessages(node: string, said: readonly Said[]): string[] {
  const frame = Buffer.byteLength(JSON.stringify([node, []]))
  const parts: string[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const one of said) {
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

/** The events of a message; none of one that this node sent itself, or that is no message of ours. Never throws. */
export function readMessage(node: string, payload: string | undefined): Said[] {
  const [from, said] = parsed(payload)
  if (typeof from !== 'string' || from === node || !Array.isArray(said)) return []
  return said.flatMap((one) => (Array.isArray(one) ? (believed(one[0], one[1]) ?? []) : []))
}

function parsed(payload: string | undefined): readonly unknown[] {
  try {
    const read: unknown = JSON.parse(payload ?? '')
    return Array.isArray(read) ? read : []
  } catch {
    return []
  }
}

function believed(name: unknown, event: unknown): Said[] | null {
  if (typeof name !== 'string' || !Object.hasOwn(fields, name) || typeof event !== 'object' || event === null) return null
  const wanted = Object.entries<Kind>(fields[name as EventName])
  const found = wanted.map(([field]) => [field, (event as Record<string, unknown>)[field]] as const)
  const fits = found.every(
    ([, value], at) => Number.isSafeInteger(value) || (value === null && wanted[at]?.[1] === 'number or null'),
  )
  return fits ? [[name as EventName, Object.fromEntries(found) as unknown as Events[EventName]]] : null
}
