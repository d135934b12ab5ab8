/** What `npm run mutants` changes, by part, and what each part must reach. */
export interface Part {
  readonly name: 'core' | 'server'
  /** Tests that may kill a mutant. */
  readonly project: 'unit' | 'integration'
  /** Killed of all valid mutants of a file, in per cent. */
  readonly least: number
  readonly files: readonly string[]
}

const core = ['accounts', 'flags', 'interop', 'limits', 'names', 'participation', 'phases', 'refusals', 'scoreboard', 'scoring']
const door = [
  'forwarding',
  'gate',
  'hub-protocol',
  'hub-seats',
  'hub-tokens',
  'json-body',
  'json-scan',
  'network',
  'rate-limit',
  'tolerance',
  'validate',
]

export const parts: readonly Part[] = [
  {
    name: 'core',
    project: 'unit',
    least: 97,
    files: [...core, 'teams', 'vocabulary'].map((file) => `packages/core/src/${file}.ts`),
  },
  {
    name: 'server',
    project: 'unit',
    least: 85,
    files: [
      ...door.map((file) => `apps/server/src/http/${file}.ts`),
      'apps/server/src/accounts/hash-queue.ts',
      'apps/server/src/accounts/sign-in-limits.ts',
      'apps/server/src/files/delivery.ts',
      'apps/server/src/turns.ts',
      'apps/server/src/ports/bus/message.ts',
      'apps/server/src/ports/bus/postgres.ts',
      'apps/server/src/scoreboard/finished-bytes.ts',
      'apps/server/src/submissions/attempts.ts',
    ],
  },
  {
    name: 'server',
    project: 'integration',
    least: 85,
    files: [
      'apps/server/src/accounts/*.ts',
      'apps/server/src/games/join-game.ts',
      'apps/server/src/games/leave-game.ts',
      'apps/server/src/games/review-participation.ts',
      'apps/server/src/http/live.ts',
      'apps/server/src/http/route.ts',
      'apps/server/src/scoreboard/keep-board.ts',
      'apps/server/src/scoreboard/scoreboard.live.ts',
      'apps/server/src/submissions/submit-flag.ts',
      'apps/server/src/submissions/submissions.live.ts',
      'apps/server/src/teams/*.ts',
      'apps/server/src/writeups/hand-in-writeup.ts',
      '!apps/server/src/accounts/{hash-queue,sign-in-limits}.ts',
    ],
  },
]
