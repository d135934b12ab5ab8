/**
 * The tests whose SQL may behave differently on another version of PostgreSQL, with the reason. `npm test` also runs them on 15; `npm run proof`
 * runs all tests there. The other tests read, write and lock rows by key, which is the same in all versions.
 */
export const byVersion = {
  'apps/server/src/db/':
    'the migrations, statements that are tried again, jobs (skip locked), listen and notify, what a connection sets',
  'apps/server/src/submissions/record-attempts': 'the SQL function: a lock, a new snapshot behind it, numbers',
  'apps/server/src/submissions/submit-flag': 'the same function as calls use it, and what triggers raise meanwhile',
  'apps/server/src/submissions/stream-submissions': 'plans of long reads',
  'apps/server/src/scoreboard/log-counters': 'triggers with transition tables, and cascades',
  'apps/server/src/games/join-game': 'the SQL function: a lock, and what is tested again behind it',
}
