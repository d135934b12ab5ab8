/** The listeners of each event of the bus, and the test that fails when a subscription is missing. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EventName } from '../src/ports/bus/bus.ts'
import type { CallName } from './access.table.ts'
import { callEffects } from './call-effects.table.ts'

const sources = join(import.meta.dirname, '../src')

/** A case of call-effects.table.ts; the title of another test with its file; or why the loss of the event is not noticed. */
type Proof =
  | readonly [call: Exclude<CallName, `GET ${string}`>, when: string]
  | { readonly file: string; readonly title: string }
  | { readonly unseen: string }

const polled = { unseen: 'a poll four times a second does the same' } as const

/** By event and by the file that subscribes to it. */
const listeners: Readonly<Record<EventName, Readonly<Record<string, Proof>>>> = {
  'game.changed': {
    'games/games.live.ts': ['PUT /api/edit/games/:id/poster', 'for the first time'],
    'instances/instance-sweeper.ts': ['PUT /api/edit/games/:id', 'that ends it, with an instance'],
    'instances/forget-captures.ts': ['DELETE /api/edit/games/:id', 'with a poster, an instance and captured traffic'],
    'scoreboard/scoreboard.live.ts': polled,
  },
  'challenge.changed': {
    'games/games.live.ts': ['POST /api/edit/games/:id/challenges/updateaccepted', 'by an editor'],
    'instances/instance-sweeper.ts': ['PUT /api/edit/games/:id/challenges/:cid', 'disabled, with an instance'],
    'instances/image-pulls.ts': ['PUT /api/edit/games/:id/challenges/:cid', 'of every field of one with containers'],
    'instances/forget-captures.ts': ['DELETE /api/edit/games/:id/challenges/:cid', 'with an instance and captured traffic'],
    'scoreboard/scoreboard.live.ts': polled,
  },
  'team.changed': {
    'instances/instance-sweeper.ts': ['DELETE /api/admin/teams/:id', 'of a team that plays, with an instance'],
  },
  'participation.changed': {
    'games/games.live.ts': ['POST /api/game/:id', 'and waits for review'],
    'instances/instance-sweeper.ts': ['PUT /api/admin/participation/:id/:status', 'to Suspended, with an instance'],
    'scoreboard/scoreboard.live.ts': polled,
  },
  'submission.judged': {
    'instances/instance-sweeper.ts': {
      file: 'src/instances/sweep.db.test.ts',
      title: 'ends only the instance of its team and challenge, a few seconds later',
    },
    'scoreboard/scoreboard.live.ts': polled,
    'submissions/submissions.live.ts': ['POST /api/game/:id/challenges/:cid', 'a wrong answer'],
  },
  'notice.added': { 'games/games.live.ts': ['POST /api/edit/games/:id/notices', 'by an editor'] },
  'notice.changed': { 'games/games.live.ts': ['PUT /api/edit/games/:id/notices/:nid', 'of its text'] },
  'event.recorded': { 'instances/instances.live.ts': ['POST /api/game/:id/container/:cid', 'for the first time'] },
  'instance.changed': {
    'instances/instances.live.ts': ['POST /api/game/:id/container/:cid/extend', 'of one that runs'],
    'instances/starts.ts': {
      file: 'src/instances/starts.db.test.ts',
      title: 'is stopped when another node ends its row',
    },
    'instances/tunnels.ts': {
      file: 'src/instances/proxy.db.test.ts',
      title: 'is closed with 1001 when another node ends the row',
    },
  },
  'start.changed': {
    'instances/instances.live.ts': {
      file: 'src/instances/starts.db.test.ts',
      title: 'its progress reaches the team, and no other, at most once a second',
    },
  },
  'log.written': { 'site/site.live.ts': ['PUT /api/team/:id/transfer', 'to the member'] },
  'settings.changed': { 'app.ts': polled },
  'security.changed': { 'app.ts': polled },
}

const texts = globSync('**/*.ts', { cwd: sources })
  .filter((file) => !/\.(test|suite)\.ts$/.test(file) && !file.startsWith('ports/bus/'))
  .map((file) => ({ file, text: readFileSync(join(sources, file), 'utf8') }))

// `npm run tool -- mutants` replaces the texts of the sources by expressions.
const readsSources = test.skipIf(process.env.VEXIL_MUTANTS)

readsSources('every subscription to the bus has its row, and every row has its subscription', () => {
  const found = texts.flatMap(({ file, text }) => {
    const plain = [...text.matchAll(/bus\.subscribe\(\s*'([\w.]+)'/g)].map(([, name]) => `${name} ${file}`)
    const lists = [...text.matchAll(/for \(const name of \[([^\]]+)\] as const\) bus\.subscribe\(name\b/g)]
    return [
      ...plain,
      ...lists.flatMap(([, names = '']) => [...names.matchAll(/'([\w.]+)'/g)].map(([, name]) => `${name} ${file}`)),
    ]
  })
  const rows = Object.entries(listeners).flatMap(([name, files]) => Object.keys(files).map((file) => `${name} ${file}`))
  expect([...new Set(found)].sort()).toEqual(rows.sort())
})

readsSources('every event is published, and no others', () => {
  const published = texts.flatMap(({ text }) => [...text.matchAll(/\bbus\.publish\('([\w.]+)'/g)].map(([, name]) => name))
  expect([...new Set(published)].sort()).toEqual(Object.keys(listeners).sort())
})

test('the tests named by the rows exist', () => {
  const missing = Object.values(listeners)
    .flatMap((files) => Object.values(files))
    .filter((proof) => {
      if ('unseen' in proof) return false
      if ('file' in proof) return !readFileSync(join(sources, '..', proof.file), 'utf8').includes(`'${proof.title}'`)
      return !(proof[1] in callEffects[proof[0]])
    })
  expect(missing).toEqual([])
})
