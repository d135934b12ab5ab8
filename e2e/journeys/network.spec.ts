/** What a visitor sees when the network is interrupted, the platform restarts, or a session ends elsewhere. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, type Page, test } from '@playwright/test'
import japanese from '../../apps/web/locales/ja_JP.json' with { type: 'json' }
import { layWire, type Wire } from '../breakable-network.ts'
import { createTeam, type Person, register, sendRequest, texts, visitor } from '../people.ts'
import { type Platform, startPlatform } from '../platform.ts'
import { isProof } from '../proof.ts'
import { watch } from '../traces.ts'

test.describe.configure({ mode: 'serial' })

let platform: Platform
let wire: Wire
let admin: Person
let ann: Person
let game = 0
let challenge = 0

const away = (page: Page) => page.getByText(texts.shell.unreachable)
/** The screen updates within seconds; on a busy machine it takes longer. */
const soon = { timeout: 60_000 }

test.beforeAll(async ({ browser }) => {
  platform = await startPlatform({ env: { DISABLE_RATE_LIMIT: 'true' } })
  wire = await layWire(platform)
  admin = await visitor(browser, platform.url, 'Admin')
  await sendRequest(admin.page, 'post', '/api/account/login', { userName: 'Admin', password: platform.adminPassword })
  const hour = 3_600_000
  const times = { start: new Date(Date.now() - hour).toISOString(), end: new Date(Date.now() + 9 * hour).toISOString() }
  game = (await sendRequest(admin.page, 'post', '/api/edit/games', { title: 'Regatta', acceptWithoutReview: true, ...times })).id
  challenge = (
    await sendRequest(admin.page, 'post', `/api/edit/games/${game}/challenges`, { title: 'Buoy', type: 'StaticAttachment' })
  ).id
  await sendRequest(admin.page, 'post', `/api/edit/games/${game}/challenges/${challenge}/flags`, [{ flag: 'flag{right}' }])
  await sendRequest(admin.page, 'put', `/api/edit/games/${game}/challenges/${challenge}`, { isEnabled: true })
  ann = await register(browser, wire.url, 'ann')
  await createTeam(ann, 'Amber')
  const [team] = await (await ann.page.request.get(`${wire.url}/api/team`)).json()
  const joined = await ann.page.request.post(`${wire.url}/api/game/${game}`, { data: { teamId: team.id } })
  expect(joined.ok(), await joined.text()).toBe(true)
})
test.afterAll(async () => {
  wire.close()
  await platform.stop()
})

test('LIVE-7 the start page is rendered even if the answer about the site never arrives', async ({ browser }) => {
  const { page } = await visitor(browser, wire.url)
  await page.route('**/api/config', () => {})
  await page.goto('/', { waitUntil: 'commit' })
  await expect(page.getByRole('link', { name: texts.shell.tabs.games }).first()).toBeVisible()
  await page.context().close()
})

const tries = isProof ? 20 : 8

test('FOCUS-1 wrong flags are typed in a row with the keyboard alone, and nothing covers the form', async () => {
  const { page } = ann
  await page.goto(`/games/${game}/Challenges?c=${challenge}`)
  const field = page.getByLabel(texts.play.flag, { exact: true })
  await expect(field).toBeFocused()
  for (let n = 0; n < tries; n++) {
    await page.keyboard.type(`wrong ${n}`)
    await page.keyboard.press('Enter')
    await expect(page.getByText(texts.play.wrong)).toBeVisible()
    await expect(field).toBeFocused()
    await expect(field).toHaveValue(`wrong ${n}`)
    // The value is selected, so that typing replaces it.
    expect(
      await field.evaluate(
        (input: { selectionStart: number; selectionEnd: number }) => input.selectionEnd - input.selectionStart,
      ),
    ).toBe(`wrong ${n}`.length)
    await page.keyboard.press('x')
    await expect(page.getByText(texts.play.wrong)).toHaveCount(0)
    await page.keyboard.press('Backspace')
  }
})

test('FLAGF-1 FLAGF-2 typed text survives a reload, and an answer that the team tried before is reported', async () => {
  const { page } = ann
  const last = `wrong ${tries - 1}`
  await page.keyboard.type(last)
  await page.reload()
  const field = page.getByLabel(texts.play.flag, { exact: true })
  await expect(field).toHaveValue(last)
  // The page lists the team's earlier attempts.
  await expect(page.getByRole('button', { name: last, exact: true })).toBeVisible()
  await field.press('Enter')
  await expect(page.getByText(/Tried by ann .*submit it again/i)).toBeVisible()
  await expect(page.getByRole('button', { name: texts.play.sendAgain })).toBeVisible()
})

for (const way of isProof ? (['reset', 'swallow'] as const) : (['reset'] as const)) {
  test(`LIVE-7 LIVE-8 FLAGF-3 the network is cut for a while (${way}): one message appears, and dialog and board recover automatically`, async () => {
    const { page } = ann
    await page.goto(`/games/${game}/Challenges?c=${challenge}`)
    const field = page.getByLabel(texts.play.flag, { exact: true })
    await expect(field).toBeFocused()
    wire[way]()
    await field.fill(`flag{${way}}`)
    await field.press('Enter')
    await expect(away(page)).toBeVisible(soon)
    await expect(away(page)).toHaveCount(1)
    await expect(page.getByText(/Showing data from/)).toBeVisible()
    await expect(page.getByText(texts.ui.needsNetwork).first()).toBeAttached()
    await sleep(isProof ? 14_000 : 2_000)
    await expect(page.getByText(texts.play.waits.split(' {{')[0] as string, { exact: false })).toBeVisible()
    await sendRequest(admin.page, 'put', `/api/edit/games/${game}/challenges/${challenge}`, { content: `Told after the ${way}.` })
    wire.mend()
    await expect(away(page)).toHaveCount(0, soon)
    await expect(page.getByText(`Told after the ${way}.`)).toBeVisible(soon)
    await expect(page.getByText(/Submit it now\?/)).toBeVisible()
    await page.getByRole('button', { name: texts.play.sendNow }).click()
    await expect(page.getByText(texts.play.wrong)).toBeVisible()
    // The channel works again, too: a hint arrives without a request.
    await sendRequest(admin.page, 'put', `/api/edit/games/${game}/challenges/${challenge}`, {
      hints: [`A hint after the ${way}`],
    })
    await expect(page.getByText(`A hint after the ${way}`)).toBeVisible(soon)
  })
}

test('LIVE-8 the platform restarts: an open board recovers automatically', async ({ browser }) => {
  const { page } = ann
  await page.goto(`/games/${game}/Scoreboard`)
  await expect(page.getByRole('row', { name: /Amber/ }).first()).toBeVisible()
  await platform.kill9()
  await expect(away(page)).toBeVisible(soon)
  const again = await startPlatform({ dataDir: platform.dataDir, env: { DISABLE_RATE_LIMIT: 'true' } })
  platform = again
  wire.mend(again)
  await expect(away(page)).toHaveCount(0, soon)
  // The restarted platform has another port.
  admin = await visitor(browser, again.url, 'Admin')
  await sendRequest(admin.page, 'post', '/api/account/login', { userName: 'Admin', password: platform.adminPassword })
  await ann.page.request.post(`${wire.url}/api/game/${game}/challenges/${challenge}`, { data: { flag: 'flag{right}' } })
  await expect(page.getByRole('row', { name: /Amber/ }).first()).toContainText(/1,?050/, soon)
})

if (isProof)
  test('SB-23 an unchanged board is not repainted, except the clock', async () => {
    const { page } = ann
    await page.mouse.move(0, 0)
    await sleep(12_000)
    const { paints, watched, busy } = await watch(page, () => sleep(5000))
    // The digits of the remaining time change once a second.
    expect(paints / (watched / 1000)).toBeLessThan(6)
    console.log(
      `board at rest: ${((1000 * paints) / watched).toFixed(1)} paints/s, ${((100 * busy) / watched).toFixed(2)} % of a core`,
    )
  })

test('TOAST-1 a message covers no control at any width', async () => {
  const { page } = ann
  // On a phone a message may cover scrolling content that can be scrolled into view.
  const covered = `[...document.querySelectorAll('a[href], button, input, textarea')].filter((control) => {
    const isUnder = () => {
      const { left, top, width, height } = control.getBoundingClientRect()
      const [x, y] = [left + width / 2, top + height / 2]
      const shown = width > 0 && x > 0 && y > 0 && x < innerWidth && y < innerHeight
      return shown && !control.closest('[data-position]') && document.elementFromPoint(x, y)?.closest('[data-position]')
    }
    if (!isUnder() || innerWidth >= 800) return isUnder()
    control.scrollIntoView({ block: 'center' })
    return isUnder()
  }).map((control) => control.outerHTML.slice(0, 90))`
  await page.goto('/account/Profile')
  for (const [width, height] of [
    [1440, 900],
    [1080, 800],
    [800, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.getByLabel(texts.account.realName).fill(`Ann at ${width}`)
    await page.getByRole('button', { name: texts.ui.save, exact: true }).click()
    await expect(page.getByText(texts.account.profileSaved)).toBeVisible()
    await sleep(400)
    expect(await page.evaluate(covered), String(width)).toEqual([])
    await expect(page.getByText(texts.account.profileSaved)).toHaveCount(0)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('PAL-1 Ctrl+K opens a challenge on a phone and on a desktop, with the keyboard alone', async () => {
  const { page } = ann
  await page.goto(`/games/${game}/Scoreboard`)
  await expect(page.getByRole('row', { name: /Amber/ }).first()).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox', { name: texts.palette.title })).toBeFocused()
  await page.keyboard.type('buoy')
  await expect(page.getByRole('option', { name: /Buoy/ })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`Challenges\\?c=${challenge}$`))
  await page.keyboard.press('Escape')
  // Closing the palette returns the focus to the button that opened it.
  await page.goto('/')
  await page.getByRole('button', { name: texts.keys.palette }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('combobox', { name: texts.palette.title })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: texts.keys.palette })).toBeFocused()
  // The language menu does the same.
  await page.getByRole('button', { name: texts.shell.language }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('日本語')).toBeVisible()
  // The menu takes the focus only after it is rendered.
  await expect(page.locator('[role=menu]:focus-within')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: texts.shell.language })).toBeFocused()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: texts.shell.menu }).click()
  await page.getByRole('menuitem', { name: texts.keys.palette }).click()
  await expect(page.getByRole('combobox', { name: texts.palette.title })).toBeFocused()
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('GUARD-7 SESS-1 a session that was ended elsewhere is reported at the next action, and the typed text stays', async ({
  browser,
}) => {
  const { page } = ann
  await page.goto('/account/Profile')
  await page.getByLabel(texts.account.realName).fill('Ann of the harbour')
  const other = await visitor(browser, wire.url, 'ann elsewhere')
  await other.page.request.post(`${wire.url}/api/account/login`, { data: { userName: 'ann', password: 'long enough' } })
  await other.page.request.put(`${wire.url}/api/account/changepassword`, { data: { old: 'long enough', new: 'longer enough' } })
  await page.getByRole('button', { name: texts.ui.save, exact: true }).click()
  await expect(page.getByRole('dialog').getByText(texts.shell.sessionEndedText)).toBeVisible()
  await page.getByRole('button', { name: texts.shell.stayHere }).click()
  await expect(page.getByLabel(texts.account.realName)).toHaveValue('Ann of the harbour')
  await other.page.context().close()
})

test('SESS-2 a second tab signs in as another person: this tab follows', async ({ browser }) => {
  const bea = await register(browser, wire.url, 'bea')
  const second = await bea.page.context().newPage()
  await bea.page.goto('/Teams')
  await expect(bea.page.getByRole('button', { name: `${texts.shell.account}: bea` })).toBeVisible()
  await second.goto('/')
  await second.getByRole('button', { name: `${texts.shell.account}: bea` }).click()
  await second.getByRole('menuitem', { name: texts.shell.logout }).click()
  await expect(bea.page).toHaveURL(/account\/Login/i)
  await second.goto('/account/Login')
  await second.getByLabel(texts.account.nameOrEmail).fill('ann')
  await second.getByLabel(texts.account.password, { exact: true }).fill('longer enough')
  await second.getByRole('button', { name: texts.account.signIn }).click()
  await expect(second.getByRole('button', { name: `${texts.shell.account}: ann` })).toBeVisible()
  await expect(bea.page.getByRole('button', { name: `${texts.shell.account}: ann` })).toBeVisible()
  // Language and colour scheme follow, too.
  await second.getByRole('button', { name: texts.shell.language }).click()
  await second.getByText('日本語').click()
  await expect(bea.page.locator('html')).toHaveAttribute('lang', 'ja-JP')
  const scheme = (page: Page) => page.evaluate<string>('document.documentElement.dataset.mantineColorScheme')
  const before = await scheme(bea.page)
  await second.getByRole('button', { name: japanese.shell[before === 'dark' ? 'light' : 'dark'] }).click()
  await expect.poll(() => scheme(bea.page)).toBe(before === 'dark' ? 'light' : 'dark')
  await bea.page.context().close()
})

test('ERR-3 a screen whose code is gone after an update opens after one reload', async ({ browser }) => {
  const { page } = await visitor(browser, wire.url)
  await page.goto('/')
  await page.waitForLoadState('networkidle')
  let loads = 0
  page.on('load', () => loads++)
  await page.route(/static\/.*about.*\.js/i, (route) =>
    loads === 0 ? route.fulfill({ status: 404, body: '' }) : route.continue(),
  )
  await page.getByRole('link', { name: texts.shell.tabs.about }).click()
  await expect(page).toHaveURL(/About/)
  await expect(page.getByText(/v0\.24\.2/)).toBeVisible()
  expect(loads).toBe(1)
  await page.context().close()
})

test('LIVE-7 LIVE-8 a screen that is first opened while the network is cut appears when it is back, with its styles, and the page stays', async ({
  browser,
}) => {
  const { page } = await visitor(browser, wire.url)
  await page.goto('/')
  await page.waitForLoadState('networkidle')
  let loads = 0
  page.on('load', () => loads++)
  wire.reset()
  await page.getByRole('link', { name: texts.shell.tabs.about }).click()
  await expect(away(page)).toBeVisible(soon)
  await expect(page).toHaveURL(/About/)
  await expect(page.getByRole('alert')).toHaveCount(0)
  wire.mend()
  await expect(page.getByText(/v0\.24\.2/)).toBeVisible()
  await expect(away(page)).toHaveCount(0)
  expect(await page.evaluate("[...document.querySelectorAll('link[rel=stylesheet]')].filter(({ sheet }) => !sheet).length")).toBe(
    0,
  )
  expect(loads).toBe(0)
  await page.context().close()
})

test('LIVE-8 ERR-3 code whose first request is cut while the network changes is loaded again: no error, no reload', async ({
  browser,
}) => {
  const text = { title: 'Rules', summary: 'Short', tags: [], content: '# Rules\n\n```python\nprint(1)\n```\n\n$a^2$' }
  const post = await sendRequest(admin.page, 'post', '/api/edit/posts', text)
  const { page } = await visitor(browser, wire.url)
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  await page.goto('/')
  await page.waitForLoadState('networkidle')
  let loads = 0
  page.on('load', () => loads++)
  const cut = new Set<string>()
  await page.route(/\/static\/.*\.js$/, (route) => {
    const address = route.request().url()
    if (cut.has(address)) return route.continue()
    cut.add(address)
    return route.abort('connectionreset')
  })
  await page.locator(`a[href="/posts/${post}"]`).first().click()
  await expect(page.locator('.md pre .hljs-built_in')).toBeVisible(soon)
  await expect(page.locator('.md .katex')).toBeVisible()
  // Menus and the palette report the failure; the next attempt loads them.
  const press = async (act: () => Promise<void>, shown: string) =>
    expect(async () => {
      await act()
      await expect(page.getByText(shown).first()).toBeVisible({ timeout: 1000 })
    }).toPass()
  await press(() => page.getByRole('button', { name: texts.shell.language }).click(), '日本語')
  await page.getByText('日本語').click()
  await expect(page.getByRole('link', { name: japanese.shell.tabs.games }).first()).toBeVisible(soon)
  await press(() => page.keyboard.press('Control+k'), japanese.palette.kind.screen)
  await page.keyboard.press('Escape')
  for (const path of ['/games', `/games/${game}`, '/About']) {
    await page.evaluate(`history.pushState({}, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`)
    await expect(page.locator('h1').first()).toBeVisible(soon)
  }
  expect(cut.size).toBeGreaterThan(10)
  expect([errors, loads]).toEqual([[], 0])
  await page.context().close()
})
