/** Behaviour of the game, monitor and administration screens that needs a real browser: widths, focus, keys, the back button, a reload. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { createTeam, fill, type Person, register, sendFlag, sendRequest, texts, visitor } from '../people.ts'
import { type Platform, startPlatform } from '../platform.ts'

test.describe.configure({ mode: 'serial' })

let platform: Platform
let admin: Person
let player: Person
let game = 0
/** The player's team. */
let team = 0
/** A challenge with a file and an instance. */
let container = 0
const challenges: number[] = []

const edit = () => `/api/edit/games/${game}`

async function makeGame(): Promise<void> {
  const hour = 3_600_000
  const times = { start: new Date(Date.now() - hour).toISOString(), end: new Date(Date.now() + hour).toISOString() }
  game = (await sendRequest(admin.page, 'post', '/api/edit/games', { title: 'Harbour Cup', acceptWithoutReview: true, ...times }))
    .id
  const categories = ['Web', 'Pwn', 'Crypto']
  for (let index = 0; index < 24; index++) {
    const made = { title: `Buoy ${index}`, category: categories[index % 3], type: 'StaticAttachment' }
    const { id } = await sendRequest(admin.page, 'post', `${edit()}/challenges`, made)
    challenges.push(id)
    await sendRequest(admin.page, 'post', `${edit()}/challenges/${id}/flags`, [{ flag: `flag{${index}}` }])
    await sendRequest(admin.page, 'put', `${edit()}/challenges/${id}`, {
      isEnabled: true,
      content: `Text of buoy ${index}. `.repeat(40),
    })
  }
}

/** Creates a challenge with a file and a container, as far as this is possible without an engine. */
async function makeContainer(): Promise<void> {
  const { id } = await sendRequest(admin.page, 'post', `${edit()}/challenges`, {
    title: 'Lightship',
    category: 'Misc',
    type: 'StaticContainer',
  })
  container = id
  const uploaded = await admin.page.request.post(`${platform.url}/api/assets`, {
    multipart: { files: { name: 'chart.txt', mimeType: 'text/plain', buffer: Buffer.from('north by north-west') } },
  })
  const [{ hash }] = await uploaded.json()
  await sendRequest(admin.page, 'post', `${edit()}/challenges/${id}/attachment`, { attachmentType: 'Local', fileHash: hash })
  await sendRequest(admin.page, 'post', `${edit()}/challenges/${id}/flags`, [{ flag: 'flag{light}' }])
  await sendRequest(admin.page, 'put', `${edit()}/challenges/${id}`, { containerImage: 'echo:1', containerExposePort: 4000 })
  await sendRequest(admin.page, 'put', `${edit()}/challenges/${id}`, { isEnabled: true })
}

/** Submits a flag for the player's team through the API. */
async function answer(index: number, flag: string): Promise<void> {
  await sendRequest(player.page, 'post', `/api/game/${game}/challenges/${challenges[index]}`, { flag })
}

test.beforeAll(async ({ browser }) => {
  platform = await startPlatform({ env: { DISABLE_RATE_LIMIT: 'true' } })
  admin = await visitor(browser, platform.url, 'Admin')
  await sendRequest(admin.page, 'post', '/api/account/login', { userName: 'Admin', password: platform.adminPassword })
  await makeGame()
  await makeContainer()
  player = await register(browser, platform.url, 'dana')
  await createTeam(player, 'Danes')
  team = (await sendRequest(player.page, 'get', '/api/team'))[0].id
  await sendRequest(player.page, 'post', `/api/game/${game}`, { teamId: team })
  for (let index = 0; index < 24; index++) await answer(index, `flag{wrong ${index}}`)
})
test.afterAll(() => platform?.stop())

/** Scroll position of the page, or of the part of it that contains the cards. */
const scrolled = () =>
  player.page.evaluate<number>(`(() => {
    const card = document.querySelector('li > button[aria-haspopup=dialog]')
    for (let box = card?.parentElement; box; box = box.parentElement) if (box.scrollTop > 0) return box.scrollTop
    return scrollY
  })()`)
const pageWidth = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth')
const card = (title: string) =>
  player.page.locator('button[aria-haspopup=dialog]').filter({ has: player.page.getByText(title, { exact: true }) })
const board = () => `/games/${game}/Challenges`
const dialog = () => player.page.getByRole('dialog')

test('AB-7 the open challenge is in the address: links, back, forward and a reload show it', async () => {
  const { page } = player
  await page.goto(board())
  await card('Buoy 4').click()
  await expect(page).toHaveURL(new RegExp(`\\?c=${challenges[4]}$`))
  await expect(dialog().getByRole('heading', { name: 'Buoy 4' })).toBeVisible()
  await page.goBack()
  await expect(dialog()).toHaveCount(0)
  await expect(page).toHaveURL(/Challenges$/)
  await page.goForward()
  await expect(dialog().getByRole('heading', { name: 'Buoy 4' })).toBeVisible()
  await page.reload()
  await expect(dialog().getByRole('heading', { name: 'Buoy 4' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/Challenges$/)
})

test('AB-10 scroll position and category survive opening and closing a challenge', async () => {
  const { page } = player
  await page.setViewportSize({ width: 390, height: 480 })
  await page.goto(`${board()}?category=Pwn`)
  const last = card('Buoy 22')
  await last.scrollIntoViewIfNeeded()
  await expect.poll(scrolled).toBeGreaterThan(50)
  const before = await scrolled()
  await last.click()
  await expect(dialog().getByRole('heading', { name: 'Buoy 22' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog()).toHaveCount(0)
  expect(await scrolled()).toBe(before)
  await expect(page).toHaveURL(/category=Pwn$/)
  await page.setViewportSize({ width: 1440, height: 900 })
})

const all = (count: number) => Array.from({ length: count }, (_, index) => index)

/** A generated board: teams in two divisions, with fewer solves towards the end; the own team is the last but one. */
function madeBoard({ teams = 15, titles = 20, solving = true, head = 1000 }) {
  const names = all(teams).map((index) => (index === teams - 2 ? 'Danes' : `Crew ${index}`))
  const solves = solving
    ? all(teams).flatMap((team) => all(Math.min(titles, teams - team)).map((challenge) => ({ team, challenge })))
    : []
  const now = Date.now()
  return {
    gameId: game,
    epoch: 1_000_000,
    head,
    roster: 1,
    startsAt: now - 90 * 60_000,
    endsAt: now + 30 * 60_000,
    changedAt: now,
    bloodBonus: 0,
    divisions: ['North', 'South'],
    challenges: {
      id: all(titles).map((index) => index + 1),
      title: all(titles).map((index) => `Mark ${index}`),
      category: all(titles).map((index) => index % 4),
      bloodBonus: all(titles).map(() => null),
      values: all(titles).map(() => [100, 100]),
    },
    teams: {
      id: names.map((name, index) => (name === 'Danes' ? team : 500 + index)),
      participationId: all(teams).map((index) => index + 1),
      name: names,
      bio: names.map(() => null),
      avatar: names.map(() => null),
      division: all(teams).map((index) => index % 2),
    },
    users: ['somebody'],
    solves: {
      number: solves.map((_, index) => index + 1),
      team: solves.map((one) => one.team),
      challenge: solves.map((one) => one.challenge),
      user: solves.map(() => 0),
      after: solves.map(() => 20_000),
      raised: solves.map(() => 0),
    },
  }
}
let made = {} as ReturnType<typeof madeBoard>
async function showBoard(options: Parameters<typeof madeBoard>[0], address = ''): Promise<void> {
  made = madeBoard(options)
  await player.page.route('**/scoreboard/feed', (route) => route.fulfill({ json: made }))
  await player.page.goto(`/games/${game}/Scoreboard${address}`)
}
/** Name and points of each line of the chart, read from its table. */
const lines = () =>
  player.page
    .locator('figure table tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)))
const lineNames = async () => (await lines()).map(([name]) => name)

test('SC-1 SC-4 the chart shows the first ten of the chosen division, always the own team, and a clicked one', async () => {
  const { page } = player
  await showBoard({})
  await expect(page.locator('figure canvas, figure svg').first()).toBeVisible()
  await expect.poll(lineNames).toEqual([...all(10).map((index) => `Crew ${index}`), 'Danes'])
  await page.getByRole('button', { name: 'Crew 11', exact: true }).click()
  await expect(dialog()).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog()).toHaveCount(0)
  await expect.poll(lineNames).toEqual([...all(10).map((index) => `Crew ${index}`), 'Crew 11', 'Danes'])
  await page.getByRole('combobox', { name: texts.board.division }).click()
  await page.getByRole('option', { name: 'North' }).click()
  await expect
    .poll(lineNames)
    .toEqual(['Crew 0', 'Crew 2', 'Crew 4', 'Crew 6', 'Crew 8', 'Crew 10', 'Crew 11', 'Crew 12', 'Danes', 'Crew 14'])
})

test('SC-2 a zoomed chart stays zoomed when the board changes; one click shows the whole time', async () => {
  const { page } = player
  await showBoard({})
  await expect.poll(lineNames).toContain('Danes')
  const figure = page.locator('figure').first()
  const box = await figure.boundingBox()
  expect(box).not.toBeNull()
  const { x, y, width, height } = box as NonNullable<typeof box>
  // The time axis, without the area where the line of the current time ends.
  const axis = () => page.screenshot({ clip: { x, y: y + height - 26, width: width * 0.3, height: 26 } })
  await page.mouse.move(x, y - 20)
  await page.waitForTimeout(500)
  const whole = await axis()
  await page.mouse.move(x + width * 0.3, y + 40)
  await page.mouse.down()
  await page.mouse.move(x + width * 0.5, y + 90, { steps: 5 })
  await page.mouse.up()
  await page.mouse.move(x, y - 20)
  let zoomed = whole
  await expect
    .poll(async () => {
      const before = zoomed
      zoomed = await axis()
      return !zoomed.equals(whole) && zoomed.equals(before)
    })
    .toBe(true)
  const first = (await lines())[0]?.[1]
  // The board changes, so the page requests the feed again, in which the leading team has one more solve.
  made = { ...made, head: made.head + 1 }
  const { number, team: by, challenge, user, after, raised } = made.solves
  made.solves = {
    number: [...number, number.length + 1],
    team: [...by, 0],
    challenge: [...challenge, 19],
    user: [...user, 0],
    after: [...after, 1000],
    raised: [...raised, 0],
  }
  await answer(0, 'flag{0}')
  await expect.poll(async () => (await lines())[0]?.[1]).toBe(String(Number(first) + 100))
  await page.waitForTimeout(500)
  expect((await axis()).equals(zoomed)).toBe(true)
  await page.getByRole('button', { name: texts.board.menu }).click()
  await page.getByRole('menuitem', { name: texts.board.restore }).click()
  await page.mouse.move(x, y - 20)
  await expect.poll(async () => (await axis()).equals(zoomed)).toBe(false)
})

test('SC-3 SC-4 colours follow the scheme; different marks identify the lines, also the own one; a table has the numbers', async () => {
  const { page } = player
  await page.emulateMedia({ colorScheme: 'light' })
  await showBoard({})
  await expect.poll(lines).toContainEqual(['Danes', '200'])
  const picture = () => page.locator('figure').first().screenshot()
  const light = await picture()
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(async () => (await picture()).equals(light)).toBe(false)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: texts.board.chart }).click()
  await expect(dialog().locator('figure li')).toHaveCount(11)
  const marks = await dialog()
    .locator('figure li')
    .evaluateAll((rows) => rows.map((row) => [row.querySelector('path')?.getAttribute('d'), row.children[1]?.textContent]))
  expect(new Set(marks.map(([mark]) => mark)).size).toBe(11)
  // The own team has a pennant.
  expect(marks.find(([, name]) => name === 'Danes')?.[0]).toMatch(/^M1\.5 \.8 /)
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1440, height: 900 })
  // Without the chart the table fills the window.
  const table = page.getByRole('region', { name: texts.board.title, exact: true })
  const heightOfTable = async () => (await table.boundingBox())?.height ?? 0
  const withChart = await heightOfTable()
  await page.getByRole('button', { name: texts.board.chart }).click()
  await expect(page.locator('figure')).toHaveCount(0)
  await expect.poll(heightOfTable).toBeGreaterThan(withChart + 50)
  await page.getByRole('button', { name: texts.board.chart }).click()
  await expect(page.locator('figure').first()).toBeVisible()
})

/** The text of each page. */
async function textOfPdf(pdf: Buffer): Promise<string[]> {
  const { getDocument } = await import(
    createRequire(join(import.meta.dirname, '../../apps/web/package.json')).resolve('pdfjs-dist/legacy/build/pdf.mjs')
  )
  const document = await getDocument({ data: new Uint8Array(pdf), verbosity: 0 }).promise
  const pages = Array.from({ length: document.numPages }, async (_, at) => {
    const { items } = await (await document.getPage(at + 1)).getTextContent()
    return items.map(({ str }: { str: string }) => str).join(' ')
  })
  return Promise.all(pages)
}

test('SB-24 SB-26 a board of 100 teams shows sixteen rows beside the own one at 1440 x 900, and is printed whole', async () => {
  const { page } = player
  await page.setViewportSize({ width: 1440, height: 900 })
  await showBoard({ teams: 100, titles: 20 })
  const region = page.getByRole('region', { name: texts.board.title })
  await expect(region.locator('tbody tr[data-team]').first()).toBeVisible()
  const seen = await region.evaluate((element) => {
    const [head, foot] = ['thead', 'tfoot'].map((part) => element.querySelector(part)?.getBoundingClientRect())
    const bottom = foot?.top ?? element.getBoundingClientRect().bottom
    const rows = [...element.querySelectorAll('tbody tr[data-team]')].map((row) => row.getBoundingClientRect())
    const whole = rows.filter((row) => row.top >= (head?.bottom ?? 0) - 1 && row.bottom <= bottom + 1).length
    return { whole, head: Math.round(head?.height ?? 0) }
  })
  expect(seen.whole).toBeGreaterThanOrEqual(16)
  expect(seen.head).toBeLessThanOrEqual(111)
  expect((await page.locator('figure').first().boundingBox())?.height).toBeLessThanOrEqual(150)
  const pages = await textOfPdf(await page.pdf({ preferCSSPageSize: true }))
  const names = new Set(pages.join(' ').match(/Crew \d+/g))
  expect([names.size, pages.join(' ').includes('Danes')]).toEqual([99, true])
  expect(pages[0]).toContain('Harbour Cup')
  expect(pages.join(' ')).not.toContain(texts.board.find)
})

test('SB-28 at a zoom of 200 %, which is 720 x 450, only the top bar stays: eight whole rows of teams, one whole row of cards', async () => {
  const { page } = player
  await page.setViewportSize({ width: 720, height: 450 })
  await showBoard({ teams: 100, titles: 20 })
  const region = page.getByRole('region', { name: texts.board.title })
  await expect(region.locator('tbody tr[data-team]').first()).toBeVisible()
  /** Number of elements that are completely visible: inside the window, below the top bar and not covered. */
  const whole = (selector: string) =>
    page.evaluate<number>(`(() => {
      const top = document.querySelector('header').getBoundingClientRect().bottom
      return [...document.querySelectorAll(${JSON.stringify(selector)})].filter((one) => {
        const box = one.getBoundingClientRect()
        const isFree = (y) => one.contains(document.elementFromPoint(box.left + 20, y))
        return box.top >= top - 1 && box.bottom <= innerHeight + 1 && isFree(box.top + 2) && isFree(box.bottom - 2)
      }).length
    })()`)
  await region.evaluate((element) => element.scrollIntoView({ block: 'end' }))
  await expect.poll(() => whole('tbody tr[data-team]')).toBeGreaterThanOrEqual(8)
  await page.goto(board())
  await page.locator('#challenges').evaluate((element) => element.scrollIntoView())
  await page.evaluate('scrollBy(0, -60)')
  const columns = await page
    .locator('#challenges')
    .evaluate((element) => element.ownerDocument.defaultView.getComputedStyle(element).gridTemplateColumns.split(' ').length)
  await expect.poll(() => whole('#challenges > li')).toBeGreaterThanOrEqual(columns)
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('AB-11 twelve challenges fill the height of the board, without scrolling at 1440 x 900', async () => {
  const { page } = player
  await page.route('**/api/game/*/details', async (route) => {
    const answer = await (await route.fetch()).json()
    const few = Object.entries<object[]>(answer.challenges).map(([category, cards]) => [category, cards.slice(0, 4)])
    await route.fulfill({ json: { ...answer, challenges: Object.fromEntries(few.slice(-3)) } })
  })
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(board())
  await expect(page.locator('#challenges > li').first()).toBeVisible()
  const boxes = await page
    .locator('#challenges > li > button')
    .evaluateAll((cards) => cards.map((card) => card.getBoundingClientRect().toJSON()))
  expect(boxes.length).toBeGreaterThanOrEqual(9)
  expect(Math.min(...boxes.map(({ height }) => height))).toBeGreaterThanOrEqual(112)
  const bottom = Math.max(...boxes.map((box) => box.bottom))
  expect(bottom).toBeLessThanOrEqual(900)
  expect(bottom).toBeGreaterThan(750)
  await page.unroute('**/api/game/*/details')
})

test('SB-27 the hall view at 1920 x 1080 has twenty rows of at least 34 px with text of 24 px, and a title of 48 px', async () => {
  const { page } = player
  await page.setViewportSize({ width: 1920, height: 1080 })
  await page.route('**/scoreboard/feed', (route) => route.fulfill({ json: madeBoard({ teams: 100, titles: 20 }) }))
  await page.goto(`/games/${game}/screen`)
  const rows = page.getByRole('table', { name: texts.board.title }).locator('tbody tr')
  await expect(rows).toHaveCount(20)
  const measured = await rows.evaluateAll((all) =>
    all.map((row) => {
      const { bottom, height } = row.getBoundingClientRect()
      const style = row.ownerDocument.defaultView?.getComputedStyle(row.querySelector('th') ?? row)
      return { bottom, height, text: Number.parseFloat(style?.fontSize ?? '0') }
    }),
  )
  expect(Math.min(...measured.map(({ height }) => height))).toBeGreaterThanOrEqual(34)
  expect(Math.min(...measured.map(({ text }) => text))).toBeGreaterThanOrEqual(24)
  expect(Math.max(...measured.map(({ bottom }) => bottom))).toBeLessThanOrEqual(1080)
  await expect(page.getByRole('heading', { level: 1 })).toHaveCSS('font-size', '48px')
  await page.unroute('**/scoreboard/feed')
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('AB-12 KEY-4 the first challenge is three presses of Tab away by the second link, and at most twenty without it', async () => {
  const { page } = player
  await page.unroute('**/scoreboard/feed')
  const first = card('Buoy 0')
  const onCard = () => page.evaluate<boolean>('document.activeElement.closest("#challenges li") !== null')
  await page.goto(board())
  await expect(card('Buoy 5')).toBeVisible()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  const link = page.getByRole('link', { name: texts.shell.skipToChallenges })
  await expect(link).toBeFocused()
  await expect(link).toBeInViewport()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  expect(await onCard()).toBe(true)
  await page.goto(board())
  await expect(first).toBeVisible()
  let pressed = 0
  while (pressed < 40 && !(await onCard())) {
    await page.keyboard.press('Tab')
    pressed++
  }
  expect(pressed).toBeLessThanOrEqual(20)
})

test('SC-5 without a solve the chart has its axes and a message that there are no points', async () => {
  const { page } = player
  await showBoard({ solving: false })
  await expect(page.locator('figure').getByText(texts.board.noSolves)).toBeVisible()
  await expect(page.locator('figure canvas, figure svg').first()).toBeVisible()
})

test('P2.29 SB-1 SB-6 names and header stay while the board scrolls both ways, with the arrow keys, too; a tooltip describes them', async () => {
  const { page } = player
  for (const width of [1440, 800]) {
    await page.setViewportSize({ width, height: 900 })
    await showBoard({ teams: 80, titles: 80 })
    const region = page.getByRole('region', { name: texts.board.title })
    const name = region.getByRole('button', { name: 'Crew 7', exact: true })
    const points = region.getByRole('columnheader', { name: texts.board.points })
    await expect(name).toBeVisible()
    // A column that is visible after the scroll: the others are not rendered.
    const title = await region.getByRole('columnheader', { name: 'Mark' }).nth(10).innerText()
    const value = region.getByRole('columnheader', { name: title, exact: true })
    const places = async () =>
      [await name.boundingBox(), await points.boundingBox()].map((box) => [Math.round(box?.x ?? -1), Math.round(box?.y ?? -1)])
    const [nameAt, headAt] = await places()
    const valueAt = await value.boundingBox()
    await page.keyboard.press('Tab')
    await region.focus()
    await expect(page.getByText(texts.board.scroll)).toBeVisible()
    for (let press = 0; press < 6; press++) await page.keyboard.press('ArrowRight')
    await expect.poll(() => region.evaluate((element) => element.scrollLeft)).toBeGreaterThan(100)
    for (let press = 0; press < 4; press++) await page.keyboard.press('ArrowDown')
    await expect.poll(() => region.evaluate((element) => element.scrollTop)).toBeGreaterThan(20)
    const [nameNow, headNow] = await places()
    expect(nameNow?.[0]).toBe(nameAt?.[0])
    expect(nameNow?.[1]).toBeLessThan(nameAt?.[1] ?? 0)
    expect(headNow).toEqual(headAt)
    expect((await value.boundingBox())?.x).toBeLessThan((valueAt?.x ?? 0) - 100)
    expect((await value.boundingBox())?.y).toBe(valueAt?.y)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('SD-2 on a phone a team fills the screen: challenge, points and time of its solves', async () => {
  const { page } = player
  await page.setViewportSize({ width: 390, height: 844 })
  await showBoard({}, `?team=${team}`)
  await expect(dialog().getByRole('columnheader')).toHaveText([
    texts.teamView.challenge,
    texts.teamView.points,
    texts.teamView.time,
  ])
  const box = await dialog().boundingBox()
  expect([box?.x, box?.y, box?.width, box?.height]).toEqual([0, 0, 390, 844])
  await page.unroute('**/scoreboard/feed')
})

test('P2.28 PH-1 a whole game is played on a phone of 360 pixels: join, open, download, instance, copy, answer, rank', async ({
  browser,
}) => {
  const phone = await register(browser, platform.url, 'finn')
  const { page } = phone
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.setViewportSize({ width: 360, height: 740 })
  const fits = async () => expect(await pageWidth(page)).toBeLessThanOrEqual(360)
  // Without an engine, the answers about the instance are mocked; everything else comes from the platform.
  const closeTime = new Date(Date.now() + 3_600_000).toISOString()
  let runs = false
  await page.route('**/api/config', async (route) =>
    route.fulfill({ json: { ...(await (await route.fetch()).json()), containers: 'Default' } }),
  )
  await page.route(`**/api/game/${game}/container/${container}`, (route) => {
    runs = true
    return route.fulfill({
      json: { status: 'Running', startedAt: closeTime, expectStopAt: closeTime, entry: 'tide.example:4000', readiness: 'ready' },
    })
  })
  await page.route(`**/api/game/${game}/challenges/${container}`, async (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    const answer = await (await route.fetch()).json()
    const context = { ...answer.context, instanceEntry: runs ? 'tide.example:4000' : null, closeTime: runs ? closeTime : null }
    return route.fulfill({ json: { ...answer, context } })
  })
  await createTeam(phone, 'Finns')
  await page.goto(`/games/${game}`)
  await fits()
  await page.getByRole('button', { name: texts.games.main.join }).first().click()
  const open = page.getByRole('dialog')
  await open.getByRole('button', { name: texts.games.continue }).click()
  await open.getByRole('button', { name: texts.games.join, exact: true }).click()
  await page.getByRole('link', { name: texts.games.openChallenges }).first().click()
  await page.locator('button[aria-haspopup=dialog]', { hasText: 'Lightship' }).click()
  await fits()
  const download = page.waitForEvent('download')
  await open
    .getByRole('link', { name: /chart\.txt/ })
    .locator('visible=true')
    .click()
  expect((await download).suggestedFilename()).toBe('chart.txt')
  await open.getByRole('button', { name: texts.play.instanceStart }).locator('visible=true').click()
  await expect(open.getByRole('timer').locator('visible=true').first()).toBeVisible()
  await open.getByRole('button', { name: /copy/i }).locator('visible=true').first().click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain('tide.example')
  await sendFlag(phone, 'flag{light}')
  await expect(page.getByRole('button', { name: texts.play.solved, exact: true })).toBeDisabled()
  await page.keyboard.press('Escape')
  await page.getByRole('navigation', { name: texts.frame.parts }).getByRole('link', { name: texts.frame.team }).click()
  await expect(open.getByText(fill(texts.play.ofTeams, { count: 2 }), { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('navigation', { name: texts.frame.parts }).getByRole('link', { name: texts.frame.scoreboard }).click()
  await expect(page.getByRole('region', { name: texts.board.own })).toContainText(fill(texts.play.ofTeams, { count: 2 }))
  await fits()
  await page.context().close()
})

test('MON-3 at 800 pixels a submission takes two short lines and one bar leads everywhere; at 1080 the names are complete', async () => {
  const { page } = admin
  await page.setViewportSize({ width: 800, height: 900 })
  await page.goto(`/games/${game}/monitor/Submissions`)
  const row = page.locator('tbody tr').first()
  await expect(row).toBeVisible()
  expect((await row.boundingBox())?.height).toBeLessThan(76)
  expect((await row.boundingBox())?.width).toBeGreaterThan(680)
  await expect(page.locator('[data-bottom-bar]')).toHaveCount(0)
  const bar = page.getByRole('navigation', { name: texts.monitor.parts })
  await expect(bar.getByRole('link', { name: texts.frame.scoreboard })).toBeVisible()
  await expect(page.getByRole('button', { name: texts.monitor.boardSheet })).toBeVisible()
  expect(await pageWidth(page)).toBe(800)
  await page.setViewportSize({ width: 1080, height: 900 })
  await expect(bar.getByRole('link', { name: texts.frame.scoreboard })).toBeHidden()
  const cells = await page
    .locator('tbody td')
    .evaluateAll((all) => all.slice(2, 5).map((cell) => cell.scrollWidth <= cell.clientWidth))
  expect(cells).toEqual([true, true, true])
})

test('TOAST-1 the message of the monitor covers none of the buttons in its rows', async () => {
  const { page } = admin
  for (const width of [1440, 1080, 800]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(`/games/${game}/monitor/Submissions`)
    await expect(page.getByText(texts.monitor.connected)).toBeVisible()
    await expect(page.locator('tbody tr').nth(10)).toBeVisible()
    await page.waitForTimeout(700)
    const covered = await page.evaluate(`[...document.querySelectorAll('a[href], button, input')]
      .filter((control) => !control.closest('.mantine-Notification-root'))
      .filter((control) => {
        const { left, top, width, height } = control.getBoundingClientRect()
        return document.elementFromPoint(left + width / 2, top + height / 2)?.closest('.mantine-Notification-root')
      })
      .map((control) => control.outerHTML.slice(0, 80))`)
    expect(covered, String(width)).toEqual([])
    await expect(page.getByText(texts.monitor.connected)).toBeVisible()
  }
})

test('on a phone the selected tab of administration is visible', async () => {
  const { page } = admin
  await page.setViewportSize({ width: 390, height: 844 })
  for (const name of ['Logs', 'Settings'] as const) {
    await page.goto(`/admin/${name}`)
    const tab = page.getByRole('link', { name: texts.admin.tabs[name === 'Logs' ? 'logs' : 'settings'], exact: true })
    await expect(tab).toBeInViewport({ ratio: 1 })
  }
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('settings that list a file with a long use fit a phone; a low window shows the whole rail of an administrator', async () => {
  const { page } = admin
  const title = 'A lightship whose name is longer than a phone is wide'
  await sendRequest(page, 'put', `${edit()}/challenges/${container}`, { title })
  await page.setViewportSize({ width: 360, height: 640 })
  await page.goto('/admin/Settings')
  await expect(page.getByRole('link', { name: title })).toBeVisible()
  expect(await pageWidth(page)).toBe(360)
  for (const height of [570, 600, 640]) {
    await page.setViewportSize({ width: 1280, height })
    await expect(page.getByRole('button', { name: texts.shell.account })).toBeInViewport({ ratio: 1 })
  }
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('P3.45 name, slogan, description and footer are set once and appear in the title, on About, in the page and below it', async () => {
  const { page } = admin
  const { settings } = texts.admin
  await page.goto('/admin/Settings')
  await page.getByLabel(settings.title, { exact: true }).fill('Lighthouse')
  await page.getByLabel(settings.slogan, { exact: true }).fill('Keep the light')
  await page.getByLabel(settings.description, { exact: true }).fill('Flags at "sea" & ashore')
  await page.getByRole('textbox', { name: settings.footerInfo }).fill('Run by the **keepers**')
  await page.getByRole('button', { name: /^Save/ }).click()
  await expect(page).toHaveTitle(/Lighthouse::CTF$/)
  await page.goto('/About')
  await expect(page.getByText('Keep the light').first()).toBeVisible()
  await expect(page.locator('meta[name=description]')).toHaveAttribute('content', 'Flags at "sea" & ashore')
  await page.goto('/')
  await expect(page).toHaveTitle('Lighthouse::CTF')
  await expect(page.locator('footer strong')).toHaveText('keepers')
})
