/** Many teams at the same instant, on one node and on two, and an engine that is unreachable for a while: engine and rows agree afterwards. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Engine } from '../src/ports/engine/engine.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { images } from './container-images.ts'
import { clear } from './docker.ts'
import { type Ask, type Nodes, startNodes } from './nodes.ts'
import type { Answer } from './platform.ts'

const teams = 20
const limit = 3
/** How long the engine is unreachable, in ms: for half of this time it accepts connections and never answers, for the other half it refuses them. */
const away = 20_000

/** The connection between the platform and the engine. */
export interface Door {
  /** Settings with which the platform finds it. */
  readonly env: Readonly<Record<string, string>>
  /** `silent` accepts connections and never answers, `refusing` accepts none. When it is `open`, the engine answers. */
  turn(state: 'silent' | 'refusing' | 'open'): Promise<void>
  /** Leaves it open, whatever its state was. */
  close(): Promise<void>
}

export interface CrowdScene {
  /** Timeout (ms) of a test with this many containers. */
  readonly patience: number
  makeImages(): Promise<void>
  openDoor(): Promise<Door>
  /** Opens an engine for the test, which does not use the door. */
  open(installation: string): Promise<Engine>
  /** Ends a container without the platform, also while the door is shut. */
  kill(engineId: string): Promise<void>
}

export function containersCrowdSuite(scene: CrowdScene): void {
  describe.each([
    ['one node', 1],
    ['two processes', 2],
  ])('%s', (_name, count) => crowdOn(scene, count))
}

function crowdOn({ patience, makeImages, openDoor, open, kill }: CrowdScene, count: number): void {
  let door: Door
  let nodes: Nodes
  let engine: Engine
  beforeAll(async () => {
    await makeImages()
    door = await openDoor()
    nodes = await startNodes(count, { VEXIL_ISOLATION_PROBE: 'false', ...door.env })
    await anAccount(nodes.db, { role: 'Admin' })
    const { rows } = await sql<{ engineLabel: string }>`select engine_label from installation`.execute(nodes.db)
    engine = await open(rows[0]!.engineLabel)
  }, 60_000)
  afterAll(async () => {
    await nodes.stop()
    await door.close()
    await clear(engine)
  })

  /** A game with five challenges and players, and a function that sends the calls of each player. */
  async function aScene(players: number) {
    const game = await aGame(nodes.db, { containerLimit: limit, practiceMode: true })
    const challenges: number[] = []
    for (let i = 0; i < 5; i++) {
      const options = {
        type: 'DynamicContainer',
        containerImage: images.echo,
        exposePort: 7000,
        flagTemplate: 'flag{[GUID]}',
      } as const
      challenges.push(await aChallenge(nodes.db, game, options))
    }
    const asks: Ask[] = []
    for (let i = 0; i < players; i++) {
      const team = await aTeam(nodes.db, { name: `Team ${i}` })
      await aParticipation(nodes.db, game, team)
      asks.push(await nodes.as(team.captain))
    }
    return { game, challenges, asks, path: (challenge: number) => `/api/game/${game}/container/${challenge}` }
  }
  const rows = (state: 'open' | 'running', challenges: number[]) =>
    nodes.db
      .selectFrom('containers')
      .select(['id', 'participationId', 'engineId'])
      .where('challengeId', 'in', challenges)
      .where('state', state === 'open' ? '<>' : '=', state === 'open' ? 'Ended' : 'Running')
      .execute()
  const passTime = (challenges: number[]) =>
    sql`update containers set acted_at = acted_at - interval '10 seconds' where challenge_id = any(${challenges})`.execute(
      nodes.db,
    )

  test(
    `P3.43 ${teams} teams start five challenges each at once: each ends with exactly ${limit}, and nothing is left over`,
    async () => {
      const { game, challenges, asks, path } = await aScene(teams)
      const clicks = asks.flatMap((ask, team) => challenges.map((challenge, i) => ask(team + i, 'POST', path(challenge))))
      const since = performance.now()
      const answers = await Promise.all(clicks)
      process.stdout.write(`${teams * limit} instances started in ${((performance.now() - since) / 1000).toFixed(1)} s\n`)
      const refused = answers.filter(({ status }) => status !== 200)
      for (const { status, error } of refused) expect([status, error.code]).toEqual([400, 'container.limit_reached'])
      expect([answers.length - refused.length, refused.length]).toEqual([teams * limit, teams * (challenges.length - limit)])
      const running = await rows('running', challenges)
      expect((await rows('open', challenges)).length).toBe(running.length)
      const byTeam = Map.groupBy(running, ({ participationId }) => participationId)
      expect([...byTeam.values()].map((own) => own.length)).toEqual(Array(teams).fill(limit))
      expect((await engine.list()).map(({ id, state }) => [id, state]).sort()).toEqual(
        running.map(({ id }) => [id, 'running']).sort(),
      )

      // A flag stays valid after its instance has ended.
      const [held] = await nodes.db.selectFrom('teamFlags').select(['flag', 'challengeId', 'participationId']).execute()
      await passTime(challenges)
      const deleted = await Promise.all(
        asks.flatMap((ask, team) => challenges.map((challenge, i) => ask(team + i + 1, 'DELETE', path(challenge)))),
      )
      expect(deleted.filter(({ status }) => status === 200)).toHaveLength(teams * limit)
      expect(await rows('open', challenges)).toEqual([])
      expect(await engine.list()).toEqual([])
      const owner = asks[[...byTeam.keys()].sort((a, b) => a! - b!).indexOf(held!.participationId)] as Ask
      const sent = await owner(0, 'POST', `/api/game/${game}/challenges/${held!.challengeId}`, { flag: held!.flag })
      const { body } = await owner(0, 'GET', `/api/game/${game}/challenges/${held!.challengeId}/status/${sent.body}`)
      expect(body).toBe('Accepted')
    },
    patience,
  )

  if (count > 1)
    test(
      `P8.21 the engine is unavailable for ${away / 1000} s during requests: each response has the reason, and the state is consistent afterwards`,
      async () => {
        const { game, challenges, asks, path } = await aScene(4)
        const admin = await nodes.as(await anAccount(nodes.db, { role: 'Admin' }))
        for (const ask of asks) expect((await ask(0, 'POST', path(challenges[0]!))).status).toBe(200)
        // One container ends in the meantime, without a notification.
        const killed = (await rows('running', challenges))[0]!
        const answers: Answer[] = []
        const until = Date.now() + away
        const clicking = asks.map(async (ask, player) => {
          const acts = ['POST', 'DELETE', 'POST'] as const
          for (let i = 0; Date.now() < until; i++) {
            const click = ask(player + i, acts[(player + i) % 3]!, path(challenges[i % 5]!))
            answers.push(await click)
            await passTime(challenges)
            await sleep(300)
          }
        })
        await door.turn('silent')
        await kill(killed.engineId!)
        // Calls that do not need the engine keep working.
        expect((await asks[0]!(0, 'GET', `/api/game/${game}/details`)).status).toBe(200)
        expect((await admin(1, 'GET', '/api/admin/instances')).status).toBe(200)
        await sleep(away / 2)
        await door.turn('refusing')
        await sleep(Math.max(0, until - Date.now()))
        await door.turn('open')
        await Promise.all(clicking)
        const known = [200, 400, 429]
        expect(answers.filter(({ status }) => !known.includes(status))).toEqual([])
        expect(answers.filter(({ error }) => error?.code === 'container.engine_unreachable').length).toBeGreaterThan(5)
        for (const { status, error } of answers) if (status !== 200) expect(error.title.length).toBeGreaterThan(10)

        await expect
          .poll(
            async () => {
              const here = (await engine.list()).map(({ id, state }) => `${id} ${state}`).sort()
              const kept = (await rows('running', challenges)).map(({ id }) => `${id} running`).sort()
              return [
                (await rows('open', challenges)).length,
                here.filter((one) => !kept.includes(one)),
                kept.filter((one) => !here.includes(one)),
              ]
            },
            { timeout: 60_000, interval: 500 },
          )
          .toEqual([expect.any(Number), [], []])
        expect((await rows('running', challenges)).map(({ id }) => id)).not.toContain(killed.id)
        for (const [player, ask] of asks.entries()) {
          await passTime(challenges)
          for (const challenge of challenges) await ask(player, 'DELETE', path(challenge))
        }
        expect(await engine.list()).toEqual([])
      },
      patience,
    )
}
