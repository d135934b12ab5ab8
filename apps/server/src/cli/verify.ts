import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { settingKeys } from '../files/files.queries.ts'
import { listNodes } from '../health/nodes.queries.ts'
import { EngineError } from '../ports/engine/engine.ts'
import { noEngine } from '../ports/engine/none.ts'
import { openSemaphore } from '../semaphore.ts'
import { StartError } from '../start-error.ts'
import type { CommandSpec, Outcome } from './command.ts'
import { withPlatform } from './command-database.ts'
import {
  countReleased,
  type Difference,
  type FileReference,
  type Found,
  listContainers,
  listedMost,
  listFileReferences,
  listStarted,
  verifyGames,
  verifyKeys,
  verifySequences,
} from './verify.queries.ts'
import { isServed, ownAddress, verifyBoards } from './verify-boards.ts'

/** Files that are checked in parallel. */
const atATime = 16

interface Options {
  /** Null: all games, files, sequences and instances. */
  readonly game: number | null
  /** Also reads the bytes of files, and checks keys by query. */
  readonly deep: boolean
  /** Addresses of the nodes whose boards are compared. */
  readonly urls: readonly string[]
}

export const verifyCommand: CommandSpec = {
  name: 'verify',
  summary: 'compare boards, solve logs, submissions, bloods, files, sequences and instances with each other; changes nothing',
  options: [
    ['--game <id>', 'only this game'],
    ['--url <url>', 'address of the node whose boards are compared; default: the platform on this machine'],
    ['--nodes', 'boards of all nodes, each at its VEXIL_NODE_URL'],
    ['--deep', 'also the bytes of files, and foreign and unique keys by query'],
  ],
  run: (context, _, { game, deep, url, nodes }) => {
    const options = {
      game: game === undefined ? null : gameOf(String(game)),
      deep: deep === true,
    }
    if (nodes === true && url !== undefined) throw new StartError('Give either --nodes or --url.')
    return withPlatform(context, { withEngine: options.game === null }, async (deps) => {
      if (nodes === true) {
        const { urls, missing } = await reachableNodes(deps)
        return outcomeOf([missing, ...(await verify(deps, { ...options, urls }))], urls.length > 0)
      }
      const one = url === undefined ? ownAddress(context.config) : urlOf(String(url))
      const served = await isServed(one)
      if (!served) context.printNotice(`No platform answers at ${one}: boards are not compared.`)
      return outcomeOf(await verify(deps, { ...options, urls: served ? [one] : [] }), served)
    })
  },
}

/** Verifies everything of a platform that does not run, except boards and instances. */
export const verifyStopped = async (deps: Deps): Promise<Outcome> =>
  outcomeOf(await verify({ ...deps, engine: noEngine }, { game: null, deep: true, urls: [] }), false)

function outcomeOf(found: readonly Found[], boardsCompared: boolean): Outcome {
  const wrong = found.filter(({ count }) => count > 0)
  const isError = ({ differences }: Found) => differences.some(({ isWarning }) => !isWarning)
  const lines = wrong.flatMap((one) => [
    `${isError(one) ? 'DIFFERENT' : 'warning  '}  ${one.check}: ${one.count}`,
    ...one.differences.map(({ table, id, found: value, expected }) => `  ${table} ${id}: ${value}; expected ${expected}`),
  ])
  return {
    lines: [...lines, `${found.length} checks, ${wrong.filter(isError).length} with differences.`],
    json: { checks: found.length, boardsCompared, found: wrong },
    foundProblems: wrong.some(isError),
  }
}

function gameOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new StartError(`--game must be the id of a game, not "${text}".`)
}

function urlOf(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).origin
  throw new StartError(`--url must be the address of a node such as http://127.0.0.1:8080, not "${text}".`)
}

/** Reads one snapshot of the database, so that a running game is not reported. @throws StartError for an unknown game */
async function verify(deps: Deps, { game, deep, urls }: Options): Promise<Found[]> {
  const snapshot = deps.db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  const { found, files, containers } = await snapshot.execute(async (tx) => {
    if (game !== null && !(await tx.selectFrom('games').select('id').where('id', '=', game).executeTakeFirst()))
      throw new StartError(`There is no game ${game}.`)
    const games = await verifyGames(tx, game)
    if (game !== null) return { found: games, files: null, containers: null }
    const references = await listFileReferences(tx, settingKeys)
    const known = ofDifferences('a file that is referred to is known', references.unknown)
    const keys = deep ? await verifyKeys(tx) : []
    const released = releasedOf(await countReleased(tx))
    return {
      found: [...games, await verifySequences(tx), known, released, ...keys],
      files: references.files,
      containers: await listContainers(tx),
    }
  })
  const started = await listStarted(deps.db, game)
  for (const url of urls) found.push(await verifyBoards(deps.db, url, started))
  if (files) found.push(...(await verifyFiles(deps, files, deep)))
  if (containers && deps.engine.kind !== 'None') found.push(await verifyInstances(deps, containers))
  return found
}

/** Nodes that have an address and answer there, and a difference for each other one. */
async function reachableNodes({ db }: Deps): Promise<{ urls: string[]; missing: Found }> {
  const check = 'a node can be reached'
  const urls: string[] = []
  const differences: Difference[] = []
  for (const { id, url } of await listNodes(db)) {
    if (url !== null && (await isServed(url))) urls.push(url)
    else
      differences.push({
        check,
        table: 'nodes',
        id,
        found: url ? `no answer at ${url}` : 'no VEXIL_NODE_URL',
        expected: 'an answer',
      })
  }
  return { urls, missing: ofDifferences(check, differences) }
}

const ofDifferences = (check: string, differences: readonly Difference[]): Found => ({
  check,
  differences: differences.slice(0, listedMost),
  count: differences.length,
})

function releasedOf(count: number): Found {
  const check = 'no released file waits for the sweep'
  const difference = { check, table: 'released_files', id: 'all', found: `${count} rows`, expected: 'no rows', isWarning: true }
  return ofDifferences(check, count > 0 ? [difference] : [])
}

/** Each file is in the storage, with `deep` also with its bytes; those without references are warnings. */
async function verifyFiles({ storage }: Deps, files: readonly FileReference[], deep: boolean): Promise<Found[]> {
  const check = deep ? 'a stored file has the bytes of its hash' : 'a file is stored'
  const semaphore = openSemaphore(atATime, files.length)
  const checkFile = async ({ hash }: FileReference): Promise<Difference[]> => {
    const stored = deep ? await hashOf(storage, hash) : (await storage.has(hash)) && hash
    const found = stored ? `bytes of ${stored}` : 'not stored'
    return stored === hash ? [] : [{ check, table: 'files', id: hash, found, expected: 'stored' }]
  }
  const wrong = await Promise.all(files.map((file) => semaphore(() => checkFile(file))))
  const unused = 'a file has a reference'
  const without = files.filter(({ references }) => references === 0)
  return [
    ofDifferences(check, wrong.flat()),
    ofDifferences(
      unused,
      without.map(({ hash }) => ({
        check: unused,
        table: 'files',
        id: hash,
        found: 'none',
        expected: 'at least 1',
        isWarning: true,
      })),
    ),
  ]
}

async function hashOf(storage: Deps['storage'], hash: string): Promise<string | null> {
  const stored = await storage.get(hash)
  if (!stored) return null
  const digest = createHash('sha256')
  for await (const chunk of stored.stream) digest.update(chunk as Buffer)
  return digest.digest('hex')
}

/** A running row has containers, and containers have a row: warnings, since the sweeps of a running platform repair both. So is an engine that does not answer. */
async function verifyInstances(
  { engine }: Deps,
  rows: readonly { readonly id: string; readonly state: string }[],
): Promise<Found> {
  const check = 'instances of the database and of the container engine are the same'
  const warning = (table: string, id: string, found: string, expected: string): Difference => ({
    ...{ check, table, id, found, expected },
    isWarning: true,
  })
  const listed = await engine.list().catch((error: unknown) => {
    if (error instanceof EngineError) return error
    throw error
  })
  if (listed instanceof EngineError)
    return ofDifferences(check, [warning('engine', 'all', listed.message, 'a list of containers')])
  const there = new Set(listed.map(({ id }) => id))
  const known = new Set(rows.map(({ id }) => id))
  const lost = rows.filter(({ id, state }) => state === 'Running' && !there.has(id))
  const extra = [...there].filter((id) => !known.has(id))
  return ofDifferences(check, [
    ...lost.map(({ id }) => warning('containers', id, 'no container', 'a running container')),
    ...extra.map((id) => warning('engine', id, 'a container', 'a row of containers')),
  ])
}
