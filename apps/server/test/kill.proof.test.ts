/**
 * Power failure: the platform and the database's postmaster are killed at the same moment while answers are under way. VEXIL_ROUNDS sets
 * how often (2, and 20 for `npm run tool -- kills`). Prints what it counted.
 */
import pg from 'pg'
import { expect, test } from 'vitest'
import { startPlatform } from '../../../e2e/platform.ts'
import { embeddedCluster } from './cluster.ts'
import { raiseStorm, untilMore } from './storm.ts'

const rounds = Number(process.env.VEXIL_ROUNDS ?? 2)
const acknowledgedAtLeast = 200
const players = 40

test(
  `after ${rounds} kills of platform and database every acknowledged answer exists once`,
  async () => {
    let platform = await startPlatform({ env: { DISABLE_RATE_LIMIT: 'true' } })
    const storm = await raiseStorm(() => platform, players)
    const { ask, admin, game, people } = storm
    try {
      for (let round = 0; round < rounds; round++) {
        const before = storm.acknowledged.size
        const { stop } = await storm.blow(round)
        await untilMore(storm, acknowledgedAtLeast)
        const { pid } = embeddedCluster(platform.dataDir)
        const underWay = storm.inFlight()
        process.kill(pid, 'SIGKILL')
        const killed = platform.kill9()
        await Promise.all([killed, stop()])
        platform = await startPlatform({ dataDir: platform.dataDir, env: { DISABLE_RATE_LIMIT: 'true' } })

        const { stored } = await storm.mustHoldAll()
        process.stdout.write(
          `kill ${round + 1}: ${storm.acknowledged.size - before} acknowledged, ${underWay} in flight, ${stored} stored in all\n`,
        )
      }

      // A board extended from the log equals one drawn from scratch.
      const last = (await ask('GET', `/api/edit/games/${game}/challenges`, undefined, admin)).body.at(-1)
      await ask('GET', `/api/game/${game}/scoreboard`)
      for (const [i, cookie] of people.entries()) {
        await ask('POST', `/api/game/${game}/challenges/${last.id}`, { flag: i % 2 ? `flag{${rounds - 1}}` : 'no' }, cookie)
      }
      const settled = async () => {
        await new Promise((later) => setTimeout(later, 1200))
        return { ...(await ask('GET', `/api/game/${game}/scoreboard`)).body, updateTimeUtc: null }
      }
      const carried = await settled()
      await ask('POST', `/api/edit/games/${game}/challenges/updateaccepted`, undefined, admin)
      expect(await settled()).toEqual(carried)
      expect(carried.items).toHaveLength(players)

      const { socket } = embeddedCluster(platform.dataDir)
      const database = new pg.Client({ host: socket, user: 'vexil', database: 'vexil' })
      await database.connect()
      for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
        expect([name, (await database.query(`show ${name}`)).rows[0][name]]).toEqual([name, 'on'])
      }
      const gaps = await database.query(
        'select count(*)::int as rows, max(number)::int as highest from solves where game_id = $1',
        [game],
      )
      expect(gaps.rows[0].rows).toBe(gaps.rows[0].highest)
      await database.end()
    } finally {
      await platform.stop()
    }
  },
  60_000 * Math.max(2, rounds),
)
