/**
 * Plants small faults, one at a time, in a copy of the project, and shows that the named test or lint finds each. A fault that goes unseen
 * fails the command. `--only WORD` takes the faults whose name has the word.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Fault {
  readonly name: string
  readonly file: string
  /** Must stand in the file exactly once. */
  readonly from: string
  readonly to: string
  /** What finds it: tests of a file by a part of their title, or a lint. */
  readonly found:
    | { readonly tests: string; readonly title: string; readonly project: 'unit' | 'web' | 'integration' }
    | 'types'
    | 'directions'
}

const unit = (tests: string, title: string) => ({ tests, title, project: 'unit' }) as const
const web = (tests: string, title: string) => ({ tests, title, project: 'web' }) as const
const integration = (tests: string, title: string) => ({ tests, title, project: 'integration' }) as const

const core = 'packages/core/src'
const server = 'apps/server/src'
const migrations = `${server}/db/migrations`

const faults: readonly Fault[] = [
  {
    name: 'the unique index of solves dropped',
    file: `${migrations}/0006_submissions.sql`,
    from: '  primary key (game_id, number),\n  constraint solves_once unique (participation_id, challenge_id)\n',
    to: '  primary key (game_id, number)\n',
    found: integration(`${server}/db/judges.db.test.ts`, 'a team solves a challenge once'),
  },
  {
    name: 'the lock of the log removed',
    file: `${migrations}/0006_submissions.sql`,
    from: 'where game_id = g for no key update;',
    to: 'where game_id = g;',
    found: integration('apps/server/test/concurrency.test.ts', '50 teams send the right flag at once'),
  },
  {
    name: 'the epoch not tested when an answer is stored',
    file: `${migrations}/0006_submissions.sql`,
    from: "        when i.seen <> e then 'stale'\n",
    to: '',
    found: integration('apps/server/test/concurrency.test.ts', 'a flag is removed while 30 teams send it'),
  },
  {
    name: 'suspended teams can still submit',
    file: `${core}/participation.ts`,
    from: "  if (scene.status === 'Suspended') throw new ParticipationSuspended()\n  if (scene.status !== 'Accepted') throw new ParticipationNotAccepted()",
    to: "  if (scene.status === 'Pending') throw new ParticipationNotAccepted()",
    found: integration(`${server}/submissions/submit-flag.db.test.ts`, 'a suspended team cannot submit'),
  },
  {
    name: 'the board not told of a suspension',
    file: `${migrations}/0006_submissions.sql`,
    from: 'create trigger participations_raise_update after update on participations for each row execute function participations_raise();\n',
    to: '',
    found: integration(`${server}/scoreboard`, 'worked game'),
  },
  {
    name: 'an answer at the very end counts',
    file: `${core}/phases.ts`,
    from: 'arrivedAt < game.endsAt',
    to: 'arrivedAt <= game.endsAt',
    found: unit(`${core}/phases.test.ts`, ''),
  },
  {
    name: 'ties ranked by team instead of time',
    file: `${core}/scoreboard.ts`,
    from: 'if (a.lastArrival !== b.lastArrival) return a.lastArrival < b.lastArrival ? -1 : 1',
    to: '',
    found: unit(`${core}/scoreboard.test.ts`, ''),
  },
  {
    name: 'points rounded up at halves',
    file: `${core}/scoring.ts`,
    from: 'Math.fround(Math.fround(perMille / 1000) + 1)',
    to: '1 + perMille / 1000',
    found: unit(`${core}/scoring.test.ts`, ''),
  },
  {
    name: 'a lower floor of the curve',
    file: `${core}/scoring.ts`,
    from: 'if (solves <= 1) return originalScore',
    to: 'if (solves <= 2) return originalScore',
    found: unit(`${core}/scoring.test.ts`, ''),
  },
  {
    name: 'the team hash cut at another place',
    file: `${core}/flags.ts`,
    from: '.slice(12, 12 + hashLength)',
    to: '.slice(0, hashLength)',
    found: unit(`${server}/games/game-keys.test.ts`, 'published vector'),
  },
  {
    name: 'another text signed in team tokens',
    file: `${core}/interop.ts`,
    from: '`GZCTF_TEAM_${',
    to: '`TEAM_${',
    found: unit(`${server}/games/game-keys.test.ts`, 'published vector'),
  },
  {
    name: 'a password of five characters',
    file: `${core}/limits.ts`,
    from: 'passwordMin: 6',
    to: 'passwordMin: 5',
    found: unit(`${core}/accounts.test.ts`, ''),
  },
  {
    name: 'the member limit off by one',
    file: `${core}/participation.ts`,
    from: '(participation?.members ?? 0) >= game.memberLimit',
    to: '(participation?.members ?? 0) > game.memberLimit',
    found: integration('apps/server/test/concurrency.test.ts', '20 members join one game'),
  },
  {
    name: 'a guard lowered',
    file: 'packages/contract/src/games.ts',
    from: "endpoint('POST /api/edit/games', {\n  access: 'admin'",
    to: "endpoint('POST /api/edit/games', {\n  access: 'monitor'",
    found: integration('apps/server/test/calls.test.ts', 'is refused to Monitor'),
  },
  {
    name: 'times end in Z',
    file: 'packages/contract/src/wire.ts',
    from: '`${iso.slice(0, -5)}+00:00`',
    to: '`${iso.slice(0, -5)}Z`',
    found: unit('packages/contract/src/wire.test.ts', ''),
  },
  {
    name: 'the code of an ended game forgotten',
    file: 'packages/contract/src/errors.ts',
    from: "'game.ended': { http: 400, body: 10002 }",
    to: "'game.ended': { http: 400 }",
    found: integration(`${server}/submissions/submit-flag.db.test.ts`, '400/10002'),
  },
  {
    name: 'a rule without its text in Japanese',
    file: 'packages/contract/src/messages/ja_JP.ts',
    from: "    'game.ended': '競技は終了しました',\n",
    to: '',
    found: 'types',
  },
  {
    name: 'a word of the web lost in Chinese',
    file: 'apps/web/locales/zh_CN.json',
    from: '    "submit": "提交 flag",\n',
    to: '',
    found: web('apps/web/src/locales.test.ts', ''),
  },
  {
    name: 'a room below imports one above',
    file: `${server}/teams/lock-team.ts`,
    from: "import type { Tx } from '../db/transaction.ts'\n",
    to: "import type { Tx } from '../db/transaction.ts'\nimport '../games/lock-log.ts'\n",
    found: 'directions',
  },
  {
    name: 'the sanitiser lets handlers through',
    file: 'apps/web/src/ui/markdown-engine.ts',
    from: 'ALLOWED_ATTR: attributes',
    to: "ALLOWED_ATTR: [...attributes, 'onerror', 'onload', 'onclick']",
    found: web('apps/web/src/ui/markdown.test.ts', ''),
  },
  {
    name: 'a page of another site may change things',
    file: `${server}/http/origin.ts`,
    from: 'return from.host === host || from.origin === new URL(publicUrl).origin',
    to: 'return from.host !== ""',
    found: integration('apps/server/test/live.test.ts', 'a page of another site may not connect'),
  },
  {
    name: 'a demoted monitor keeps listening',
    file: `${server}/app.ts`,
    from: '  versions.onSecurity(() => void live.recheck().catch(deps.report))\n',
    to: '',
    found: integration('apps/server/test/live.test.ts', 'a demoted monitor gets nothing more'),
  },
  {
    name: 'a token of one hub opens another',
    file: `${server}/http/live.ts`,
    from: 'const right = Buffer.from(sign(`${id} ${stamp} ${path} ${game}`))',
    to: 'const right = Buffer.from(sign(`${id} ${stamp} /hub/user ${game}`))',
    found: integration('apps/server/test/live.test.ts', 'a token opens only the hub'),
  },
  {
    name: 'the same file given to two teams',
    file: `${server}/challenges/open-challenge.ts`,
    from: 'and taken_at is null order by random()',
    to: 'order by random()',
    found: integration('apps/server/test/concurrency.test.ts', '30 teams open a challenge of 30 files'),
  },
  {
    name: 'an expired session still opens',
    file: `${server}/accounts/sessions.ts`,
    from: "    .where('expiresAt', '>', sql<Date>`clock_timestamp()`)\n",
    to: '',
    found: integration(`${server}/accounts/sessions.db.test.ts`, 'a session that has run out opens nothing'),
  },
]

const root = join(import.meta.dirname, '..')
const copy = mkdtempSync(join(tmpdir(), 'vexil-plant-'))
const run = (command: string, args: readonly string[]) =>
  spawnSync(command, args, { cwd: copy, encoding: 'utf8', env: { ...process.env, VEXIL_TEST_POSTGRES: '18', FORCE_COLOR: '0' } })

/** The copy has its own folders and shares the installed packages' files by hard links. */
function copyProject(): void {
  const files = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  }).stdout
  spawnSync('xargs', ['-0', 'cp', '--parents', '-t', copy], { cwd: root, input: files })
  spawnSync('cp', ['-al', join(root, 'node_modules'), join(copy, 'node_modules')])
  for (const place of ['apps/server', 'apps/web'])
    spawnSync('cp', ['-al', join(root, place, 'node_modules'), join(copy, place, 'node_modules')])
}

/** Whether what should find the fault is red, and what it said. */
function isFound(found: Fault['found']): { red: boolean; said: string } {
  if (found === 'types') {
    const { status, stdout } = run('node', ['node_modules/typescript-7/bin/tsc', '-p', '.'])
    return { red: status !== 0, said: stdout.split('\n')[0] ?? '' }
  }
  if (found === 'directions') {
    const { status, stdout } = run('npx', ['depcruise', 'packages', 'apps', '--config', '.dependency-cruiser.cjs'])
    return { red: status !== 0, said: /error [^\n]+/.exec(stdout)?.[0] ?? '' }
  }
  const { tests, title, project } = found
  const { status, stdout } = run('npx', ['vitest', 'run', '--project', project, tests, ...(title ? ['-t', title] : [])])
  const ran = /Tests\s+[^\n]*(failed|passed)/.test(stdout)
  return { red: status !== 0 && ran && /Tests\s+[^\n]*failed/.test(stdout), said: /FAIL\s+([^\n]+)/.exec(stdout)?.[1] ?? '' }
}

const only = process.argv.indexOf('--only')
const chosen = only > 0 ? faults.filter(({ name }) => name.includes(process.argv[only + 1] ?? '')) : faults
let passed = 0
try {
  copyProject()
  for (const { name, file, from, to, found } of chosen) {
    const path = join(copy, file)
    const whole = readFileSync(path, 'utf8')
    if (whole.split(from).length !== 2) {
      console.log(`not planted\t${name}: its place in ${file} is gone`)
      continue
    }
    writeFileSync(
      path,
      whole.replace(from, () => to),
    )
    const { red, said } = isFound(found)
    writeFileSync(path, whole)
    if (red) passed++
    console.log(`${red ? 'found' : 'NOT FOUND'}\t${name}\t${said}`)
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
console.log(`${passed} passed, ${chosen.length - passed} failed`)
process.exitCode = passed === chosen.length ? 0 : 1
