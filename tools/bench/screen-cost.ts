/**
 * npm run tool -- screen-cost: measures the cost of screens while they are shown, from Chromium's traces: a scoreboard of 10,000 teams and
 * 100 challenges while it is scrolled and with single solves or 20 a second, and screens on which nothing happens. Needs a built web
 * (`npm test` or `npm start` builds it) and Debian's chromium. `npm run tool -- screen-cost --teams 500 --challenges 60` for another board.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chromium, type Page, type WebSocketRoute } from '@playwright/test'
import { startPlatform } from '../../e2e/platform.ts'
import { type Cost, watch } from '../../e2e/traces.ts'
import { browser as browserPath, ensureBrowser } from '../../scripts/gate/browser.mjs'

const { values } = parseArgs({
  options: { teams: { type: 'string', default: '10000' }, challenges: { type: 'string', default: '100' } },
})
const [teams, challenges] = [Number(values.teams), Number(values.challenges)]
const runs = 5
const game = 7
const hour = 3_600_000
const startsAt = Date.now() - 6 * hour
const endsAt = startsAt + 48 * hour

/** The same numbers at each run. */
let seed = 1
const random = () => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed / 2_147_483_647
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const value = (solves: number) => Math.round(100 + 900 * Math.exp(-solves / 200))
const solvers = new Map(numbers(challenges).map((challenge) => [challenge, new Set<number>()]))

function makeFeed() {
  const solves: { team: number; challenge: number }[] = []
  for (const team of numbers(teams)) {
    // A few teams solve many challenges; the weakest solve none.
    const share = (1 - team / teams) ** 3
    for (const challenge of numbers(challenges)) if (random() < share) solves.push({ team, challenge })
  }
  solves.sort(() => random() - 0.5)
  for (const { team, challenge } of solves) solvers.get(challenge)?.add(team)
  const step = Math.floor((5 * hour) / solves.length)
  return {
    gameId: game,
    epoch: 1,
    head: solves.length,
    roster: 0,
    startsAt,
    endsAt,
    changedAt: Date.now(),
    bloodBonus: 52_459_530,
    divisions: ['Students', 'Open'],
    challenges: {
      id: numbers(challenges).map((index) => index + 1),
      title: numbers(challenges).map((index) => `Challenge ${index}`),
      category: numbers(challenges).map((index) => index % 8),
      bloodBonus: numbers(challenges).map(() => null),
      values: numbers(challenges).map(() => numbers(teams + 1).map(value)),
    },
    teams: {
      id: numbers(teams).map((index) => index + 1),
      participationId: numbers(teams).map((index) => index + 1),
      name: numbers(teams).map((index) => `Team number ${index}`),
      bio: numbers(teams).map(() => null),
      avatar: numbers(teams).map(() => null),
      division: numbers(teams).map((index) => index % 2),
    },
    users: ['ann'],
    solves: {
      number: solves.map((_, index) => index + 1),
      team: solves.map(({ team }) => team),
      challenge: solves.map(({ challenge }) => challenge),
      user: solves.map(() => 0),
      after: solves.map(() => step),
      raised: solves.map(() => 0),
    },
  }
}

const feed = makeFeed()
let head = feed.head

/** The next solves of teams in the middle of the board, as the hub sends them. */
function nextSolves(count: number): string {
  const solves = numbers(count).map(() => {
    let [team, challenge] = [0, 0]
    do {
      team = Math.floor(random() * Math.min(teams, 2000))
      challenge = Math.floor(random() * challenges)
    } while (solvers.get(challenge)?.has(team))
    solvers.get(challenge)?.add(team)
    const now = Date.now()
    head++
    return [head, team + 1, challenge + 1, 'ann', now, now, value(solvers.get(challenge)?.size ?? 0)]
  })
  const message = { gameId: game, epoch: 1, from: head - count, to: head, solves }
  return `${JSON.stringify({ type: 1, target: 'VexilSolves', arguments: [message] })}\x1e`
}

const detail = {
  id: game,
  title: 'Harbour Cup',
  summary: '',
  content: '',
  hidden: false,
  divisions: ['Students', 'Open'],
  inviteCodeRequired: false,
  writeupRequired: false,
  poster: null,
  limit: 0,
  teamCount: teams,
  division: null,
  teamName: null,
  practiceMode: false,
  status: 'Unsubmitted',
  registered: {},
  start: new Date(startsAt).toISOString(),
  end: new Date(endsAt).toISOString(),
  writeupDeadline: new Date(endsAt).toISOString(),
}

let hub: WebSocketRoute | undefined
async function prepare(page: Page): Promise<void> {
  await page.route(`**/api/game/${game}`, (route) => route.fulfill({ json: detail }))
  await page.route(`**/api/game/${game}/scoreboard/feed`, (route) => route.fulfill({ json: feed }))
  const tail = { gameId: game, epoch: feed.epoch, roster: feed.roster, from: feed.head, to: feed.head, solves: [] }
  await page.route(`**/api/game/${game}/scoreboard/feed?after=*`, (route) => route.fulfill({ json: tail }))
  await page.routeWebSocket(/\/hub\/user/, (socket) => {
    socket.onMessage((message) => {
      if (!String(message).includes('"protocol"')) return
      socket.send('{}\x1e')
      hub = socket
    })
  })
}

const shown = (ms: number) => ms.toFixed(1).padStart(7)
const median = (list: readonly number[]) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0
function print(name: string, costs: readonly Cost[], printFigure = ''): void {
  const longest = costs.map(({ tasks }) => tasks[0] ?? 0)
  const busy = costs.map((cost) => cost.busy)
  const core = costs.map((cost) => (100 * cost.busy) / cost.watched)
  const frames = costs.map((cost) => (1000 * cost.paints) / cost.watched)
  console.log(
    `${name.padEnd(44)} longest task ${shown(median(longest))} ms   main thread ${shown(median(busy))} ms, ${shown(median(core))} % of a core   ${shown(median(frames))} frames/s ${printFigure}`,
  )
}

async function times(page: Page, act: () => Promise<unknown>): Promise<Cost[]> {
  const costs: Cost[] = []
  for (const _ of numbers(runs)) costs.push(await watch(page, act))
  return costs
}

const platform = await startPlatform({ env: { DISABLE_RATE_LIMIT: 'true' } })
ensureBrowser()
const browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] })
try {
  const page = await browser.newPage({ baseURL: platform.url, viewport: { width: 1440, height: 900 } })
  await prepare(page)
  await page.goto(`/games/${game}/Scoreboard`)
  await page.locator('tbody tr th button').first().waitFor({ timeout: 120_000 })
  await sleep(5000)
  console.log(`board of ${teams} teams x ${challenges} challenges, ${feed.head} solves; median of ${runs} runs`)
  const box = await page.locator('section[tabindex="0"]').boundingBox()
  await page.mouse.move((box?.x ?? 0) + 800, (box?.y ?? 0) + 400)

  const scroller = `document.querySelector('section[tabindex="0"]')`
  const scrollTo = (part: number) => page.evaluate(`${scroller}.scrollTop = ${scroller}.scrollHeight * ${part}`)
  const wheel = async () => {
    for (const _ of numbers(20)) {
      await page.mouse.wheel(0, 240)
      await sleep(50)
    }
  }
  print('scroll by wheel, 20 steps', await times(page, wheel))
  const jump = async () => {
    for (const part of [0.9, 0.1, 0.5]) {
      await scrollTo(part)
      await sleep(300)
    }
  }
  print('jumps over the whole list, 3', await times(page, jump))
  const sideways = async () => {
    for (const _ of numbers(10)) {
      await page.mouse.wheel(240, 0)
      await sleep(50)
    }
    await page.evaluate(`${scroller}.scrollTo({ left: 0 })`)
  }
  print('scroll sideways', await times(page, sideways))
  for (const place of [0, 0.1]) {
    await scrollTo(place)
    await sleep(3000)
    const shownPart = place === 0 ? 'top of the list shown' : 'middle shown'
    // The clock and the page's own timers keep running: the cost of a solve is the difference.
    print(`a second without a solve, ${shownPart}`, await times(page, () => sleep(1000)))
    const one = async () => {
      hub?.send(nextSolves(1))
      await sleep(1000)
    }
    print(`a second with one solve, ${shownPart}`, await times(page, one))
    const many = async () => {
      for (const _ of numbers(50)) {
        hub?.send(nextSolves(2))
        await sleep(100)
      }
    }
    await sleep(3000)
    const cost = await watch(page, many)
    print('20 solves/s for 5 s', [cost], cost.tasks[0] !== undefined && cost.busy < cost.watched ? 'keeps up' : '')
  }
  await sleep(20_000)
  const rest = () => sleep(10_000)
  print('idle: scoreboard of a running game', [await watch(page, rest)])
  await page.setViewportSize({ width: 1920, height: 1080 })
  for (const address of [`/games/${game}/screen`, '/', '/games', '/About', '/posts', `/games/${game}`, '/account/Login']) {
    await page.goto(address)
    await sleep(4000)
    print(`idle: ${address}`, [await watch(page, rest)])
  }
} finally {
  await browser.close()
  await platform.stop()
}
