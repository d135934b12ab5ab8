/** Requests through the proxy: a fifth are submissions, the others read the board and its changes. Acknowledged submissions are kept for comparison. */
import { sql } from 'kysely'
import type { Answers } from '../bench/answers.ts'
import { load, request } from '../bench/load.ts'
import type { Site } from './site.ts'

export interface Traffic {
  /** Answers by status; 0 counts connections that broke. */
  readonly statuses: Map<number, number>
  /** The first requests that were answered with status 500 or more, with the answers. */
  readonly failures: readonly string[]
  /** Milliseconds, of the worst slice. */
  p99(): number
  /** How often a request was sent again because its connection was closed before it was answered. */
  repeated(): number
  stop(): Promise<void>
}

export interface Acknowledged {
  readonly number: number
  readonly participation: number
  readonly challenge: number
  readonly flag: string
}

const submissionEach = 5
const sliceSeconds = 5
const failuresShown = 5

/** `answers`: the same for all traffic of a site, since no answer is sent twice. */
export function startTraffic({ proxy, seeded }: Site, rate: number, answers: Answers, taken: Acknowledged[]): Traffic {
  const statuses = new Map<number, number>()
  let [turn, p99, repeated, over] = [0, 0, 0, false]
  const submitted = new WeakSet<Buffer>()
  const reads = [`/api/game/${seeded.game}/scoreboard`, `/api/game/${seeded.game}/details`, '/api/config']
  const next = () => {
    turn++
    if (turn % submissionEach === 0) {
      const bytes = answers.next()
      submitted.add(bytes)
      return bytes
    }
    const { headers } = seeded.actors[turn % seeded.actors.length] as (typeof seeded.actors)[number]
    return request('GET', reads[turn % reads.length] as string, { ...headers, 'accept-encoding': 'gzip' })
  }
  const failures: string[] = []
  const answered = (sent: Buffer, status: number, body: string) => {
    if (status >= 500 && failures.length < failuresShown)
      failures.push(`${sent.toString('latin1', 0, sent.indexOf('\r'))}: ${status} ${body.slice(0, 200)}`)
    if (status === 200 && submitted.has(sent)) taken.push({ number: Number(body), ...answers.sentAs(sent) })
    return undefined
  }
  const running = (async () => {
    while (!over) {
      const result = await load({ port: proxy.port, connections: 64, seconds: sliceSeconds, rate, next, answered, repeats: true })
      for (const [status, number] of result.statuses) statuses.set(status, (statuses.get(status) ?? 0) + number)
      p99 = Math.max(p99, result.p99)
      repeated += result.repeated
    }
  })()
  return {
    statuses,
    failures,
    p99: () => p99,
    repeated: () => repeated,
    async stop() {
      over = true
      await running
    },
  }
}

/** Acknowledged answers that are not stored as they were sent, or are stored twice. */
export async function lostOrDoubled({ database: { db }, seeded }: Site, taken: readonly Acknowledged[]): Promise<string[]> {
  const { rows } = await sql<Acknowledged>`
    select id as number, participation_id as participation, challenge_id as challenge, answer as flag
    from submissions where game_id = ${seeded.game}`.execute(db)
  const key = ({ participation, challenge, flag }: Acknowledged) => `${participation} ${challenge} ${flag}`
  const stored = Map.groupBy(rows, key)
  return taken.flatMap((one) => {
    const same = stored.get(key(one)) ?? []
    return same.length === 1 && same[0]?.number === one.number ? [] : [`${key(one)}: stored ${same.length} times`]
  })
}
