/** A temporary Docker engine or that of VEXIL_TEST_DOCKER, a database, and platforms on both. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSession } from '../../apps/server/src/accounts/sessions.ts'
import { openDatabase } from '../../apps/server/src/db/database.ts'
import { startEmbedded } from '../../apps/server/src/db/embedded.ts'
import { cookieName } from '../../apps/server/src/http/session-cookie.ts'
import { openDocker } from '../../apps/server/src/ports/engine/docker/docker.ts'
import { aChallenge, aGame, aParticipation, aTeam } from '../../apps/server/test/builders/game.ts'
import { type Platform, startPlatform } from '../../e2e/platform.ts'
import { startDocker } from '../../scripts/docker-engine.mjs'

const docker = startDocker((name: string, reason: string) => console.error(`${name}: ${reason}`))
if (docker === null) process.exit(1)
const dockerHost: string = docker.host
process.env.VEXIL_TEST_DOCKER = dockerHost
const tests = await import('../../apps/server/test/docker.ts')
export const { dockerApi, images } = tests
const folder = mkdtempSync(join(tmpdir(), 'vexil-bench-'))
const embedded = await startEmbedded({ dataDir: folder, printLine: console.error, durable: false })
const { host, user, database: name } = embedded.connection
export const database = await openDatabase({ source: embedded.connection, poolSize: 4 })

/** A pause, so that the work of the engine after a start or an end is not measured. */
export const restMs = 2_000

/** The engine as the platform opens it, with the instances of the platform. */
export const openEngine = async () => openDocker(tests.dockerOptions({ installation: await installation() }))

export const makeImages = () => tests.makeImages(dockerApi())

/** Removes all instances. */
export const clear = async () => tests.clear(await openEngine())

export async function close(): Promise<void> {
  await clear()
  await database.close()
  await embedded.stop()
  rmSync(folder, { recursive: true, force: true })
  docker?.stop()
}

export function openPlatform(ports: 'Default' | 'PlatformProxy'): Promise<Platform> {
  return startPlatform({
    env: {
      DATABASE_URL: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`,
      DISABLE_RATE_LIMIT: 'true',
      SECRET_KEY: 'a secret key for measurements only',
      VEXIL_CONTAINER_PROVIDER: 'Docker',
      VEXIL_CONTAINER_PORTS: ports,
      VEXIL_CONTAINER_ENTRY: '127.0.0.1',
      VEXIL_CONTAINER_CAPTURE: String(ports === 'PlatformProxy'),
      VEXIL_DOCKER_HOST: dockerHost,
    },
  })
}

async function installation(): Promise<string> {
  return (await database.db.selectFrom('installation').select('engineLabel').executeTakeFirstOrThrow()).engineLabel as string
}

/** Creates a game with one challenge; `start` starts the instance of a new team and returns the entry. */
export async function aGameWithContainers(
  of: Platform,
  image: string,
  more: { captureTraffic?: boolean; readyTimeout?: number } = {},
) {
  const game = await aGame(database.db, { containerLimit: 0 })
  const challenge = await aChallenge(database.db, game, {
    type: 'StaticContainer',
    containerImage: image,
    exposePort: 7000,
    ...more,
  })
  return {
    game,
    async aPlayer() {
      const team = await aTeam(database.db)
      await aParticipation(database.db, game, team)
      const headers = { cookie: `${cookieName}=${await startSession(database.db, team.captain)}` }
      return {
        headers,
        async start(): Promise<string> {
          const answer = await fetch(`${of.url}/api/game/${game}/container/${challenge}`, { method: 'POST', headers })
          if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
          return ((await answer.json()) as { entry: string }).entry
        },
      }
    },
  }
}
