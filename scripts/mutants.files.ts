/** What `npm run mutants` changes, by part, what each part must reach, and the tests that may notice. */
export interface Part {
  readonly name: 'core' | 'server'
  /** Within its name; the results of each are kept in a file of their own. */
  readonly room: string
  /** Killed of all valid mutants of a file, in per cent. */
  readonly least: number
  readonly files: readonly string[]
  /** Files of tests. */
  readonly tests: readonly string[]
  /** Whether the tests need a database server. */
  readonly database: boolean
}

const named = (folder: string, names: string): string[] => names.split(' ').map((name) => `${folder}/${name}.ts`)
const src = 'apps/server/src'

/** Files of the server that need no database, each with the tests beside it. */
const beside = (name: string, files: readonly string[]): Part => ({
  name: 'server',
  room: name,
  least: 85,
  database: false,
  files,
  tests: files.map((file) => file.replace(/\.ts$/, '.test.ts')),
})

/** A room of the server with the tests of its files on a real database. `files` and `tests` are words between blanks. */
const room = (name: string, files: string, tests: string): Part => ({
  name: 'server',
  room: name,
  least: 85,
  database: true,
  files: named(`${src}/${name}`, files),
  tests: tests.split(' '),
})

export const parts: readonly Part[] = [
  {
    name: 'core',
    room: 'core',
    least: 97,
    database: false,
    files: named(
      'packages/core/src',
      'accounts flags interop limits names participation phases refusals scoreboard scoring teams vocabulary',
    ),
    // The server's tests would notice more, but a rule of the game is proven where it stands.
    tests: ['packages/core/src/**/*.test.ts'],
  },
  beside(
    'door',
    named(
      `${src}/http`,
      'forwarding gate hub-protocol hub-seats hub-tokens json-scan network rate-limit route tolerance validate',
    ),
  ),
  beside('bodies', [`${src}/http/json-body.ts`]),
  beside('hubs', [`${src}/http/live.ts`]),
  beside('queues', [
    ...named(`${src}/accounts`, 'hash-queue sign-in-limits'),
    ...named(src, 'turns files/delivery'),
    ...named(`${src}/ports/bus`, 'message postgres'),
    `${src}/submissions/attempts.ts`,
  ]),
  beside('boards', [
    ...named(`${src}/scoreboard`, 'finished-bytes keep-board scoreboard.live'),
    ...named(src, 'games/games.live site/site.live submissions/submissions.live'),
  ]),
  room('submissions', 'submit-flag submissions.queries', `${src}/submissions/*.db.test.ts`),
  room(
    'games',
    'find-play join-game leave-game review-participation',
    `${src}/games/*.db.test.ts ${src}/submissions/submit-flag.db.test.ts`,
  ),
  room(
    'teams',
    'administer-team change-team-avatar create-team disband-team invites leave-team lock-team make-teams team-scene team-token teams.queries teams.view transfer-team update-team',
    `${src}/teams/*.db.test.ts ${src}/accounts/users.db.test.ts ${src}/games/join-game.db.test.ts`,
  ),
  room('writeups', 'delete-writeups hand-in-writeup writeups.queries', `${src}/writeups/*.db.test.ts`),
  room(
    'accounts',
    'accounts.queries add-users cancel-email-change change-avatar change-email change-password delete-user forget-expired log-in must-pass-captcha passwords recover-account register registrations.queries reset-password reset-user-password sessions set-up setup-token update-profile update-user users.queries verify-account visits',
    `${src}/accounts/*.db.test.ts`,
  ),
  room(
    'challenges',
    'add-flags challenges.queries create-challenge delete-challenge delete-flag edit-challenge open-challenge set-attachment',
    `${src}/challenges/*.db.test.ts`,
  ),
  room('site', 'change-logo change-settings edit-posts settings', `${src}/site/*.test.ts`),
  room(
    'instances',
    'capture captures destroy-instance end-container extend-instance instances.queries instances.view launch pcap start-instance sweep-containers test-container try-container tunnel tunnels tunnels.queries',
    `${src}/instances/*.test.ts`,
  ),
  room(
    'files',
    'delete-file file-leases files.queries release-file store-file upload-files',
    `${src}/files/*.db.test.ts ${src}/writeups/*.db.test.ts`,
  ),
]
