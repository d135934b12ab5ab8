/** Outside the competition: the profile, challenge files, and the screens of monitors. */
import { expect, test } from '@playwright/test'
import { createTeam, fill, type Person, register, sendRequest, texts, visitor } from '../people.ts'
import { type Platform, startPlatform } from '../platform.ts'

test.describe.configure({ mode: 'serial' })

let platform: Platform
let admin: Person
let player: Person
let game = 0
let fileChallenge = 0
let heldChallenge = 0

test.beforeAll(async ({ browser }) => {
  platform = await startPlatform({ env: { DISABLE_RATE_LIMIT: 'true' } })
  admin = await visitor(browser, platform.url, 'Admin')
  await sendRequest(admin.page, 'post', '/api/account/login', { userName: 'Admin', password: platform.adminPassword })
  const hour = 3_600_000
  const times = { start: new Date(Date.now() - hour).toISOString(), end: new Date(Date.now() + hour).toISOString() }
  game = (await sendRequest(admin.page, 'post', '/api/edit/games', { title: 'Watch', acceptWithoutReview: true, ...times })).id

  fileChallenge = (
    await sendRequest(admin.page, 'post', `/api/edit/games/${game}/challenges`, { title: 'Chart', type: 'StaticAttachment' })
  ).id
  const uploaded = await admin.page.request.post(`${platform.url}/api/assets`, {
    multipart: { files: { name: 'chart.txt', mimeType: 'text/plain', buffer: Buffer.from('north by north-west') } },
  })
  const [{ hash }] = await uploaded.json()
  await sendRequest(admin.page, 'post', `/api/edit/games/${game}/challenges/${fileChallenge}/attachment`, {
    attachmentType: 'Local',
    fileHash: hash,
  })
  await sendRequest(admin.page, 'post', `/api/edit/games/${game}/challenges/${fileChallenge}/flags`, [{ flag: 'flag{north}' }])
  await sendRequest(admin.page, 'put', `/api/edit/games/${game}/challenges/${fileChallenge}`, { isEnabled: true })

  heldChallenge = (
    await sendRequest(admin.page, 'post', `/api/edit/games/${game}/challenges`, { title: 'Locker', type: 'DynamicAttachment' })
  ).id
  const held = ['a', 'b', 'c', 'd'].map((name) => ({
    flag: `flag{${name}}`,
    attachmentType: 'Remote',
    remoteUrl: `https://files.example.org/${name}`,
  }))
  await sendRequest(admin.page, 'post', `/api/edit/games/${game}/challenges/${heldChallenge}/flags`, held)
  await sendRequest(admin.page, 'put', `/api/edit/games/${game}/challenges/${heldChallenge}`, { isEnabled: true })
})
test.afterAll(() => platform.stop())

test('P2.8 P2.39 a new name appears in the navigation; the menu opens the profile and signs out', async ({ browser }) => {
  player = await register(browser, platform.url, 'dana')
  const { page } = player
  await page.getByRole('button', { name: `${texts.shell.account}: dana` }).click()
  await page.getByRole('menuitem', { name: texts.shell.profile }).click()
  await expect(page).toHaveURL(/account\/Profile/i)
  await page.getByLabel(texts.account.userName).fill('danish')
  await page.getByRole('button', { name: texts.ui.save, exact: true }).click()
  await expect(page.getByRole('button', { name: `${texts.shell.account}: danish` })).toBeVisible()
  await page.getByRole('button', { name: `${texts.shell.account}: danish` }).click()
  await page.getByRole('menuitem', { name: texts.shell.logout }).click()
  await expect(page.getByText(texts.shell.signedOut, { exact: true })).toBeVisible()
  expect((await page.request.get(`${platform.url}/api/account/profile`)).status()).toBe(401)
  await page.getByRole('button', { name: texts.shell.account }).click()
  await page.getByRole('menuitem', { name: texts.shell.signIn }).click()
  await page.getByLabel(texts.account.nameOrEmail).fill('DANISH')
  await page.getByLabel(texts.account.password, { exact: true }).fill('long enough')
  await page.getByRole('button', { name: texts.account.signIn }).click()
  await expect(page.getByText(texts.account.signedIn, { exact: true })).toBeVisible()
})

test('P8.19 a picture with broken bytes is refused', async () => {
  const { page } = player
  await page.goto('/account/Profile')
  await page.getByRole('button', { name: texts.account.changeAvatar }).click()
  const dialog = page.getByRole('dialog')
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'notes.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') })
  await expect(page.getByText(texts.ui.fileNotLoaded).first()).toBeVisible()
  await dialog.locator('input[type=file]').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: Buffer.from('<html>') })
  await dialog.getByRole('button', { name: texts.ui.save }).click()
  await expect(page.getByText('File invalid (check format and size)').first()).toBeVisible()
})

test('P1.5 the file of a challenge downloads, and its flag is correct', async () => {
  await createTeam(player, 'Danes')
  const own = await sendRequest(player.page, 'get', '/api/team')
  await sendRequest(player.page, 'post', `/api/game/${game}`, { teamId: own[0].id })
  const { page } = player
  await page.goto(`/games/${game}/Challenges?c=${fileChallenge}`)
  const link = page
    .getByRole('dialog')
    .getByRole('link', { name: /chart\.txt/ })
    .first()
  const href = await link.getAttribute('href')
  const file = await page.request.get(platform.url + href)
  expect(await file.text()).toBe('north by north-west')
  expect(file.headers()['content-disposition']).toContain('attachment')
  await page.getByLabel(texts.play.flag, { exact: true }).fill('flag{north}')
  await page.getByRole('button', { name: texts.play.submit }).click()
  await expect(page.getByRole('button', { name: texts.play.solved, exact: true })).toBeDisabled()
})

test('a phone shows the same parts on every tab, the own numbers and the chart, and moves from challenge to challenge', async () => {
  const { page } = player
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`/games/${game}/Scoreboard`)
  const parts = page.getByRole('navigation', { name: texts.frame.parts })
  await expect(parts.getByRole('link')).toHaveText([
    texts.frame.challenges,
    texts.frame.scoreboard,
    texts.frame.notices,
    texts.frame.team,
  ])
  await expect(page.getByRole('region', { name: texts.board.own })).toContainText(fill(texts.play.ofTeams, { count: 1 }))
  await page.getByRole('button', { name: texts.board.chart }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.locator('figure li')).toHaveText([/Danes/])
  await page.keyboard.press('Escape')
  await parts.getByRole('link', { name: texts.frame.notices }).click()
  await expect(dialog.getByText('Chart').first()).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL(/Scoreboard/)
  await parts.getByRole('link', { name: texts.frame.challenges }).click()
  await page.getByRole('button', { name: 'Chart' }).click()
  await expect(dialog.getByRole('link', { name: /chart\.txt/ })).toBeInViewport()
  await expect(dialog.getByRole('button', { name: texts.play.previousChallenge })).toBeDisabled()
  await dialog.getByRole('button', { name: texts.play.nextChallenge }).click()
  await expect(dialog.getByRole('heading', { name: 'Locker' })).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`c=${heldChallenge}`))
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('P2.31 new events appear on an open monitor automatically', async () => {
  await admin.page.goto(`/games/${game}/monitor`)
  await expect(admin.page).toHaveURL(/monitor\/Events$/)
  await expect(admin.page.getByText('flag{north}').first()).toBeVisible()
  await sendRequest(player.page, 'post', `/api/game/${game}/challenges/${heldChallenge}`, { flag: 'flag{a guess}' })
  await expect(admin.page.getByText('flag{a guess}').first()).toBeVisible()
})

test('P2.30 a copied flag is shown with both teams', async ({ browser }) => {
  const thief = await register(browser, platform.url, 'erik')
  await createTeam(thief, 'Vikings')
  const own = await sendRequest(thief.page, 'get', '/api/team')
  await sendRequest(thief.page, 'post', `/api/game/${game}`, { teamId: own[0].id })
  await sendRequest(thief.page, 'get', `/api/game/${game}/challenges/${heldChallenge}`)
  const { context } = await sendRequest(player.page, 'get', `/api/game/${game}/challenges/${heldChallenge}`)
  const copied = `flag{${context.url.at(-1)}}`
  await sendRequest(thief.page, 'post', `/api/game/${game}/challenges/${heldChallenge}`, { flag: copied })
  await admin.page.goto(`/games/${game}/monitor/CheatInfo`)
  for (const name of ['Danes', 'Vikings']) await expect(admin.page.getByText(name).first()).toBeVisible()
  await thief.page.context().close()
})

test('P1.1 P1.19 a monitor without administrator rights sees events, submissions, cheating and traffic; a player sees none of them', async ({
  browser,
}) => {
  const monitor = await register(browser, platform.url, 'mona')
  const { userId } = await sendRequest(monitor.page, 'get', '/api/account/profile')
  await sendRequest(admin.page, 'put', `/api/admin/users/${userId}`, { role: 'Monitor' })
  const { page } = monitor
  for (const [part, seen] of [
    ['Events', 'flag{a guess}'],
    ['Submissions', 'flag{a guess}'],
    ['CheatInfo', 'Vikings'],
  ]) {
    await page.goto(`/games/${game}/monitor/${part}`)
    await expect(page.getByText(seen as string).first(), part).toBeVisible()
  }
  await page.goto(`/games/${game}/monitor/traffic`)
  await expect(page.getByRole('link', { name: texts.monitor.tabs.traffic, exact: true })).toHaveAttribute('aria-current', 'page')
  await expect(page.getByText(texts.shell.notFoundText)).toHaveCount(0)
  for (const part of ['Events', 'Submissions', 'CheatInfo', 'traffic']) {
    await player.page.goto(`/games/${game}/monitor/${part}`)
    await expect(player.page.getByText(texts.shell.notFoundText), part).toBeVisible()
  }
  await page.context().close()
})

test('MON-3 a text without a place to break makes no row high, cuts no shorter name and moves no field', async ({ browser }) => {
  const { page } = admin
  const before = page.viewportSize()!
  const guest = await register(browser, platform.url, 'lars')
  await createTeam(guest, 'Jutes')
  const own = await sendRequest(guest.page, 'get', '/api/team')
  await sendRequest(guest.page, 'post', `/api/game/${game}`, { teamId: own[0].id })
  const guess = `flag{${'x'.repeat(120)}}`
  await sendRequest(guest.page, 'post', `/api/game/${game}/challenges/${fileChallenge}`, { flag: guess })
  await guest.page.context().close()
  await page.setViewportSize({ width: 1080, height: 800 })
  await page.goto(`/games/${game}/monitor/Submissions`)
  const row = await page.getByRole('row').filter({ hasText: guess }).boundingBox()
  expect(row?.height).toBeLessThan(60)
  await page.setViewportSize(before)

  const times = { start: new Date().toISOString(), end: new Date(Date.now() + 3_600_000).toISOString() }
  const { id } = await sendRequest(page, 'post', '/api/edit/games', { title: 'G'.repeat(110), hidden: true, ...times })
  const made = { title: 'Container, flag per team', type: 'StaticAttachment' }
  const challenge = await sendRequest(page, 'post', `/api/edit/games/${id}/challenges`, made)
  await page.goto(`/admin/games/${id}/challenges/${challenge.id}`)
  await expect(page.getByRole('heading', { level: 1 }).getByText(made.title)).toBeVisible()
  const cut = `(() => {
    const name = [...document.querySelectorAll('h1 *')].find((one) => one.textContent === ${JSON.stringify(made.title)})
    const text = document.createRange()
    text.selectNodeContents(name)
    return text.getBoundingClientRect().width - name.getBoundingClientRect().width
  })()`
  expect(await page.evaluate(cut)).toBeLessThan(0.05)

  await page.goto('/admin/Settings')
  const title = page.getByLabel(texts.admin.settings.title, { exact: true })
  const known = await title.inputValue()
  const slogan = page.getByLabel(texts.admin.settings.slogan, { exact: true })
  const width = (await slogan.boundingBox())?.width
  await title.fill('N'.repeat(50))
  expect((await slogan.boundingBox())?.width).toBe(width)
  await title.fill(known)
})

test('a field of several values shows its focus once, and several problems of a challenge are joined like words', async () => {
  const { page } = admin
  const times = { start: new Date().toISOString(), end: new Date(Date.now() + 3_600_000).toISOString() }
  const { id } = await sendRequest(page, 'post', '/api/edit/games', { title: 'Fields', hidden: true, ...times })
  await sendRequest(page, 'post', `/api/edit/games/${id}/challenges`, { title: 'Empty', type: 'StaticContainer' })
  await page.goto(`/admin/games/${id}/Info`)
  const field = page.getByRole('combobox', { name: texts.admin.info.divisions })
  // The form is drawn again while its parts load, which loses the focus.
  await expect(async () => {
    await field.focus()
    expect(await page.evaluate('[document.activeElement.role, getComputedStyle(document.activeElement).outlineStyle]')).toEqual([
      'combobox',
      'none',
    ])
  }).toPass({ timeout: 15_000 })

  await page.goto(`/admin/games/${id}/challenges`)
  const name = texts.admin.problem.flag
  await expect(page.getByRole('link', { name })).toBeVisible()
  const space = await page.evaluate<number>(`(() => {
    const link = [...document.querySelectorAll('tbody a')].find((one) => one.textContent === ${JSON.stringify(name)})
    const comma = document.createRange()
    comma.setStart(link.nextSibling, 0)
    comma.setEnd(link.nextSibling, 1)
    return comma.getBoundingClientRect().left - link.getBoundingClientRect().right
  })()`)
  expect(space).toBeLessThan(1)
})

test('every screen is replaced by the next one without a reload or an error', async () => {
  const inGame = (part: string) => `/games/${game}/${part}`
  const ofPlayer = ['/', '/games', `/games/${game}`, inGame('Challenges'), inGame('Scoreboard'), '/posts', '/About', '/Teams']
  const ofAdmin = [
    ...['Events', 'Submissions', 'CheatInfo'].map((tab) => inGame(`monitor/${tab}`)),
    ...['/admin/games', '/admin/Settings', `/admin/games/${game}/challenges/${fileChallenge}`],
    ...['Info', 'Notices', 'Review', 'challenges'].map((tab) => `/admin/games/${game}/${tab}`),
    ...[fileChallenge, heldChallenge].map((id) => `/admin/games/${game}/challenges/${id}/Flags`),
  ]
  for (const [{ page }, screens] of [
    [player, [...ofPlayer, '/account/Profile']],
    [admin, [...ofPlayer.filter((path) => !path.endsWith('Challenges')), ...ofAdmin]],
  ] as const) {
    await page.goto('/games')
    for (const path of [...screens, ...screens.toReversed()]) {
      await page.evaluate(
        `history.pushState({}, '', '${path}'); dispatchEvent(new PopStateEvent('popstate', { state: history.state }))`,
      )
      await expect(page).toHaveURL(new RegExp(`${path}$`, 'i'))
      await page.waitForLoadState('networkidle')
      await expect(page.locator('main')).not.toContainText(texts.shell.fault)
      await expect(page.locator('h1, h2').locator('visible=true').first()).toBeVisible()
    }
  }
})
