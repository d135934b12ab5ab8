/** The parts of `npm run proof`. Each is called with `{ tally, file }`: it adds to the tally, and tests write their report to `file(name)`. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled } from '../apt.mjs'
import { startDocker } from '../docker-engine.mjs'
import { withPostgres15 } from '../postgres-15.mjs'
import { buildWeb, root } from '../toolchain.mjs'
import { run } from './run.mjs'
import { playwright, vitest } from './tests.mjs'

const proof = (file) => `apps/server/test/${file}.proof.test.ts`
const rounds = (number) => ({ VEXIL_ROUNDS: process.env.VEXIL_ROUNDS ?? String(number) })
const tests =
  (...args) =>
  ({ file, tally }, env = {}, name = 'tests') =>
    vitest(tally, name, args, { file: file(name), env })

/** A separate command; its exit code is 0 after success and 3 if something could not be installed. */
const command =
  (...args) =>
  async ({ tally }, env = {}) => {
    const name = args[0].replace(/^\w+\/|\.\w+$/g, '')
    const { status } = await run(name, args, { env })
    if (status === 3) tally.skip(args.join(' '), 'see above')
    else tally.count(args.join(' '), status === 0)
  }

const onPostgres15 = (work) => (part) => withPostgres15((url, server) => work(part, url, server), part.tally.skip)
const outside = (url) => ({ VEXIL_TEST_DATABASE_URL: url })
const all =
  (...steps) =>
  async (part) => {
    for (const step of steps) await step(part)
  }

async function testBehind({ tally, file }, proxy) {
  const env = { VEXIL_TEST_PROXY: proxy }
  await tests('apps/server/test/concurrency.test.ts', 'apps/server/test/fuzz.test.ts')({ tally, file }, env, `tests-${proxy}`)
  await playwright(tally, `journeys-${proxy}`, [], { file: file(`journeys-${proxy}`), env })
}

/** Without an engine the tests on Docker are skipped and count as not run. */
async function withDocker(work) {
  const docker = startDocker((name, reason) => console.log(`NOT RUN: ${name}: ${reason}`))
  try {
    await work(docker ? { VEXIL_TEST_DOCKER: docker.host } : {})
  } finally {
    docker?.stop()
  }
}

/** The rooms of mutants.files.ts, which this script cannot import: it may run on an older version of Node. */
export const rooms = [
  ...[
    'core',
    'accounts',
    'backup',
    'challenges',
    'cli',
    'db',
    'demo',
    'engine',
    'files',
    'games',
    'health',
    'http',
    'instances',
    'metrics',
    'ports',
    'process',
  ],
  ...['scoreboard', 'site', 'submissions', 'teams', 'writeups'],
  ...['web-account', 'web-api', 'web-game-admin', 'web-games', 'web-monitor', 'web-play', 'web-posts', 'web-scoreboard'],
  ...['web-shell', 'web-site-admin', 'web-teams', 'web-ui'],
]

/** A part for each room, so that an interrupted run continues with the next room. */
const ofEachRoom = (name, work) => Object.fromEntries(rooms.map((room) => [`${name}-${room}`, work(room)]))

export const parts = {
  /** Tests that are too slow for each change and belong to no other part. */
  long: tests(
    ...readdirSync(join(root, 'apps/server/test'))
      .filter((file) => file.endsWith('.proof.test.ts') && !/^(kill|breaks|containers-\w+|live-restore)\./.test(file))
      .map((file) => `apps/server/test/${file}`),
  ),
  races: all(
    (part) => tests('apps/server/test/concurrency.test.ts')(part, rounds(50), 'embedded'),
    onPostgres15((part, url) => tests('apps/server/test/concurrency.test.ts')(part, { ...rounds(50), ...outside(url) }, 'on-15')),
  ),
  kills: (part) => tests(proof('kill'))(part, rounds(20)),
  breaks: all(
    (part) => tests(proof('breaks'))(part, rounds(30), 'embedded'),
    onPostgres15((part, url, server) =>
      tests(proof('breaks'))(
        part,
        { ...rounds(30), VEXIL_BREAKS_SERVER: JSON.stringify({ url, ...server }) },
        'on-15-with-two-nodes',
      ),
    ),
  ),
  restart: command('tools/bench/restart.ts'),
  chaos: command('tools/chaos/chaos.ts', '--seed', 'proof'),
  nodes: all(command('tools/nodes/nodes.ts'), command('tools/nodes/nodes.ts', '--proxy', 'nginx')),
  /** Tests and journeys behind proxies with the sample configurations of `deploy/` for several nodes. */
  'behind-proxy': async (part) => {
    part.tally.count('web build', buildWeb())
    for (const [name, program] of [
      ['haproxy', '/usr/sbin/haproxy'],
      ['nginx', '/usr/sbin/nginx'],
    ]) {
      if (!ensureInstalled(program, name === 'nginx' ? 'nginx-light' : name))
        part.tally.skip(`tests behind ${name}`, 'it could not be installed')
      else await testBehind(part, name)
    }
  },
  fuzz: (part) =>
    tests('apps/server/test/fuzz.test.ts', 'apps/server/test/raw-sockets.test.ts')(part, {
      VEXIL_FUZZ: process.env.VEXIL_FUZZ ?? '50000',
    }),
  'postgres-15': onPostgres15((part, url) =>
    withDocker((docker) => tests('--project', 'integration*')(part, { ...docker, ...outside(url) })),
  ),
  journeys: async ({ tally, file }) => {
    tally.count('web build', buildWeb())
    await playwright(tally, 'journeys', [], { file: file('journeys'), env: { VEXIL_JOURNEYS: 'proof' } })
    await withDocker((docker) =>
      playwright(tally, 'journeys', [], {
        file: file('journeys-containers'),
        env: { ...docker, VEXIL_JOURNEYS_WITH: 'containers' },
      }),
    )
  },
  pictures: command('tools/pictures/pictures.mjs'),
  engines: command('tools/engines/engines.mjs'),
  storage: command('tools/storage.mjs'),
  'kills-containers': (part) => withDocker((docker) => tests(proof('containers-kill'))(part, { ...docker, ...rounds(100) })),
  'live-restore': (part) => withDocker((docker) => tests(proof('live-restore'))(part, docker)),
  'crowd-containers': (part) => withDocker((docker) => tests(proof('containers-crowd'))(part, docker)),
  cluster: command('tools/cluster/cluster-test.ts'),
  image: command('tools/image/image-test.ts'),
  plant: command('tools/mutation/plant.ts'),
  'mutants-sql': command('tools/mutation/mutants.ts', 'sql'),
  ...ofEachRoom('mutants', (room) => command('tools/mutation/mutants.ts', room)),
  ...ofEachRoom('deletions', (room) => {
    const work = command('tools/mutation/deletions.ts', room)
    return ['demo', 'engine', 'instances'].includes(room) ? (part) => withDocker((docker) => work(part, docker)) : work
  }),
}
