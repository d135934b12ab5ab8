/**
 * Power failure: the platform and the database's postmaster are killed at the same moment while answers are under way. VEXIL_ROUNDS sets
 * how often (2 in npm test, 20 for `npm run kills`). Prints what it counted.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../e2e/platform.ts'

const rounds = Number(process.env.VEXIL_ROUNDS ?? 2)
const acknowledgedAtLeast = 200
const players = 40
/** Pid and socket folder of the running cluster. */
function cluster(dataDir: string): { pid: number; socket: string } {
  // As root, below a folder that the database's user cannot reach, the cluster lies elsewhere.
  const place = join(dataDir, 'database-location')
  const folder = existsSync(place) ? join('/var/lib/vexil', readFileSync(place, 'utf8').trim()) : dataDir
  const lines = readFileSync(join(folder, 'pg18/postmaster.pid'), 'utf8').split('\n')
  return { pid: Number(lines[0]), socket: lines[4] ?? '' }
}

function client(platform: () => Platform) {
  return async (method: string, path: string, body?: unknown, cookie = '') => {
    const answer = await fetch(platform().url + path, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    const given = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
    return { status: answer.status, body: text ? JSON.parse(text) : null, cookie: given }
  }
}

test(
  `after ${rounds} kills of platform and database every acknowledged answer is there once`,
  async () => {
    let platform = await startPlatform({ env: { DISABLE_RATE_LIMIT: 'true' } })
    const ask = client(() => platform)
    const admin = (await ask('POST', '/api/account/login', { userName: 'Admin', password: platform.adminPassword })).cookie
    const hour = 3_600_000
    const times = { start: new Date(Date.now() - hour).toISOString(), end: new Date(Date.now() + 5 * hour).toISOString() }
    const game = (await ask('POST', '/api/edit/games', { title: 'Storm', acceptWithoutReview: true, ...times }, admin)).body.id
    const people = await Promise.all(
      Array.from({ length: players }, async (_, i) => {
        const { cookie } = await ask('POST', '/api/account/register', {
          userName: `sailor${i}`,
          password: 'anchors',
          email: `s${i}@example.org`,
        })
        const team = await ask('POST', '/api/team', { name: `crew ${i}` }, cookie)
        await ask('POST', `/api/game/${game}`, { teamId: team.body.id }, cookie)
        return cookie
      }),
    )
    const acknowledged = new Map<string, number>()
    let inFlight = 0
    try {
      for (let round = 0; round < rounds; round++) {
        const challenge = (await ask('POST', `/api/edit/games/${game}/challenges`, { title: `Gale ${round}` }, admin)).body.id
        await ask('POST', `/api/edit/games/${game}/challenges/${challenge}/flags`, [{ flag: `flag{${round}}` }], admin)
        await ask('PUT', `/api/edit/games/${game}/challenges/${challenge}`, { isEnabled: true }, admin)

        const before = acknowledged.size
        let over = false
        const sailing = people.map(async (cookie, i) => {
          for (let k = 0; !over; k++) {
            // Each answer is one of its kind, so that a doubled one shows; the first is right.
            const flag = k === 0 ? `flag{${round}}` : `r${round} p${i} k${k}`
            inFlight++
            const sent = await ask('POST', `/api/game/${game}/challenges/${challenge}`, { flag }, cookie).catch(() => null)
            inFlight--
            if (sent?.status === 200) acknowledged.set(k === 0 ? `right ${round} ${i}` : flag, sent.body)
          }
        })
        while (acknowledged.size - before < acknowledgedAtLeast) await new Promise((turn) => setTimeout(turn, 1))
        const { pid } = cluster(platform.dataDir)
        const underWay = inFlight
        process.kill(pid, 'SIGKILL')
        const killed = platform.kill9()
        over = true
        await killed
        await Promise.all(sailing)
        platform = await startPlatform({ dataDir: platform.dataDir, env: { DISABLE_RATE_LIMIT: 'true' } })

        const stored = (await ask('GET', `/api/game/${game}/submissions?count=0`, undefined, admin)).body as {
          answer: string
          status: string
          team: string
        }[]
        const answers = Map.groupBy(stored, ({ answer, team }) => (answer.startsWith('flag{') ? `${answer} ${team}` : answer))
        const lost = [...acknowledged.keys()].filter((key) => {
          const [, of, who] = /^right (\d+) (\d+)$/.exec(key) ?? []
          return !answers.has(of === undefined ? key : `flag{${of}} crew ${who}`)
        })
        const doubled = [...answers].filter(([, rows]) => rows.length > 1)
        process.stdout.write(
          `kill ${round + 1}: ${acknowledged.size - before} acknowledged, ${underWay} in flight, ${stored.length} stored in all, ${lost.length} lost, ${doubled.length} doubled\n`,
        )
        expect(lost).toEqual([])
        expect(doubled).toEqual([])
      }

      // A board carried on from the log equals one drawn from nothing.
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

      const { socket } = cluster(platform.dataDir)
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
