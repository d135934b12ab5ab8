/**
 * A bare Node server that stores answers with the statement and the queue of the platform and does nothing else: no permissions, limits, logs or events.
 * The difference is the cost of the platform. Runs as a separate process.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { sessionHash } from '../../apps/server/src/accounts/sessions.ts'
import type { DatabaseSource } from '../../apps/server/src/db/client-settings.ts'
import { openDatabase } from '../../apps/server/src/db/database.ts'
import { attemptsPool, openAttempts } from '../../apps/server/src/submissions/attempts.ts'
import { freePort } from '../../e2e/platform.ts'

interface BareStoreOptions {
  readonly source: DatabaseSource
  readonly game: number
  readonly port: number
}

/** Starts it for a seeded game. */
export async function startBareStore(source: DatabaseSource, game: number): Promise<{ readonly port: number; stop(): void }> {
  const port = await freePort()
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify({ source, game, port } satisfies BareStoreOptions)])
  await once(child, 'message')
  return { port, stop: () => void child.kill() }
}

async function serve({ source, game, port }: BareStoreOptions): Promise<void> {
  const database = await openDatabase({ source, poolSize: 1 })
  const { rows: players } = await sql<{ session: string; accountId: string; participationId: number }>`
    select encode(s.token_hash, 'hex') as session, s.account_id, r.participation_id
    from sessions s join registrations r on r.account_id = s.account_id where r.game_id = ${game}`.execute(database.db)
  const bySession = new Map(players.map((player) => [player.session, player]))
  const { rows: flags } = await sql<{ challengeId: number; flag: string }>`
    select f.challenge_id, f.flag from flags f join challenges c on c.id = f.challenge_id where c.game_id = ${game}`.execute(
    database.db,
  )
  const flagOf = new Map(flags.map(({ challengeId, flag }) => [challengeId, flag]))
  const { rows: logs } = await sql<{ epoch: number }>`select epoch from solve_logs where game_id = ${game}`.execute(database.db)
  const epoch = logs[0]?.epoch as number
  const attempts = openAttempts(database.reservedPool(attemptsPool))
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const player = bySession.get(sessionHash(request.headers.cookie?.split('=')[1] ?? ''))
      const challengeId = Number(request.url?.split('/').at(-1))
      const { flag: answer } = JSON.parse(Buffer.concat(chunks).toString()) as { flag: string }
      if (!player) return void response.writeHead(401).end()
      const verdict = answer === flagOf.get(challengeId) ? 'Accepted' : 'WrongAnswer'
      const judged = { gameId: game, ...player, challengeId, answer, verdict, epoch, arrived: performance.now() } as const
      attempts.record(judged).then(
        ({ outcome, submission }) => response.writeHead(outcome === 'ok' ? 200 : 409).end(String(submission)),
        () => response.writeHead(500).end(),
      )
    })
  })
  server.listen(port, '127.0.0.1', () => process.send?.('on'))
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url))
  await serve(JSON.parse(process.argv[2] as string) as BareStoreOptions)
