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
  /** Whether tests replace modules by others, so that each file of them needs a process of its own. */
  readonly mocks?: boolean
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

/**
 * A room of the server, or what follows a dash in `name` of it, with its tests on a real database. `files` and `tests` are words between
 * blanks; the tests that fail soonest stand first.
 */
const room = (name: string, files: string, tests: string, mocks = false): Part => ({
  name: 'server',
  room: name,
  least: 85,
  database: true,
  mocks,
  files: named(`${src}/${name.split('-')[0]}`, files),
  tests: tests.split(' ').map((test) => (test.startsWith('test/') ? `apps/server/${test}` : `${src}/${test}`)),
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
  room('submissions', 'submit-flag submissions.queries', 'submissions/*.db.test.ts'),
  room('games', 'find-play join-game leave-game review-participation', 'games/*.db.test.ts submissions/submit-flag.db.test.ts'),
  room(
    'teams',
    'administer-team change-team-avatar create-team disband-team invites leave-team lock-team make-teams team-scene team-token teams.queries teams.view transfer-team update-team',
    'teams/teams.log.db.test.ts teams/teams.admin.db.test.ts teams/teams.db.test.ts accounts/users.db.test.ts games/join-game.db.test.ts',
  ),
  room('writeups', 'delete-writeups hand-in-writeup writeups.queries', 'writeups/*.db.test.ts'),
  room(
    'accounts-mail',
    'cancel-email-change change-email recover-account register registrations.queries reset-password verify-account',
    'accounts/access-ends.db.test.ts accounts/mail-calls.db.test.ts accounts/mails/mails.db.test.ts accounts/captcha.db.test.ts accounts/accounts.db.test.ts test/log-records.test.ts',
  ),
  room(
    'accounts-own',
    'accounts.queries change-avatar change-password forget-expired must-pass-captcha sessions update-profile visits',
    'accounts/sessions.db.test.ts accounts/captcha.db.test.ts accounts/visits.db.test.ts accounts/accounts.db.test.ts accounts/access-ends.db.test.ts accounts/names.db.test.ts accounts/setup.db.test.ts accounts/mail-calls.db.test.ts test/log-records.test.ts',
  ),
  room(
    'accounts-others',
    'add-users delete-user reset-user-password update-user users.queries',
    'accounts/users.db.test.ts accounts/names.db.test.ts accounts/access-ends.db.test.ts',
  ),
  room('accounts-setup', 'set-up setup-token', 'accounts/setup.db.test.ts'),
  beside('accounts-guesses', [`${src}/accounts/passwords.ts`]),
  room(
    'accounts-sign-in',
    'log-in',
    'accounts/accounts.db.test.ts accounts/names.db.test.ts accounts/captcha.db.test.ts accounts/mail-calls.db.test.ts accounts/throttle.db.test.ts test/log-records.test.ts',
  ),
  room(
    'challenges',
    'add-flags challenges.queries create-challenge delete-challenge delete-flag edit-challenge open-challenge set-attachment',
    'challenges/*.db.test.ts',
  ),
  room('site', 'change-logo change-settings edit-posts settings', 'site/*.db.test.ts site/settings.test.ts'),
  room(
    'instances-play',
    'destroy-instance end-container extend-instance instances.queries instances.view launch start-instance test-container',
    'instances/no-engine.db.test.ts instances/play.db.test.ts instances/live.db.test.ts instances/sweep.db.test.ts test/log-records.test.ts',
  ),
  room('instances-sweep', 'sweep-containers', 'instances/sweep.db.test.ts instances/live.db.test.ts test/log-records.test.ts'),
  beside('instances-traffic', named(`${src}/instances`, 'capture captures pcap tunnel')),
  room('instances-proxy', 'tunnels tunnels.queries', 'instances/web.db.test.ts instances/proxy.db.test.ts'),
  beside('instances-try', [`${src}/instances/try-container.ts`]),
  room(
    'files',
    'delete-file file-leases files.queries release-file store-file upload-files',
    'files/*.db.test.ts writeups/*.db.test.ts',
    true,
  ),
]
