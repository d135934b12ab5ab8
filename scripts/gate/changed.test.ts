import { expect, test } from 'vitest'
import { reached } from './changed.mjs'

test.each([
  ['a document', 'docs/operations.md', []],
  ['a test', 'apps/server/src/games/join-game.db.test.ts', []],
  ['a screen', 'apps/web/src/play/flag-form.tsx', ['web', 'journeys']],
  ['a rule', 'packages/core/src/flags.ts', ['web', 'journeys']],
  ['a room of the server', 'apps/server/src/games/join-game.ts', ['journeys']],
  ['its statements', 'apps/server/src/games/games.queries.ts', ['journeys', 'sql']],
  ['code that every process runs', 'apps/server/src/heartbeat.mjs', ['journeys']],
  ['code that players run', 'apps/server/src/instances/forward.py', ['journeys']],
  ['a migration', 'apps/server/src/db/migrations/0011_x.sql', ['journeys', 'sql']],
  ['a journey', 'e2e/journeys/keyboard.spec.ts', ['journeys']],
])('%s selects the checks that it can break', (_name, file, stages) => {
  expect(Object.entries(reached([file])).flatMap(([stage, is]) => (is ? [stage] : []))).toEqual(stages)
})
