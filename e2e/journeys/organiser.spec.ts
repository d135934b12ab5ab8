/** The organiser's workflow in a browser: from a new game with three challenges to reading writeups and publishing a post. */
import { type Browser, expect, type Page, test } from '@playwright/test'
import ja from '../../apps/web/locales/ja_JP.json' with { type: 'json' }
import { challengeCategories } from '../../packages/core/src/vocabulary.ts'
import { aPdf } from '../pdf.ts'
import { fill, type Person, register, sendFlag, sendRequest, texts, visitor } from '../people.ts'
import { type Platform, startPlatform } from '../platform.ts'

test.describe.configure({ mode: 'serial' })

let platform: Platform
let admin: Person
let player: Person
let game = 0

test.beforeAll(async ({ browser }) => {
  platform = await startPlatform({ env: { DISABLE_RATE_LIMIT: 'true' } })
  admin = await visitor(browser, platform.url, 'Admin')
  await sendRequest(admin.page, 'post', '/api/account/login', { userName: 'Admin', password: platform.adminPassword })
})
test.afterAll(() => platform?.stop())

/** Counts clicks. */
function counting() {
  let clicks = 0
  return {
    click: async (target: ReturnType<Page['locator']>) => {
      await target.click()
      clicks++
    },
    count: () => clicks,
  }
}

test('NEW-1 NEW-2 a new game with three enabled challenges takes at most 18 clicks', async () => {
  const { page } = admin
  const hand = counting()
  const dialog = page.getByRole('dialog')
  const button = (name: string, within: Pick<Page, 'getByRole'> = page) => within.getByRole('button', { name, exact: true })
  await page.goto('/admin/games')
  await hand.click(button(texts.admin.games.create).first())
  await dialog.getByLabel(texts.admin.info.title).fill('Regatta')
  await hand.click(button(texts.admin.games.createButton, dialog))
  await expect(page).toHaveURL(/\/admin\/games\/\d+\/Info$/)
  game = Number(/games\/(\d+)/.exec(page.url())?.[1])
  await hand.click(page.getByRole('link', { name: new RegExp(`^${texts.admin.gameTabs.challenges}`) }))
  for (const [index, title] of ['Buoy', 'Beacon', 'Bell'].entries()) {
    await hand.click(button(texts.admin.challenges.create).first())
    await dialog.getByLabel(texts.admin.challenge.title).fill(title)
    if (index === 0) {
      await hand.click(dialog.getByRole('combobox', { name: texts.admin.challenges.category }))
      await hand.click(page.getByRole('option', { name: /Misc/ }))
      await hand.click(dialog.getByRole('radio', { name: texts.admin.types.StaticAttachment, exact: true }))
    }
    await hand.click(button(texts.admin.games.createButton, dialog))
    await expect(dialog).toHaveCount(0)
    await expect(page.getByLabel(texts.admin.challenge.title)).toHaveValue(title)
    await page.getByRole('textbox', { name: texts.admin.challenge.content }).fill(`Find the **${title}**.`)
    await page.getByLabel(texts.admin.flags.onePerLine).fill(`flag{${title}}`)
    await hand.click(button(texts.admin.challenge.saveEnable))
    await hand.click(button(texts.admin.challenges.enable, dialog))
    await expect(page.getByText(fill(texts.admin.challenges.enabled, { title })).first()).toBeVisible()
  }
  const stored = await sendRequest(admin.page, 'get', `/api/edit/games/${game}/challenges`)
  expect(stored.map(({ title, isEnabled, flagCount }: Record<string, unknown>) => [title, isEnabled, flagCount])).toEqual([
    ['Buoy', true, 1],
    ['Beacon', true, 1],
    ['Bell', true, 1],
  ])
  expect((await sendRequest(admin.page, 'get', `/api/edit/games/${game}`)).hidden).toBe(true)
  expect(hand.count()).toBeLessThanOrEqual(18)
})

test('CL-4 in a low window the list of categories ends above the lower edge, and the wheel reaches its last one', async () => {
  const { page } = admin
  const before = page.viewportSize()
  const height = 640
  await page.setViewportSize({ width: 1280, height })
  await page.goto(`/admin/games/${game}/challenges`)
  await page.getByRole('button', { name: texts.admin.challenges.create, exact: true }).first().click()
  const category = page.getByRole('dialog').getByRole('combobox', { name: texts.admin.challenges.category })
  await category.click()
  const options = page.getByRole('option')
  await expect(options).toHaveCount(challengeCategories.length)
  const list = page.getByRole('listbox')
  await expect(category).toHaveAttribute('aria-expanded', 'true')
  await expect(category).toHaveAttribute('aria-controls', (await list.getAttribute('id')) as string)
  const last = options.last()
  const hit = () =>
    page.evaluate<boolean>(`(() => {
      const option = [...document.querySelectorAll('[role=option]')].filter((one) => one.checkVisibility()).at(-1)
      const { left, right, top, bottom } = option.getBoundingClientRect()
      return bottom <= innerHeight && option.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2))
    })()`)
  expect(await hit()).toBe(false)
  const box = await list.boundingBox()
  expect((box?.y ?? 0) + (box?.height ?? height)).toBeLessThan(height)
  await options.first().hover()
  await page.mouse.wheel(0, 5000)
  await expect.poll(hit).toBe(true)
  await last.click()
  await expect(category).toHaveValue(challengeCategories.at(-1) as string)
  await page.keyboard.press('Escape')
  await page.setViewportSize(before as { width: number; height: number })
})

test('READY-1 DATE-1 missing parts are listed; typed times and "show" open the game', async ({ browser }) => {
  const { page } = admin
  await page.goto(`/admin/games/${game}/Info`)
  await expect(page.getByText(texts.admin.ready.line.hidden)).toBeVisible()
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  await page.getByLabel(texts.admin.info.start, { exact: true }).fill(at(-30))
  await page.getByLabel(texts.admin.info.end, { exact: true }).fill(at(60))
  await page.getByText(texts.admin.info.writeupRequired, { exact: true }).click()
  await page.getByText(texts.admin.info.accept, { exact: true }).click()
  await page.getByRole('button', { name: /^Save/ }).click()
  await expect(page.getByText(texts.admin.saved, { exact: true }).first()).toBeVisible()
  await page.getByRole('button', { name: texts.admin.show.button }).click()
  await page.getByRole('dialog').getByRole('button', { name: texts.admin.show.confirm, exact: true }).click()
  await expect(page.getByText(texts.admin.ready.line.hidden)).toHaveCount(0)
  expect(await sendRequest(admin.page, 'get', `/api/edit/games/${game}`)).toMatchObject({ hidden: false, writeupRequired: true })
  player = await register(browser, platform.url, 'dana')
})

test('TEAMS-9 the way to the game leads through a new team back to its join form', async () => {
  const { page } = player
  await page.goto(`/games/${game}`)
  await page.locator(`a[href="/Teams?for=${game}"]`).click()
  await page.getByRole('button', { name: texts.teams.create }).first().click()
  await page.getByRole('dialog').getByLabel(texts.teams.name).fill('Kombu Overflow')
  await page.getByRole('dialog').getByRole('button', { name: texts.teams.createButton }).click()
  await expect(page).toHaveURL(new RegExp(`/games/${game}\\?join=\\d+`))
  await page.getByRole('dialog').getByRole('button', { name: texts.games.join, exact: true }).click()
  await expect(page.getByRole('link', { name: texts.games.openChallenges })).toBeVisible()
})

test('the team solves a challenge: the board counts the solve, and the monitor sees it', async () => {
  const { page } = player
  await page.getByRole('link', { name: texts.games.openChallenges }).click()
  await page.locator('button[aria-haspopup=dialog]', { hasText: 'Buoy' }).click()
  await sendFlag(player, 'flag{Buoy}')
  await expect(page.getByRole('button', { name: texts.play.solved, exact: true })).toBeDisabled()
  await page.goto(`/games/${game}/Scoreboard`)
  await expect(page.getByRole('row', { name: /Kombu Overflow/ }).first()).toBeVisible()
  const { page: monitor } = admin
  await monitor.goto(`/games/${game}/monitor/Submissions`)
  await expect(monitor.getByRole('row', { name: /Kombu Overflow.*Buoy.*flag\{Buoy\}/ })).toBeVisible()
  await page.goto(`/games/${game}`)
})

test('P1.1 WU-1 WU-2 the team submits its writeup, reads it and replaces it', async () => {
  const { page } = player
  await page.getByRole('button', { name: texts.writeup.handIn }).click()
  const dialog = page.getByRole('dialog', { name: new RegExp(`^${texts.writeup.title}`) })
  await expect(dialog.getByText(texts.writeup.nothing, { exact: true })).toBeVisible()
  const choose = async (name: string, text: string) => {
    const chooser = page.waitForEvent('filechooser')
    await dialog.getByRole('button', { name: /^(Upload a PDF|Replace)$/ }).click()
    await (await chooser).setFiles({ name, mimeType: 'application/pdf', buffer: aPdf(text) })
  }
  await choose('first.pdf', 'How we began')
  await expect(dialog.getByText(texts.writeup.submitted, { exact: true })).toBeVisible()
  await choose('second.pdf', 'How we did it')
  const question = page.getByRole('dialog', { name: fill(texts.writeup.replaceTitle, { name: 'second.pdf' }) })
  await question.getByRole('button', { name: texts.writeup.replace, exact: true }).click()
  await expect(page.getByText(texts.writeup.done).first()).toBeVisible()
  await dialog.getByRole('button', { name: texts.ui.preview }).click()
  await expect(dialog.getByText('How we did it')).toBeAttached()
})

test('P1.1 P2.22 WR-1 WR-2 WR-4 the organiser reads the writeup: its text can be selected, its link needs a click, its script does not run', async () => {
  const { page } = admin
  const alerts: string[] = []
  page.on('dialog', (said) => {
    alerts.push(said.message())
    void said.dismiss()
  })
  await page.goto(`/admin/games/${game}/Writeups`)
  const pages = page.getByRole('region', { name: texts.admin.writeups.pages })
  const text = pages.getByText('How we did it')
  await expect(text).toBeAttached()
  await text.selectText()
  expect(await page.evaluate('String(getSelection())')).toContain('How we did it')
  const link = pages.locator('a')
  await expect(link).toHaveAttribute('href', 'https://example.org/more')
  await expect(link).toHaveAttribute('target', '_blank')
  await expect(link).toHaveAttribute('rel', 'noopener noreferrer')
  const { width: drawn } = (await pages.locator('canvas').boundingBox()) ?? { width: 0 }
  const { width: column } = (await pages.boundingBox()) ?? { width: 1 }
  expect(drawn).toBeGreaterThan(column - 80)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: texts.admin.writeups.downloadAll }).click()
  expect((await saved).suggestedFilename()).toMatch(/^Writeups-Regatta-.*\.zip$/)
  expect(alerts).toEqual([])
})

test('PE-1 PE-4 SITE-1 a post is published and read by visitors; the welcome post can be edited and removed', async ({
  browser,
}) => {
  const { page } = admin
  await page.goto('/posts')
  await page.getByRole('link', { name: texts.posts.new }).click()
  await page.getByLabel(texts.posts.postTitle).fill('Results are in')
  await page.getByRole('textbox', { name: texts.posts.content }).fill('**Well** sailed.')
  await page.getByRole('button', { name: texts.posts.create, exact: true }).click()
  await expect(page).toHaveURL(/\/posts\/[0-9a-f]{8}\/edit$/)
  const { page: reader } = await visitor(browser, platform.url)
  await reader.goto('/posts')
  await reader.getByRole('link', { name: 'Results are in' }).click()
  await expect(reader.locator('article strong')).toHaveText('Well')
  await page.goto('/posts')
  await page.getByRole('link', { name: fill(texts.posts.editOne, { title: 'Welcome' }) }).click()
  await page.getByRole('button', { name: texts.ui.delete, exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: texts.ui.delete, exact: true }).click()
  await expect(page).toHaveURL(/\/posts$/)
  await expect(page.getByText('Results are in')).toBeVisible()
  await expect(page.getByText('Welcome', { exact: true })).toHaveCount(0)
  await reader.context().close()
})

const phone = (browser: Browser) =>
  browser.newContext({ baseURL: platform.url, locale: 'ja-JP', viewport: { width: 390, height: 844 }, hasTouch: true })

test('WU-2 PE-2 the same on a phone in Japanese: a writeup is submitted, and a post changed', async ({ browser }) => {
  const context = await phone(browser)
  await context.request.post('/api/account/login', { data: { userName: 'dana', password: 'long enough' } })
  const page = await context.newPage()
  await page.goto(`/games/${game}`)
  await page.getByRole('button', { name: ja.writeup.handIn }).click()
  const dialog = page.getByRole('dialog', { name: new RegExp(`^${ja.writeup.title}`) })
  const chooser = page.waitForEvent('filechooser')
  await dialog.getByRole('button', { name: ja.writeup.replace, exact: true }).click()
  await (await chooser).setFiles({ name: '潮.pdf', mimeType: 'application/pdf', buffer: aPdf('On the phone') })
  const question = page.getByRole('dialog', { name: fill(ja.writeup.replaceTitle, { name: '潮.pdf' }) })
  await question.getByRole('button', { name: ja.writeup.replace, exact: true }).click()
  await expect(page.getByText(ja.writeup.done).first()).toBeVisible()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await context.request.post('/api/account/logout')
  await context.request.post('/api/account/login', { data: { userName: 'Admin', password: platform.adminPassword } })
  const [{ id }] = await (await context.request.get('/api/posts')).json()
  await page.goto(`/posts/${id}/edit`)
  await page.getByLabel(ja.posts.postTitle).fill('結果発表')
  await page.getByRole('button', { name: ja.ui.save, exact: true }).click()
  await expect(page.getByText(ja.admin.saved).first()).toBeVisible()
  await page.goto('/posts')
  await expect(page.getByText('結果発表')).toBeVisible()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await context.close()
})

test('WIDE-3 on the smallest phone an organiser suspends a team, publishes a notice and bans its captain', async ({
  browser,
}) => {
  const size = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
  const context = await browser.newContext({ baseURL: platform.url, locale: 'en-GB', ...size })
  await context.request.post('/api/account/login', { data: { userName: 'Admin', password: platform.adminPassword } })
  const page = await context.newPage()
  const fits = async () => expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.goto('/admin/games')
  await page.getByRole('link', { name: 'Regatta', exact: true }).click()
  await expect(page).toHaveURL(/\/Review$/)
  await fits()
  await page.getByRole('button', { name: /^Kombu Overflow/, expanded: false }).click()
  // The cells of a member are stacked, without a table head.
  const member = page.getByRole('main').locator('tr', { hasText: 'dana@example.org' })
  for (const column of ['email', 'phone'] as const)
    expect(await member.ariaSnapshot()).toContain(texts.admin.review.column[column])
  await fits()
  await button(fill(texts.admin.moreFor, { name: 'Kombu Overflow' })).click()
  await page.getByRole('menuitem', { name: texts.admin.set.Suspended, exact: true }).click()
  await button(texts.admin.set.Suspended).click()
  await expect(page.getByRole('main').getByText(texts.admin.status.Suspended).first()).toBeVisible()
  await page.getByRole('link', { name: new RegExp(`^${texts.admin.gameTabs.Notices}`) }).click()
  await button(texts.admin.notices.create).first().click()
  await page.getByRole('dialog').getByRole('textbox').fill('Lunch is served.')
  await button(texts.admin.notices.publish).click()
  await expect(page.getByRole('main').getByText('Lunch is served.')).toBeVisible()
  await fits()
  for (const tab of ['Events', 'Submissions']) {
    await page.goto(`/games/${game}/monitor/${tab}`)
    await expect(page.getByRole('main').getByText('Kombu Overflow').first()).toBeVisible()
    await fits()
  }
  await page.goto('/admin/Users')
  await button(fill(texts.admin.moreFor, { name: 'dana' })).click()
  await page.getByRole('menuitem', { name: texts.admin.users.ban, exact: true }).click()
  await button(texts.admin.users.ban).click()
  await expect(page.getByText(fill(texts.admin.users.isBanned, { name: 'dana' }))).toBeVisible()
  await fits()
  await context.close()
})
