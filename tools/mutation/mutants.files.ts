/**
 * The rooms of core, server and the web, for `npm run tool -- mutants` and `npm run tool -- deletions`. A room has the source files
 * in its folders, and the tests in its folders or in `more`. A source file that is in no room fails `npm run check` (mutants.files.test.ts).
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'

const root = join(import.meta.dirname, '../..')

export interface Room {
  /** The name that selects this room; `of` selects it with others: `web-play` is a room of `web`. */
  readonly name: string
  readonly of: 'core' | 'server' | 'web'
  /** Patterns of its sources and tests. */
  readonly folders: readonly string[]
  /** Tests elsewhere that cover it. */
  readonly more: readonly string[]
  /** Minimum share of killed mutants among all valid mutants of a file, in per cent. */
  readonly least: number
}

const server = (name: string, more = '', folders: readonly string[] = [`apps/server/src/${name}/**`]): Room => ({
  name,
  of: 'server',
  folders,
  more: more.split(' ').flatMap((test) => (test ? [`apps/server/${test.includes('/') ? 'src' : 'test'}/${test}`] : [])),
  least: 85,
})

/** in-game.test.tsx opens the screens of most rooms; the other two run the queries of all of them, and what their changes reload. */
const web = (name: string, more: readonly string[] = []): Room => ({
  name: `web-${name}`,
  of: 'web',
  folders: [`apps/web/src/${name}/**`],
  more: ['apps/web/src/{queries.test.ts,after-changes.test.tsx,in-game.test.tsx}', ...more],
  least: 85,
})

/** Among the tests of other rooms, those that fail soonest come first. */
export const rooms: readonly Room[] = [
  // The tests of the server would notice more, but a rule of the game is tested in the package that defines it.
  { name: 'core', of: 'core', folders: ['packages/core/src/**'], more: [], least: 97 },
  server(
    'accounts',
    'log-records.test.ts call-effects.test.ts event-listeners.test.ts error-rows.test.ts known-sessions.test.ts concurrency.test.ts',
  ),
  server('backup', 'cli/backup.db.test.ts'),
  server('challenges', 'log-records.test.ts call-effects.test.ts event-listeners.test.ts error-rows.test.ts concurrency.test.ts'),
  server('cli'),
  server('db', 'submissions/record-attempts.db.test.ts query-counts.test.ts start.db.test.ts breaks.proof.test.ts'),
  server('demo'),
  server('engine', 'instances/try-container.test.ts instances/play.db.test.ts instances/engine-status.db.test.ts', [
    'apps/server/src/ports/engine/**',
  ]),
  server('files', 'writeups/*.db.test.ts sheets.test.ts uploads.test.ts'),
  server(
    'games',
    'submissions/submit-flag.db.test.ts log-records.test.ts call-effects.test.ts event-listeners.test.ts error-rows.test.ts concurrency.test.ts',
  ),
  server('health', 'cli/run.db.test.ts backup/scheduled-backups.db.test.ts'),
  server(
    'http',
    'door.test.ts uploads.test.ts pages.test.ts app.test.ts health.test.ts live.test.ts languages.test.ts arrival.test.ts instances/web.db.test.ts writeups/writeups.db.test.ts accounts/session-cookie.db.test.ts accounts/accounts.db.test.ts raw-sockets.test.ts',
  ),
  server('instances', 'log-records.test.ts call-effects.test.ts event-listeners.test.ts error-rows.test.ts metrics.test.ts'),
  server('metrics', 'metrics.test.ts processes.test.ts'),
  server(
    'ports',
    'accounts/captcha.db.test.ts accounts/mails/mails.db.test.ts files/files.db.test.ts files/disk-full.db.test.ts bucket.test.ts',
    ['bus', 'captcha', 'mail', 'storage'].map((port) => `apps/server/src/ports/${port}/**`),
  ),
  server(
    'process',
    'app.test.ts start.db.test.ts sweeps.test.ts periodic-work.test.ts worker-process.test.ts processes.test.ts health.test.ts log.test.ts accounts/mail-calls.db.test.ts',
    ['apps/server/src/*'],
  ),
  server('scoreboard', 'metrics.test.ts'),
  server('site', 'site-live.test.ts log-records.test.ts call-effects.test.ts event-listeners.test.ts error-rows.test.ts'),
  server(
    'submissions',
    'concurrency.test.ts log-records.test.ts call-effects.test.ts event-listeners.test.ts error-rows.test.ts',
  ),
  server('teams', 'accounts/users.db.test.ts games/join-game.db.test.ts log-records.test.ts concurrency.test.ts'),
  server('writeups', 'files/file-leases.db.test.ts log-records.test.ts'),
  web('account'),
  web('api', [
    'apps/web/src/{monitor/monitor-sheets,ui/time/when}.test.tsx',
    'apps/web/src/shell/*.test.tsx',
    'apps/web/src/scoreboard/*.test.tsx',
    'apps/web/src/play/*.test.tsx',
  ]),
  web('game-admin', ['apps/web/src/without-channel.test.tsx']),
  web('games'),
  web('monitor', ['apps/web/src/without-channel.test.tsx']),
  web('play'),
  web('posts'),
  web('scoreboard'),
  web('shell', ['apps/web/src/site-admin/**/*.test.tsx', 'apps/web/src/posts/*.test.tsx']),
  web('site-admin'),
  web('teams'),
  web('ui', ['apps/web/src/game-admin/**/*.test.tsx', 'apps/web/src/site-admin/**/*.test.tsx', 'apps/web/src/play/*.test.tsx']),
]

/** Source files that are in no room, by pattern, and the reason. */
export const excluded: readonly (readonly [string, string])[] = [
  ['**/*.test.{ts,tsx}', 'tests'],
  ['**/*.d.ts', 'types'],
  [
    'apps/server/src/instances/forward.mjs',
    'players download and run it as it is: tests run it so, and a switch in it would be sent',
  ],
  ['apps/server/src/db/schema.ts', 'types, made from the migrations'],
  ['apps/web/src/*.tsx', 'the start of the page and the table of its routes, which journeys open one by one'],
  ['apps/server/src/accounts/mails/{en_US,ja_JP,zh_CN}.ts', 'texts'],
]

const find = (...patterns: string[]): string[] => globSync(patterns, { cwd: root }).sort()
const isIn = (file: string, patterns: readonly string[]) => patterns.some((pattern) => matchesGlob(file, pattern))

/** The paths of all source files that must be in a room, from the root of the project. */
export const sources: readonly string[] = find(
  'packages/core/src/**/*.ts',
  'apps/server/src/**/*.{ts,mjs}',
  'apps/web/src/**/*.{ts,tsx}',
).filter((file) => !excluded.some(([pattern]) => matchesGlob(file, pattern)))

export const isComponent = (file: string): boolean => file.endsWith('.tsx')

/** Without tests on a cluster: creating one takes twenty minutes. */
const tests = find('packages/core/src/**/*.test.ts', 'apps/*/{src,test}/**/*.test.{ts,tsx}').filter(
  (test) => !test.endsWith('.cluster.test.ts'),
)

export const sourcesOf = ({ folders }: Room): string[] => sources.filter((file) => isIn(file, folders))

/** The tests next to its sources, then those elsewhere. */
export function testsOf({ folders, more }: Room): string[] {
  const found = [folders, ...more.map((test) => [test])].flatMap((patterns) => tests.filter((test) => isIn(test, patterns)))
  return [...new Set(found)]
}

const needsDatabase = (test: string): boolean => test.endsWith('.db.test.ts') || test.startsWith('apps/server/test/')

/** Whether a test mocks modules, so that it needs a separate worker. */
const mocks = (test: string): boolean => /\bvi\.(do)?[mM]ock\(/.test(readFileSync(join(root, test), 'utf8'))

/** The files and tests of one run of StrykerJS. */
export interface Part {
  readonly name: string
  readonly room: Room
  readonly files: readonly string[]
  readonly tests: readonly string[]
  /** Whether the tests need a database server. */
  readonly database: boolean
  readonly mocks: boolean
  /** Whether its files are components of the web. */
  readonly components: boolean
}

const testBeside = (file: string) => file.replace(/\.ts$/, '.test.ts')

/**
 * Sources of the server with tests next to them that need no database are one part: these tests are fast, and must be sufficient. All other
 * sources of the room run with all its tests. Components of the web are a separate part.
 */
export const parts: readonly Part[] = rooms
  .flatMap((room): Pick<Part, 'name' | 'room' | 'files' | 'tests'>[] => {
    const { name } = room
    const files = sourcesOf(room)
    const tests = testsOf(room)
    if (room.of === 'core') return [{ name, room, files, tests }]
    if (room.of === 'web')
      return [
        { name, room, files: files.filter((file) => !isComponent(file)), tests },
        { name: `${name}-components`, room, files: files.filter(isComponent), tests },
      ]
    const alone = files.filter((file) => existsSync(join(root, testBeside(file))))
    return [
      { name: `${name}-alone`, room, files: alone, tests: alone.map(testBeside) },
      {
        name,
        room,
        files: files.filter((file) => !alone.includes(file)),
        tests: tests.filter((test) => test.endsWith('.db.test.ts') || !mocks(test)),
      },
    ]
  })
  .filter(({ files }) => files.length > 0)
  .map((part) => ({
    ...part,
    database: part.tests.some(needsDatabase),
    mocks: part.tests.some(mocks),
    components: part.files.every(isComponent),
  }))
