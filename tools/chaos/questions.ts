/** What is asked after each fault. Each answer is a list of what is wrong. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { readFacts } from '../../apps/server/src/scoreboard/board-facts.queries.ts'
import { wrongBoards, wrongChanges, wrongFeeds, wrongRosters, wrongSolves } from './board-check.ts'
import { keyOf, takeShown } from './ledger.ts'
import { type Held, isReady } from './nodes.ts'
import { openSession } from './players.ts'
import type { Scene } from './scene.ts'

/** ms, without the pauses of a supervisor between two starts, which are one second each here. */
const backWithin = 10_000
const pause = 1000
const normalWithin = 10_000
const handlesAbove = 30
const memoryAbove = { factor: 1.5, megabytes: 60 }

/** Waits until every node is ready and stores an answer, at most `patience` times `backWithin`. Returns ms, pauses of supervisors included. */
export async function whenBack({ nodes, played }: Scene, patience = 1): Promise<number | string> {
  const begun = performance.now()
  for (const { url, output } of nodes) {
    const before = output().length
    const pauses = () => output().slice(before).split('Restarting in').length - 1
    const probe = openSession(() => url)
    for (let tries = 0; ; await sleep(100)) {
      const waited = Math.round(performance.now() - begun)
      if (waited > backWithin * patience + pauses() * pause)
        return `${url} is not back after ${waited} ms with ${pauses()} pauses`
      if (!(await isReady(url))) continue
      const name = `probe${Math.round(performance.now())}${tries++}`
      await probe('POST', '/api/account/register', { userName: name, password: 'Correct-Horse-9', email: `${name}@example.org` })
      const { id: challenge } = played.challenges[0]!
      const team = await probe('POST', '/api/team', { name })
      await probe('POST', `/api/game/${played.game}`, { teamId: team?.body?.id })
      const taken = await probe('POST', `/api/game/${played.game}/challenges/${challenge}`, { flag: `wrong ${name}` })
      if (taken?.status !== 200) continue
      played.ledger.answers.set(keyOf(name, challenge, `wrong ${name}`), Number(taken.body))
      break
    }
  }
  return Math.round(performance.now() - begun)
}

/** Nothing acknowledged is lost or stored twice, and the log of solves has no gap. */
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

/** What listeners and readers were shown since the last time; it is forgotten then. */
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

const run = promisify(execFile)

/** `vexil verify` at each node. */
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

/** Memory and handles of the nodes beside those before the first fault. */
export async function notNormal({ nodes }: Scene, before: readonly Held[]): Promise<string[]> {
  for (const begun = performance.now(); ; await sleep(500)) {
    const wrong = nodes.flatMap(({ url, held }, place) => {
      const [was, now] = [before[place] as Held, held()]
      const handles = now.handles > was.handles + handlesAbove ? [`${url}: ${now.handles} handles, before ${was.handles}`] : []
      const most = was.memory * memoryAbove.factor + memoryAbove.megabytes
      return now.memory > most ? [...handles, `${url}: ${now.memory} MB, before ${was.memory}`] : handles
    })
    if (wrong.length === 0 || performance.now() - begun > normalWithin) return wrong
  }
}
