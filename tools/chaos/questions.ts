/** The checks after each fault. Each returns a list of problems. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { readFacts } from '../../apps/server/src/scoreboard/board-facts.queries.ts'
import { wrongBoards, wrongChanges, wrongFeeds, wrongRosters, wrongSolves } from './board-check.ts'
import { keyOf, takeShown } from './ledger.ts'
import { type Held, isReady } from './nodes.ts'
import { enrol, openSession } from './players.ts'
import type { Scene } from './scene.ts'

/** ms, excluding the pauses of a supervisor between two starts, which are one second each here. */
export const backWithin = 10_000
const pause = 1000
const normalWithin = 10_000
const handlesAbove = 30
const slowAbove = 2000
const memoryAbove = { factor: 1.5, megabytes: 60 }

/** Waits until every node is ready and stores an answer, at most `patience` times `backWithin`. Returns ms, including pauses of supervisors, or the problem. */
export async function whenBack({ nodes, played }: Scene, patience = 1): Promise<number | string> {
  const startedAt = performance.now()
  for (const { url, output } of nodes) {
    const before = output().length
    const pauses = () => output().slice(before).split('Restarting in').length - 1
    const probe = openSession(() => url)
    for (let tries = 0; ; await sleep(100)) {
      const waited = Math.round(performance.now() - startedAt)
      if (waited > backWithin * patience + pauses() * pause)
        return `${url} is not back after ${waited} ms with ${pauses()} pauses`
      if (!(await isReady(url))) continue
      const name = `probe${Math.round(performance.now())}${tries++}`
      await enrol(probe, name, played.game)
      const { id: challenge } = played.challenges[0]!
      const taken = await probe('POST', `/api/game/${played.game}/challenges/${challenge}`, { flag: `wrong ${name}` })
      if (taken?.status !== 200) continue
      played.ledger.answers.set(keyOf(name, challenge, `wrong ${name}`), Number(taken.body))
      break
    }
  }
  return Math.round(performance.now() - startedAt)
}

const faultMark = '"msg":"fault"'

/**
 * Requests that were answered with 500 since the last call, and what the nodes printed about them since `printed`, the lengths of their outputs: during
 * a fault requests must be refused without such an error.
 */
export function failed({ nodes, played: { ledger } }: Scene, printed: readonly number[]): string[] {
  const failures = ledger.failures.splice(0)
  if (failures.length === 0) return []
  const lines = nodes.flatMap(({ output }, at) => output().slice(printed[at]).split('\n'))
  return [
    ...[...Map.groupBy(failures, (what) => what)].map(([what, same]) => `${same.length} x answered 500: ${what}`),
    ...lines.filter((line) => line.includes(faultMark)).map((line) => line.slice(0, 1000)),
  ]
}

/** Acknowledged data that is lost or stored twice, and gaps in the log of solves. */
export async function lostOrDoubled({ database: { db }, played: { game, ledger } }: Scene): Promise<string[]> {
  const { rows } = await sql<{ id: number; challenge: number; answer: string; status: string; player: string }>`
    select s.id, s.challenge_id as challenge, s.answer, s.status, a.user_name as player
    from submissions s join accounts a on a.id = s.account_id where s.game_id = ${game}`.execute(db)
  const stored = Map.groupBy(rows, ({ player, challenge, answer }) => keyOf(player, challenge, answer))
  const wrong = [...stored].filter(([, same]) => same.length > 1).map(([key]) => `stored twice: ${key}`)
  for (const [key, id] of ledger.answers) {
    const [row] = stored.get(key) ?? []
    const verdict = row?.answer.startsWith('flag{') ? 'Accepted' : 'WrongAnswer'
    if (row?.id !== id || row.status !== verdict) wrong.push(`acknowledged as ${id}: ${key}; stored: ${JSON.stringify(row)}`)
  }
  const { rows: gaps } = await sql<{ head: number; solves: number; highest: number }>`
    select l.head, count(s)::int as solves, coalesce(max(s.number), 0)::int as highest
    from solve_logs l left join solves s using (game_id) where game_id = ${game} group by l.head`.execute(db)
  for (const { head, solves, highest } of gaps)
    if (Number(head) !== solves || solves !== highest) wrong.push(`log of ${head}: ${solves} solves up to ${highest}`)
  const names = async (query: ReturnType<typeof sql<{ name: string }>>) => (await query.execute(db)).rows.map(({ name }) => name)
  const missing = (what: string, acknowledged: Iterable<string>, found: readonly string[]) => {
    const known = new Set(found)
    for (const name of acknowledged) if (!known.has(name)) wrong.push(`${what} ${name} is lost`)
    if (known.size !== found.length) wrong.push(`${found.length - known.size} of ${what} are stored twice`)
  }
  missing('account', ledger.accounts, await names(sql`select user_name as name from accounts`))
  missing('team', ledger.teams, await names(sql`select name from teams`))
  missing('joining of', ledger.joined, await names(sql`select t.name from participations p join teams t on t.id = p.team_id`))
  return wrong
}

/** Wrong boards and messages that were shown since the last call; removes them from the ledger. */
export async function wronglyShown({ database: { db }, played: { game, ledger } }: Scene): Promise<string[]> {
  const facts = await readFacts(db, game)
  if (!facts) return ['the game is gone']
  const { boards, feeds, solves, changes, rosters } = takeShown(ledger)
  return [
    ...wrongSolves(facts, solves),
    ...wrongBoards(facts, boards),
    ...wrongFeeds(facts, feeds),
    ...wrongChanges(facts, changes),
    ...wrongRosters(facts, rosters),
  ]
}

/** Recovery mails that were promised, and have neither arrived nor are waiting. */
export async function lostMails({ database: { db }, mails, played: { ledger } }: Scene): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select recipient as address from mails where state = 'Waiting'
    union select payload ->> 'email' from graphile_worker._private_jobs where payload ->> 'email' is not null`.execute(db)
  const known = new Set([...rows.map(({ address }) => address), ...mails.map(({ envelope }) => envelope.to)])
  return [...ledger.recoveries].filter((address) => !known.has(address)).map((address) => `the mail to ${address} is lost`)
}

/** Acknowledged instances that are lost, and instances whose rows and engine differ. Waits for the sweep. */
export async function wrongInstances({ database: { db }, engine, played: { ledger } }: Scene): Promise<string[]> {
  if (!engine) return []
  for (const startedAt = performance.now(); ; await sleep(500)) {
    const { rows } = await sql<{ id: string; state: string; endedBy: string | null; team: string }>`
      select c.id, c.state, c.ended_by, t.name as team
      from containers c join participations p on p.id = c.participation_id join teams t on t.id = p.team_id`.execute(db)
    const found = new Map((await engine.direct.list()).map(({ id, state }) => [id, state]))
    const [running, ended] = ['Running', 'Ended'].map((wanted) => rows.filter(({ state }) => state === wanted))
    const teams = new Set(running!.map(({ team }) => team))
    const rowsOf = (name: string) => JSON.stringify(rows.filter(({ team }) => team === name))
    const wrong = [
      ...[...ledger.instances]
        .filter(([name, lasts]) => lasts && !teams.has(name))
        .map(([name]) => `the instance of ${name} is lost: ${rowsOf(name)}`),
      ...running!.filter(({ id }) => found.get(id) !== 'running').map(({ id }) => `instance ${id} does not run`),
      ...ended!.filter(({ id }) => found.has(id)).map(({ id }) => `instance ${id} has ended, and still is at the engine`),
    ]
    if (wrong.length === 0 || performance.now() - startedAt > normalWithin) return wrong
  }
}

/** Submissions and boards between `since` and `until` (of `performance.now()`) that were slow or failed; there must be requests. */
export function slowed({ played: { ledger } }: Scene, since: number, until: number, patience = 1): string[] {
  const asked = ledger.times.filter(({ at }) => at >= since && at < until)
  if (asked.length === 0) return ['no submission and no board was asked for during the fault']
  return asked
    .filter(({ ms, status }) => ms > slowAbove * patience || status === 0 || status >= 500)
    .map(({ what, ms, status }) => `${what}: ${status} after ${Math.round(ms)} ms during the fault`)
}

const run = promisify(execFile)

/** Runs `vexil verify` against each node. */
export async function verified({ settings, nodes }: Scene): Promise<string[]> {
  const asked = nodes.map(async ({ url }) => {
    const command = [join(import.meta.dirname, '../../apps/server/src/cli/main.ts'), 'verify', '--url', url]
    const options = { env: { PATH: process.env.PATH, ...settings } }
    return run(process.execPath, command, options).then(
      () => [],
      ({ code, stdout, stderr }) => [`vexil verify at ${url}: ${code}\n${stdout}${stderr}`.slice(0, 1500)],
    )
  })
  return (await Promise.all(asked)).flat()
}

/** Compares memory and handles of the nodes with those before the first fault. */
export async function notNormal({ nodes }: Scene, before: readonly Held[]): Promise<string[]> {
  for (const startedAt = performance.now(); ; await sleep(500)) {
    const wrong = nodes.flatMap(({ url, held }, place) => {
      const [was, now] = [before[place] as Held, held()]
      const handles = now.handles > was.handles + handlesAbove ? [`${url}: ${now.handles} handles, before ${was.handles}`] : []
      const most = was.memory * memoryAbove.factor + memoryAbove.megabytes
      return now.memory > most ? [...handles, `${url}: ${now.memory} MB, before ${was.memory}`] : handles
    })
    if (wrong.length === 0 || performance.now() - startedAt > normalWithin) return wrong
  }
}
