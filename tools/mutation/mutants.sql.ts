/** Small edits of the functions and triggers of the database, and the integration tests that find each. */
import type { Edit, NamedTests } from './copied-project.ts'

interface SqlEdit extends Edit {
  readonly found: NamedTests
}

const server = 'apps/server/src'
const games = `${server}/db/migrations/0004_games.sql`
const challenges = `${server}/db/migrations/0005_challenges.sql`
const submissions = `${server}/db/migrations/0006_submissions.sql`
const record = `${server}/db/migrations/0007_record_attempts.sql`
const join = `${server}/db/migrations/0010_join_game.sql`
const logs = `${server}/db/migrations/0025_solve_logs.sql`

const edit =
  (file: string, tests: string) =>
  (name: string, from: string, to: string, title = ''): SqlEdit => ({
    name,
    file,
    from,
    to,
    found: { tests: `apps/server/${tests}`, title, project: 'integration' },
  })

const counters = 'src/scoreboard/log-counters.db.test.ts'
const ofGames = edit(games, counters)
const ofChallenges = edit(challenges, counters)
const ofTeams = edit(submissions, counters)
const ofAnswers = edit(record, 'src/submissions/record-attempts.db.test.ts')

const withoutLock = (file: string, name: string, from: string, to: string, title: string) =>
  edit(file, 'test/locks.test.ts')(name, from, to, title)

export const sqlEdits: readonly SqlEdit[] = [
  ofGames('epoch raised by two', 'epoch = l.epoch + 1', 'epoch = l.epoch + 2'),
  ofGames('roster raised by two', 'roster = l.roster + 1', 'roster = l.roster + 2'),
  ofGames('the start of a game moves without the board', 'old.starts_at <> new.starts_at or ', ''),
  ofGames('the end of a game moves without the board', 'old.ends_at <> new.ends_at or ', ''),
  ofGames('the bonus of a game changes without the board', ' or old.blood_bonus <> new.blood_bonus\n', '\n'),
  ofGames('divisions change without the board', 'old.divisions <> new.divisions or ', ''),
  ofGames('the title of a game changes without the board', ' or old.title <> new.title', ''),

  ofChallenges('a challenge is enabled without the board', '(old.enabled or new.enabled) and', 'old.enabled and'),
  ofChallenges('a challenge is disabled without the board', '(old.enabled or new.enabled) and', 'new.enabled and'),
  ofChallenges('a disabled challenge draws the board', '(old.enabled or new.enabled) and ', ''),
  ofChallenges('a deleted challenge stays', '    perform raise_epoch(array[old.game_id]);\n    return old;', '    return old;'),
  ofChallenges('a changed flag judges nothing anew', 'when (old.flag <> new.flag)', 'when (old.id <> new.id)'),
  ofChallenges('a flag that is taken draws the board', 'when (old.flag <> new.flag)', ''),
  ofChallenges(
    'added flags judge nothing anew',
    'create trigger flags_raise_insert after insert on flags referencing new table as changed\n  for each statement execute function flags_raise_list();\n',
    '',
  ),
  ofChallenges(
    'lists of flags draw the boards of every game',
    ' join challenges c on c.id = f.challenge_id',
    ' cross join challenges c',
  ),

  ofTeams(
    'a new accepted team draws the board anew',
    "if new.status = 'Accepted' then perform raise_roster",
    "if new.status = 'Accepted' then perform raise_epoch",
  ),
  ofTeams(
    'a request is a row of the board',
    "if new.status = 'Accepted' then perform raise_roster(array[new.game_id]); end if;",
    'perform raise_roster(array[new.game_id]);',
  ),
  ofTeams(
    'a readmitted team with solves is one more row',
    ' and not exists (select from solves where participation_id = new.id)',
    '',
  ),
  ofTeams('a team that is turned away stays', "(old.status = 'Accepted' or new.status = 'Accepted')", "new.status = 'Accepted'"),
  ofTeams('a readmitted team stays away', "(old.status = 'Accepted' or new.status = 'Accepted')", "old.status = 'Accepted'"),
  edit(logs, counters)('a withdrawn application draws the board', "  when (old.status = 'Accepted') execute", '  execute'),
  ofTeams('a new division does not reach the board', 'old.division is distinct from new.division', 'false'),
  ofTeams('the division of a request reaches the board', "elsif new.status = 'Accepted' and old.division", 'elsif old.division'),
  ofTeams('the new name of a team does not reach the board', 'old.name <> new.name or ', ''),
  ofTeams('the new words of a team do not reach the board', 'old.bio is distinct from new.bio or ', ''),
  ofTeams('the new picture of a team does not reach the board', ' or old.avatar_hash is distinct from new.avatar_hash', ''),
  ofTeams(
    'a solver who left the team keeps his old name',
    '    union select game_id from solves where account_id = old.id\n',
    '',
  ),
  ofTeams('every change of an account reaches the boards', ' when (old.user_name <> new.user_name)\n', '\n'),
  ofTeams(
    'a deleted solver keeps his name',
    'create trigger accounts_raise_rosters_deleted before delete on accounts for each row execute function accounts_raise_rosters();\n',
    '',
  ),

  ofAnswers('the epoch is not looked at', "        when i.seen_epoch <> current_epoch then 'stale'\n", ''),
  ofAnswers('an older epoch is good enough', 'i.seen_epoch <> current_epoch', 'i.seen_epoch > current_epoch'),
  ofAnswers('disabled challenges take answers', "        when not c.enabled then 'gone'\n", ''),
  ofAnswers('challenges of other games take answers', ' and c.game_id = in_game', ''),
  ofAnswers('participations of other games take answers', ' and p.game_id = in_game', ''),
  ofAnswers('banned users submit', "        when a.role = 'Banned' then 'banned'\n", ''),
  ofAnswers('strangers submit', "        when r.account_id is null then 'missing'\n", ''),
  ofAnswers('suspended teams submit', "        when p.status <> 'Accepted' then 'not_accepted'\n", ''),
  ofAnswers('the own flag is a copy', ' and h.participation_id <> k.participation_id', ''),
  ofAnswers('the flag of another challenge is a copy', 'h.challenge_id = k.challenge_id and h.flag', 'h.flag'),
  ofAnswers('right answers are searched for copies', " and k.judged = 'WrongAnswer'", ''),
  ofAnswers('a copy stays a wrong answer', "case when o.source_id is null then k.judged else 'CheatDetected' end", 'k.judged'),
  ofAnswers(
    'the second right answer of a team is a solve again',
    '      and not exists (select from solves s where s.participation_id = n.participation_id and s.challenge_id = n.challenge_id)\n',
    '',
  ),
  edit(logs, 'src/submissions/record-attempts.db.test.ts')(
    'a late solve keeps its place',
    's.arrived_at < game_end or n.arrived >= game_end',
    'true',
  ),
  ofAnswers('a team solves one challenge only', ' and s.challenge_id = n.challenge_id)', ')'),
  ofAnswers('a batch holds a solve twice', 'select distinct on (n.participation_id, n.challenge_id) n.*', 'select n.*'),
  ofAnswers('numbers begin where the last one was', 'old_head + row_number()', 'old_head - 1 + row_number()'),
  ofAnswers('the shown time runs backwards', 'greatest(last_shown, max(f.arrived)', 'greatest(null, max(f.arrived)'),
  ofAnswers('an answer after the end has a blood', 'f.arrived < game_end and f.joined < game_end', 'f.joined < game_end'),
  ofAnswers('the head of the log stays', 'set head = old_head + (select count(*) from logged)', 'set head = old_head'),
  ofAnswers(
    'bloods are counted over all challenges',
    's.challenge_id = l.challenge_id and s.arrived_at',
    's.game_id = in_game and s.arrived_at',
  ),
  ofAnswers('late answers take bloods away', ' and s.arrived_at < game_end', ''),
  ofAnswers('suspended teams take bloods away', "and p.status = 'Accepted' and p.created_at", 'and p.created_at'),
  ofAnswers('teams that joined after the end take bloods away', ' and p.created_at < game_end', ''),
  ofAnswers('four bloods', 'where blood <= 3', 'where blood <= 4'),
  ofAnswers('two bloods', 'where blood <= 3', 'where blood <= 2'),
  ofAnswers('notices with title before team', 'array[b.team, b.title]', 'array[b.title, b.team]'),
  ofAnswers('the wait before the call is lost', '(began - make_interval(secs => i.waited))', 'began'),

  ...['epoch', 'roster'].map((counter) => {
    const set = `set ${counter} = l.${counter} + 1, changed_at = clock_timestamp()\n  from (select game_id from solve_logs where game_id = any (games) order by game_id`
    const name = `logs are raised without their order (${counter})`
    return withoutLock(games, name, `${set} for no key update)`, `${set})`, 'locks the logs of several games')
  }),
  withoutLock(
    logs,
    'the logs of a deleted team are not locked',
    ' order by game_id for no key update;',
    ';',
    'the deletion of a team locks the logs',
  ),
  withoutLock(
    games,
    'who leaves does not wait for the log',
    '  perform 1 from solve_logs where game_id = old.game_id for no key update;\n',
    '',
    'leaving a game waits',
  ),
  withoutLock(
    games,
    'who leaves does not wait for the participation',
    'where id = old.participation_id for update;',
    'where id = old.participation_id;',
    'leaving a game waits',
  ),
  withoutLock(
    record,
    'numbers are read without the lock',
    'where game_id = in_game for no key update;',
    'where game_id = in_game;',
    'solve numbers are assigned',
  ),
  ...[
    ['the log of the game', 'from solve_logs where game_id = in_game for no key update;'],
    ['the team', 'from teams where id = in_team for key share;'],
    ['the membership', 'from team_members where team_id = in_team and account_id = in_account for key share;'],
  ].map(([what = '', lock = '']) =>
    withoutLock(
      join,
      `a join does not wait for ${what}`,
      lock,
      lock.replace(/ for (no key update|key share)/, ''),
      'a join waits',
    ),
  ),
]
