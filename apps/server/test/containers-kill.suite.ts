/**
 * The platform is killed at a random moment between the click and the answer. VEXIL_ROUNDS sets how often (by default 10). Afterwards engine and rows
 * agree: no container runs without a row, and no row is that of a running container that does not run.
 */
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../e2e/platform.ts'
import { startSession } from '../src/accounts/sessions.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import type { Engine } from '../src/ports/engine/engine.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { images } from './container-images.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { clear } from './docker.ts'

const rounds = Number(process.env.VEXIL_ROUNDS ?? 10)

interface KillScene {
  /** Settings with which the platform finds the engine. */
  readonly env: Readonly<Record<string, string>>
  makeImages(): Promise<void>
  open(installation: string): Promise<Engine>
  /** Milliseconds from the next start of a killed node until nothing is left of its starts; checked only if set. */
  readonly remainsFor?: number
}

export function containersKillSuite({ env, makeImages, open, remainsFor }: KillScene): void {
  let database: TestDatabase
  let platform: Platform
  beforeAll(async () => {
    await makeImages()
    database = await freshDatabase()
    await anAccount(database.db, { role: 'Admin' })
    platform = await start()
  }, 60_000)
  afterAll(async () => {
    await platform.stop()
    await clear(await engine())
    await database.drop()
  })

  const start = (dataDir?: string) =>
    startPlatform({
      ...(dataDir && { dataDir }),
      env: {
        DATABASE_URL: database.url,
        DISABLE_RATE_LIMIT: 'true',
        SECRET_KEY: 'test secret key of 32 characters',
        // The containers of the probe are not instances.
        VEXIL_ISOLATION_PROBE: 'false',
        ...env,
      },
    })
  async function engine(): Promise<Engine> {
    const { rows } = await sql<{ engineLabel: string }>`select engine_label from installation`.execute(database.db)
    return open(rows[0]!.engineLabel)
  }
  const running = async () =>
    (
      await database.db.selectFrom('containers').select(['id', 'state']).where('state', '<>', 'Ended').orderBy('id').execute()
    ).map(({ id, state }) => `${id} ${state}`)

  /** The containers of the engine and of the rows, or `agree` if they are the same. */
  async function compare(real: Engine) {
    const made = (await real.list()).map(({ id, state }) => `${id} ${state === 'running' ? 'Running' : state}`).sort()
    const rows = (await running()).sort()
    return isDeepStrictEqual(made, rows) ? 'agree' : { made, rows }
  }

  /** A challenge. Returns a function that clicks its start as a new team. */
  async function aScene() {
    const { db } = database
    const game = await aGame(db, { containerLimit: 0 })
    const challenge = await aChallenge(db, game, { type: 'StaticContainer', containerImage: images.echo, exposePort: 7000 })
    return async (isAsync = false) => {
      const team = await aTeam(db)
      const participation = await aParticipation(db, game, team)
      const cookie = `${cookieName}=${await startSession(db, team.captain)}`
      const answer = fetch(`${platform.url}/api/game/${game}/container/${challenge}`, {
        method: 'POST',
        headers: { cookie, ...(isAsync && { prefer: 'respond-async' }) },
      })
        .then(({ status }) => String(status))
        .catch(() => 'no answer')
      return { participation, answer }
    }
  }

  test(
    `a node killed during the start of an instance leaves nothing behind, ${rounds} times`,
    async () => {
      const { db } = database
      const aClick = await aScene()
      const real = await engine()
      const outcomes: string[] = []
      // How long a start takes on this machine now: the kills happen at any moment of it, some after its end.
      const startedAt = performance.now()
      expect(await (await aClick()).answer).toBe('200')
      const latest = (performance.now() - startedAt) * 1.3
      for (let round = 0; round < rounds; round++) {
        const click = await aClick(round % 2 === 1)
        const { participation } = click
        await sleep(Math.random() * latest)
        await platform.kill9()
        rmSync(platform.dataDir, { recursive: true })
        const answer = await click.answer
        // Lets the leases expire: a dead node does not renew them, and its last statement may be stored after its end.
        const passTime = () =>
          sql`update containers set lease_until = clock_timestamp() - interval '1 second'
            where participation_id = ${participation} and state = 'Pending'`.execute(db)
        await passTime()
        platform = await start()
        // An engine may create a container after the first sweep although the caller is gone; the next sweep is 20 s later.
        await expect
          .poll(
            async () => {
              await passTime()
              return compare(real)
            },
            { timeout: 40_000, interval: 200 },
          )
          .toBe('agree')
        const last = await db
          .selectFrom('containers')
          .select(['state', 'endedBy'])
          .where('participationId', '=', participation)
          .executeTakeFirst()
        // A start that was answered with 200 still runs.
        if (answer === '200') expect(last?.state).toBe('Running')
        outcomes.push(`${answer}: ${last ? (last.endedBy ?? last.state) : 'no row'}`)
      }
      const counted = [...new Set(outcomes)].map((one) => `${one} (${outcomes.filter((other) => other === one).length})`)
      process.stdout.write(`killed ${rounds} times while starting: ${counted.join(', ')}\n`)
      await real.close()
    },
    60_000 + rounds * 45_000,
  )

  if (remainsFor)
    test(`a node killed in the middle of starts removes what is left of them within ${remainsFor / 1000} s of its next start`, async () => {
      const aClick = await aScene()
      const real = await engine()
      // Instances of the test before.
      const earlier = (await real.list()).length
      const clicks = await Promise.all(Array.from({ length: 8 }, (_, i) => aClick(i % 2 === 1)))
      // Some pods run, some starts have not been answered.
      await expect.poll(async () => (await real.list()).length, { timeout: 60_000, interval: 50 }).toBeGreaterThan(earlier + 2)
      const pending = (await running()).filter((row) => row.endsWith('Pending'))
      await platform.kill9()
      await Promise.all(clicks.map(({ answer }) => answer))
      const left = (await running()).filter((row) => row.endsWith('Pending')).length
      expect([pending.length > 0, left > 0]).toEqual([true, true])
      platform = await start(platform.dataDir)
      const since = Date.now()
      await expect.poll(() => compare(real), { timeout: remainsFor, interval: 100 }).toBe('agree')
      expect((await running()).filter((row) => row.endsWith('Pending'))).toEqual([])
      process.stdout.write(
        `${left} interrupted starts were gone ${((Date.now() - since) / 1000).toFixed(1)} s after the next start\n`,
      )
      await real.close()
    }, 120_000)
}
