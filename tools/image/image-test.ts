/**
 * Builds the image as `npm run tool -- image --debian` does and runs it twice: alone with the embedded database, and with deploy/compose.yaml,
 * where it plays a game, runs `down` and `up`, and compares the board. As root on Debian.
 */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureInstalled } from '../../scripts/apt.mjs'
import { root } from '../../scripts/toolchain.mjs'
import { bases, importPostgres } from './bases.ts'
import { type Docker, withDebianImage } from './build.ts'

const compose = '/usr/bin/docker-compose'
const port = 18_080
const url = `http://127.0.0.1:${port}`

if (!ensureInstalled(compose, 'docker-compose')) process.exit(3)
await withDebianImage('vexil', async (docker, host) => {
  const env = { ...process.env, DOCKER_HOST: host, VEXIL_PORT: String(port), POSTGRES_IMAGE: bases.postgres }
  const run = (...args: string[]) => {
    const { status, stdout } = spawnSync(compose, ['-f', join(root, 'deploy/compose.yaml'), ...args], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    equal(status, 0, `docker-compose ${args.join(' ')}`)
    return stdout
  }
  const up = async () => {
    run('up', '--detach')
    await until(async () => (await fetch(`${url}/healthz`)).ok)
  }
  await tryEmbedded(docker)
  importPostgres(docker)
  try {
    await up()
    const token = await until(async () => /setup[^\s]*[?&]token=([\w-]+)/.exec(run('logs', 'vexil'))?.[1])
    const game = await play(token)
    const before = await boardOf(game)
    run('down')
    await up()
    deepEqual(await boardOf(game), before)
    const health = () => docker('inspect', '--format', '{{.State.Health.Status}}', 'deploy_vexil_1').trim()
    await until(async () => health() === 'healthy')
    run('down', '--volumes')
    await up()
    equal((await client()('GET', '/api/config')).setupRequired, true)
    console.log('A game was played, and its board was the same after down and up; down -v deleted it.')
  } finally {
    run('down', '--volumes')
  }
})

/** On a read-only root file system, with a volume for the data: it becomes healthy, does not run as root, and stops in the time of `docker stop`. */
async function tryEmbedded(docker: Docker): Promise<void> {
  const published = ['--publish', `127.0.0.1:${port}:8080`]
  docker('run', '--detach', '--name', 'embedded', '--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', ...published, 'vexil')
  await until(async () => (await fetch(`${url}/healthz`)).ok).catch((error) => {
    throw new Error(`${docker('ps', '--all')}${docker('logs', 'embedded')}`, { cause: error })
  })
  equal(docker('exec', 'embedded', 'id', '-u').trim(), '10001')
  ok(docker('exec', 'embedded', 'vexil', 'doctor').includes('PostgreSQL'))
  // A process that hangs is killed after ten seconds and replaced, in the same container.
  docker('exec', 'embedded', 'sh', '-c', 'kill -STOP $(cat /proc/1/task/1/children)')
  await until(async () => docker('logs', 'embedded').split('is ready').length === 3)
  ok((await fetch(`${url}/healthz`)).ok)
  for (const file of ['sbom.json', 'licences.txt', 'LICENSE']) ok(docker('exec', 'embedded', 'cat', file).length > 1000, file)
  docker('stop', '--time', '30', 'embedded')
  equal(docker('inspect', '--format', '{{.State.ExitCode}}', 'embedded').trim(), '0')
  docker('rm', '--volumes', 'embedded')
  console.log('With the embedded database it is healthy, and stops cleanly.')
}

/** Polls for at most two minutes. */
async function until<T>(find: () => Promise<T | null | undefined | false>): Promise<T> {
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(500)) {
    const found = await find().catch(() => null)
    if (found) return found
  }
  throw new Error('It did not happen within two minutes')
}

/** Sets up the platform and plays a game of one challenge with API calls. Returns the game's id. */
async function play(token: string): Promise<number> {
  const admin = client()
  await admin('POST', '/api/setup', {
    token,
    userName: 'admin',
    email: 'admin@example.org',
    password: 'Correct-Horse-9',
    title: 'Harbour',
  })
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  const { id: game } = await admin('POST', '/api/edit/games', {
    title: 'Cup',
    start: inMinutes(-1),
    end: inMinutes(60),
    hidden: false,
    acceptWithoutReview: true,
  })
  const challenges = `/api/edit/games/${game}/challenges`
  const { id } = await admin('POST', challenges, { title: 'Tide', category: 'Misc', type: 'StaticAttachment' })
  await admin('POST', `${challenges}/${id}/flags`, [{ flag: 'flag{tide}' }])
  await admin('PUT', `${challenges}/${id}`, { isEnabled: true })
  const player = client()
  await player('POST', '/api/account/register', { userName: 'ann', email: 'ann@example.org', password: 'Correct-Horse-9' })
  const { id: teamId } = await player('POST', '/api/team', { name: 'Crew' })
  await player('POST', `/api/game/${game}`, { teamId })
  const sent = await player('POST', `/api/game/${game}/challenges/${id}`, { flag: 'flag{tide}' })
  equal(await player('GET', `/api/game/${game}/challenges/${id}/status/${sent}`), 'Accepted')
  return game
}

async function boardOf(game: number) {
  const { items } = await client()('GET', `/api/game/${game}/scoreboard`)
  ok(items.length === 1 && items[0].score > 0)
  return items
}

/** Calls with the session of one browser; throws if a call is refused. */
function client() {
  let cookie = ''
  return async (method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json', cookie }
    const answer = await fetch(url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    const text = await answer.text()
    ok(answer.ok, `${method} ${path}: ${text}`)
    return text ? JSON.parse(text) : null
  }
}
