/**
 * Hostile texts in every place where people write, checked on every screen that shows them. No text may run code,
 * make a request to another host or become an element, and plain texts are shown as typed.
 *
 * The pages are checked without the server's content security policy: what they show must be harmless without it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type APIRequestContext, type Browser, type BrowserContext, expect, type Page, request, test } from '@playwright/test'
import { type MailServer, startMailServer } from '../../apps/server/test/mail-server.ts'
import { allHostile, called, canary, fitting, hostileNames, hostileTexts, hostileUserNames } from '../hostile-texts.ts'
import { sendRequest, texts, toggle } from '../people.ts'
import { type Platform, startPlatform } from '../platform.ts'

test.describe.configure({ mode: 'serial' })

const password = 'long enough'
const hour = 3_600_000
/** How long a text may take to appear, ms. */
const PATIENCE = 60_000
const sayingTitle = '</title><img src=x onerror=p_()>{{x}}$t(ui.save)"&amp;<b>'
const slogan = '<svg onload=p_()></svg>{{name}} "onfocus=p_() &lt;b&gt; javascript:p_()'
const skipper = hostileUserNames[0] as string
const gameTitle = '<img src=x onerror=p_()>{{title}}$t(ui.delete)</title>'
const divisions = ['<script>p_()</script>', '{{division}} $t(ui.save)', '"><svg onload=p_()>&lt;']
const answerOf = '"><img src=x onerror=p_()>{{0}}'
/** Uses special characters that are valid in an e-mail address; shown together with the mail server's reply. */
const emailOf = (index: number) => `p${index}{{x}}$t&#60b&#62'onload=p_\`\`@example.org`
const refusal = '5.1.1 <img src=x onerror=p_()>{{x}}$t(ui.save) "&amp; javascript:p_()'
const fileName = '"><img src=x onerror=p_()>%41%{{x}}.zip'

/** Recorded signs of a text that ran code or made a request to another host; must stay empty. */
const seen: string[] = []
/** Problems by screen, reported at the end, so that one run covers all screens. */
const problems: string[] = []
/** Each screen with the places where hostile text was checked. */
const covered: { screen: string; places: string[] }[] = []

let platform: Platform
let mailServer: MailServer
let admin: Page
let player: Page
let game = 0
const challenges: number[] = []
const teams: { name: string; user: string; api: APIRequestContext; id: number }[] = []

/** A browser page that records every effect that a text could have. */
async function watched(browser: Browser): Promise<Page> {
  const context: BrowserContext = await browser.newContext({
    baseURL: platform.url,
    locale: 'en-US',
    viewport: { width: 1440, height: 1000 },
    bypassCSP: true,
  })
  await context.exposeBinding(called, ({ page }) => void seen.push(`ran on ${page.url()}`))
  await context.route('https://canary.example/**', (route) => {
    const address = route.request().url()
    if (address.startsWith(canary) || route.request().resourceType() !== 'image') seen.push(`asked for ${address}`)
    return route.fulfill({ status: 204 })
  })
  await context.addInitScript({ path: join(import.meta.dirname, '../hostile-in-page.js') })
  const page = await context.newPage()
  context.on('page', (other) => other !== page && seen.push(`opened ${other.url()}`))
  page.on('dialog', (dialog) => {
    seen.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('pageerror', (error) => seen.push(`error on ${page.url()}: ${error.message}`))
  page.on('framenavigated', (frame) => {
    const inside = frame === page.mainFrame() && (frame.url().startsWith(platform.url) || frame.url() === 'about:blank')
    if (!inside) seen.push(`went to ${frame.url()}`)
  })
  return page
}

// Run functions of hostile-in-page.js in an open page.
const foreign = (page: Page) => page.evaluate<string[]>('hostile.foreign()')
const missing = (page: Page, wanted: readonly string[]) => page.evaluate<string[]>(`hostile.missing(${JSON.stringify(wanted)})`)

/** Waits until these places show their texts, and checks the whole page. */
async function look(page: Page, screen: string, places: Readonly<Record<string, string | readonly string[]>>): Promise<void> {
  for (const [place, wanted] of Object.entries(places)) {
    let left = await missing(page, [wanted].flat())
    for (const end = Date.now() + PATIENCE; left.length > 0 && Date.now() < end; left = await missing(page, left))
      await page.waitForTimeout(100)
    for (const text of left) problems.push(`${screen}: ${place} does not show ${text}`)
  }
  for (const what of [...(await foreign(page)), ...seen.splice(0)]) problems.push(`${screen}: ${what}`)
  covered.push({ screen, places: Object.keys(places) })
}

const names = () => teams.map(({ name }) => name)
const users = () => teams.map(({ user }) => user)

test.beforeAll(async ({ browser }) => {
  // Accepts mail for two players and permanently rejects all other mail.
  const taken = [emailOf(0), emailOf(1)]
  mailServer = await startMailServer({ answer: (to) => (taken.includes(to) ? null : { code: 550, message: refusal }) })
  const mail = {
    VEXIL_MAIL_HOST: '127.0.0.1',
    VEXIL_MAIL_PORT: String(mailServer.port),
    VEXIL_MAIL_SENDER: 'ctf@example.org',
    VEXIL_MAIL_IGNORE_CERTIFICATE: 'true',
  }
  platform = await startPlatform({ env: { ADMIN_PASSWORD: '', DISABLE_RATE_LIMIT: 'true', ...mail } })
  admin = await watched(browser)
  player = await watched(browser)
})
test.afterAll(async () => {
  // The first team sends its requests through the player's page.
  await Promise.all(teams.slice(1).map(({ api }) => api.dispose()))
  await Promise.all([admin, player].map((page) => page.context().close()))
  await platform.stop()
  await mailServer.stop()
})

test('the set-up page shows a hostile title as it is typed', async () => {
  const link = readFileSync(join(platform.dataDir, 'setup-link'), 'utf8').trim()
  await admin.goto(new URL(link).pathname + new URL(link).search)
  await admin.getByLabel(texts.setup.administrator, { exact: true }).fill(skipper)
  await admin.getByLabel(texts.account.email, { exact: true }).fill('skipper@example.org')
  await admin.getByLabel(texts.account.password, { exact: true }).fill(password)
  await admin.getByLabel(texts.account.retype).fill(password)
  await admin.getByLabel(texts.setup.name, { exact: true }).fill(sayingTitle)
  await admin.getByLabel(texts.setup.slogan, { exact: true }).fill(slogan)
  await look(admin, 'set-up', { 'platform title': `Shown as ${sayingTitle}`, slogan })
  await admin.getByRole('button', { name: texts.setup.finish }).click()
  await expect(admin).toHaveTitle(`${sayingTitle}::CTF`)
  await look(admin, 'home, empty', { 'platform title': sayingTitle })
})

test('a game is filled with hostile texts', async () => {
  const times = { start: new Date(Date.now() - hour).toISOString(), end: new Date(Date.now() + 9 * hour).toISOString() }
  const body = {
    ...times,
    title: gameTitle,
    summary: fitting(60).slice(0, 15).join(' ').slice(0, 980),
    content: allHostile('the end of the game page'),
    writeupRequired: true,
    writeupNote: allHostile('the end of the note'),
    organizations: divisions,
    acceptWithoutReview: true,
    practiceMode: true,
  }
  ;({ id: game } = await sendRequest(admin, 'post', '/api/edit/games', body))
  const edit = `/api/edit/games/${game}`
  const titles = fitting(200).filter((text) => !text.includes('\n'))
  for (let i = 0; i < 4; i++) {
    const title = titles
      .slice(i * 4, i * 4 + 4)
      .join(' ')
      .slice(0, 199)
      .trim()
    const type = i === 1 ? 'DynamicAttachment' : 'StaticAttachment'
    const { id } = await sendRequest(admin, 'post', `${edit}/challenges`, {
      title,
      category: ['Web', 'Misc', 'Pwn', 'AI'][i],
      type,
    })
    challenges.push(id)
    const flags = [0, 1, 2, 3].map((n) => ({ flag: `flag{${n}${answerOf}}`, ...(i === 1 && link(n)) }))
    await sendRequest(admin, 'post', `${edit}/challenges/${id}/flags`, flags)
    if (i === 0) await attach(id)
    if (i === 2)
      await sendRequest(admin, 'post', `${edit}/challenges/${id}/attachment`, {
        attachmentType: 'Remote',
        remoteUrl: link(0).remoteUrl,
      })
    await sendRequest(admin, 'put', `${edit}/challenges/${id}`, {
      content: allHostile(`the end of challenge ${i}`),
      ...(i === 1 && { fileName }),
      isEnabled: true,
    })
    // Set after the challenge is enabled, so that a notice announces them.
    await sendRequest(admin, 'put', `${edit}/challenges/${id}`, {
      hints: i === 0 ? [...hostileTexts, 'the last hint'] : ['the last hint'],
    })
  }
  for (const content of [...hostileTexts, allHostile('swallowed or not'), 'the end of the notice'])
    await sendRequest(admin, 'post', `${edit}/notices`, { content })
})

const link = (n: number) => ({ attachmentType: 'Remote', remoteUrl: `https://canary.example/run/"><svg/onload=p_()>${n}` })

async function attach(challenge: number): Promise<void> {
  const file = { name: fileName, mimeType: 'text/html', buffer: Buffer.from(`<script>p_()</script>${challenge}`) }
  const stored = await admin.request.post(`${platform.url}/api/assets`, { multipart: { files: file } })
  expect(stored.ok(), await stored.text()).toBe(true)
  const [{ hash }] = await stored.json()
  await sendRequest(admin, 'post', `/api/edit/games/${game}/challenges/${challenge}/attachment`, {
    attachmentType: 'Local',
    fileHash: hash,
  })
}

test('links that could run code are refused as attachments', async () => {
  for (const remoteUrl of ['javascript:p_()', ' java\tscript:p_()', 'data:text/html,x', 'vbscript:x']) {
    const path = `${platform.url}/api/edit/games/${game}/challenges/${challenges[3]}/attachment`
    const answer = await admin.request.post(path, { data: { attachmentType: 'Remote', remoteUrl } })
    expect(answer.status(), remoteUrl).toBe(400)
  }
})

test('users and teams with hostile names play the game', async () => {
  const join = async (index: number, name: string) => {
    const api = index === 0 ? player.request : await request.newContext({ baseURL: platform.url })
    const user = hostileUserNames[index + 1] ?? `<b>${index}`
    await sendRequest({ request: api }, 'post', '/api/account/register', { userName: user, password, email: emailOf(index) })
    const bio = `<img src=x onerror=p_()>{{bio}}$t(ui.save) ${index}`
    await sendRequest({ request: api }, 'put', '/api/account/update', {
      realName: `<script>p_()</script>{{n}} ${index}`,
      bio,
      stdNumber: bio,
    })
    const { id } = await sendRequest({ request: api }, 'post', '/api/team', { name, bio })
    await sendRequest({ request: api }, 'post', `/api/game/${game}`, {
      teamId: id,
      organization: divisions[index % divisions.length],
    })
    teams[index] = { name, user, api, id }
  }
  await Promise.all(hostileNames.map((name, index) => join(index, name)))
  const send = async (team: number, challenge: number, flag: string) =>
    sendRequest({ request: teams[team]!.api }, 'post', `/api/game/${game}/challenges/${challenges[challenge]}`, { flag })
  for (const flag of fitting(127)) await send(0, 3, flag)
  // One after the other, so that the order of the solves is known.
  for (let team = 0; team < teams.length; team++) await send(team, 0, `flag{0${answerOf}}`)
  for (const team of [3, 4, 5]) await send(team, 2, `flag{1${answerOf}}`)
  // Two teams fetch their own attachments, then one team submits the flags of all of them.
  for (const team of [0, 1]) {
    await sendRequest({ request: teams[team]!.api }, 'get', `/api/game/${game}/challenges/${challenges[1]}`)
  }
  for (const n of [0, 1, 2, 3]) await send(1, 1, `flag{${n}${answerOf}}`)
})

test('posts are created', async () => {
  const tags = ['<b onclick=p_()>{{tag}}']
  const title = '$t(ui.save){{title}}<img src=x onerror=p_()>'
  for (const [index, text] of hostileTexts.entries()) {
    await sendRequest(admin, 'post', '/api/edit/posts', {
      title,
      summary: text,
      content: `${text}\n\nthe end of post ${index}`,
      tags,
    })
  }
  await sendRequest(admin, 'post', '/api/edit/posts', {
    title: 'the newest <script>p_()</script>',
    summary: allHostile('the end of the summary').slice(-9_000),
    content: allHostile('the end of the post'),
    tags,
  })
})

test('home, games and posts', async () => {
  await player.goto('/')
  await look(player, 'home', { 'platform title': sayingTitle, 'game title': gameTitle, 'post title': 'the newest <script>' })
  await player.goto('/About')
  await look(player, 'about', { 'platform title': sayingTitle, slogan })
  await player.goto('/games')
  await look(player, 'games', { 'game title': gameTitle })
  for (let page = 1; page <= Math.ceil((hostileTexts.length + 1) / 10); page++) {
    await player.goto(`/posts?page=${page}`)
    await look(player, `posts, page ${page}`, {
      'post title': '<img src=x onerror=p_()>',
      'post tag': '{{tag}}',
      author: skipper,
    })
    await expect(player.locator('main .md[aria-hidden]')).toHaveCount(0)
    expect(await foreign(player)).toEqual([])
  }
  await player.goto('/posts')
  await player.getByRole('link', { name: 'the newest' }).click()
  await look(player, 'post', { 'post title': '<script>p_()</script>', 'post text': 'the end of the post' })
  await expect(player).toHaveTitle(`the newest <script>p_()</script> - ${sayingTitle}::CTF`)
})

test('the page of the game and its challenges', async () => {
  await player.goto(`/games/${game}`)
  await look(player, 'game', { 'game title': gameTitle, 'game text': 'the end of the game page' })
  await expect(player).toHaveTitle(`${gameTitle} - ${sayingTitle}::CTF`)
  const board = await sendRequest(admin, 'get', `/api/edit/games/${game}/challenges`)
  const titles = board.map(({ title }: { title: string }) => title)
  await player.goto(`/games/${game}/Challenges`)
  await look(player, 'challenges', { 'challenge title': titles, 'team name': names()[0] as string })
  await look(player, 'notice panel', { 'normal notice': 'the end of the notice', 'names in notices': names().slice(0, 3) })
  for (const [index, challenge] of challenges.entries()) {
    await player.goto(`/games/${game}/Challenges?c=${challenge}`)
    const hint: Record<string, string> = index === 0 ? { hints: 'the last hint' } : {}
    const file: Record<string, string> = index === 0 ? { 'file name': '<img src=x onerror=p_()>' } : {}
    const told = { 'challenge title': titles[index], 'challenge text': `the end of challenge ${index}`, ...hint, ...file }
    await look(player, `challenge dialog ${index + 1}`, told)
  }
  const dialog = player.getByRole('dialog')
  await dialog.getByLabel(texts.play.flag, { exact: true }).fill(answerOf)
  await dialog.getByRole('button', { name: texts.play.submit }).click()
  await dialog.getByLabel(texts.play.flag, { exact: true }).fill('')
  await dialog.getByRole('button', { name: texts.play.bringBack }).click()
  await look(player, 'challenge dialog, answer', { answer: answerOf })
})

test('notices that arrive while a page is open', async () => {
  await player.goto(`/games/${game}/Challenges`)
  await look(player, 'challenges, again', { 'normal notice': 'the end of the notice' })
  await sendRequest(admin, 'post', `/api/edit/games/${game}/notices`, { content: '<svg onload=p_()>{{x}}$t(ui.save) came late' })
  await look(player, 'toast of a notice', { 'normal notice': '<svg onload=p_()>{{x}}$t(ui.save) came late' })
})

test('the scoreboard, its chart and the dialog of a team', async () => {
  await player.goto(`/games/${game}/Scoreboard`)
  await look(player, 'scoreboard', { 'team name': names(), division: divisions[0] as string })
  const chart = player.locator('figure canvas').first()
  const box = await chart.boundingBox()
  if (!box) throw new Error('There is no chart')
  for (let x = 50; x < 200; x += 10) await player.mouse.move(box.x + x, box.y + box.height / 2)
  const tip = player.locator('figure [aria-hidden] div', { hasText: names()[0] as string })
  await expect(tip.first()).toBeAttached()
  await look(player, 'tooltip of the chart', { 'team name': names()[0] as string })
  for (const index of [0, 3, 8]) {
    const { name, user } = teams[index]!
    await player.locator('main tbody button').filter({ hasText: name }).first().click()
    const dialog = player.getByRole('dialog')
    await expect(dialog.getByText(user, { exact: true }).first()).toBeVisible()
    await expect(dialog.getByText('{{bio}}$t(ui.save)').first()).toBeVisible()
    await look(player, `dialog of a team ${index}`, { 'team name': name, 'user name': user, bio: '{{bio}}$t(ui.save)' })
    await player.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  }
})

test('teams, their dialog, the profile and a refusal that repeats a text', async () => {
  const own = teams[0]!
  await player.goto('/Teams')
  await look(player, 'teams', { 'team name': own.name, bio: '{{bio}}$t(ui.save)' })
  await player.locator('main').getByRole('button').filter({ hasText: own.name }).first().click()
  await expect(player.getByRole('dialog')).toBeVisible()
  await look(player, 'dialog of the own team', { 'team name': own.name, 'user name': own.user, bio: '{{bio}}$t(ui.save) 0' })
  const said = '<img src=x onerror=p_()>{{title}}$t(ui.save)'
  await player.route('**/api/team/*', (route) => route.fulfill({ status: 400, json: { title: said, status: 400 } }))
  await player.getByRole('dialog').getByLabel(texts.teams.name).fill('{{x}}')
  await player.getByRole('dialog').getByRole('button', { name: texts.ui.save }).click()
  await look(player, 'toast of a refusal', { 'words of the server': said })
  await player.unroute('**/api/team/*')
  await player.goto('/account/Profile')
  await look(player, 'profile', { 'user name': own.user, 'real name': '<script>p_()</script>{{n}} 0', bio: '{{bio}}$t(ui.save)' })
})

test('the page of the game for a team that is pending or banned', async () => {
  const all = await sendRequest(admin, 'get', `/api/game/${game}/participations`)
  for (const index of [8, 9, 13, 17]) {
    const { name, api } = teams[index]!
    const { id } = all.find(({ team }: { team: { name: string } }) => team.name === name)
    await sendRequest(admin, 'put', `/api/admin/participation/${id}/Suspended`)
    await player.context().clearCookies()
    await player.context().addCookies((await api.storageState()).cookies)
    await player.goto(`/games/${game}`)
    await look(player, `game, banned team ${index}`, { 'team name': `${name} is banned` })
    await sendRequest(admin, 'put', `/api/admin/participation/${id}/Accepted`)
  }
})

test('the lists and forms of the administrator', async () => {
  await admin.goto('/admin/games')
  await look(admin, 'admin games', { 'game title': gameTitle })
  await admin.goto(`/admin/games/${game}/Info`)
  await look(admin, 'admin information', { 'game title': gameTitle, division: divisions })
  const previews = admin.getByRole('tab', { name: texts.ui.preview })
  for (let i = 0; i < (await previews.count()); i++) await previews.nth(i).click()
  await look(admin, 'admin information, previews', {
    'game text': 'the end of the game page',
    'writeup note': 'the end of the note',
  })
  await admin.goto(`/admin/games/${game}/Notices`)
  await look(admin, 'admin notices', { 'normal notice': 'the end of the notice', 'names in notices': names().slice(0, 3) })
  const titles = (await sendRequest(admin, 'get', `/api/edit/games/${game}/challenges`)).map(
    ({ title }: { title: string }) => title,
  )
  await admin.goto(`/admin/games/${game}/challenges`)
  await look(admin, 'admin challenges', { 'challenge title': titles })
  for (const index of [0, 1]) {
    const path = `/admin/games/${game}/challenges/${challenges[index]}`
    await admin.goto(path)
    await look(admin, `editor ${index + 1}`, { 'challenge title': titles[index], hints: 'the last hint' })
    await admin.getByRole('button', { name: texts.ui.preview, exact: true }).first().click()
    const dialog = admin.getByRole('dialog')
    await expect(dialog.getByText(`the end of challenge ${index}`)).toBeVisible()
    await expect(dialog.getByText('the last hint')).toBeVisible()
    await dialog.getByLabel(texts.play.flag, { exact: true }).fill(answerOf)
    await dialog.getByRole('button', { name: texts.play.submit }).click()
    await expect(admin.getByText(texts.admin.preview.typed)).toBeVisible()
    await look(admin, `preview dialog ${index + 1}`, {
      'challenge title': titles[index],
      hints: 'the last hint',
      answer: answerOf,
    })
    await admin.goto(`${path}/Flags`)
    await look(admin, `flags ${index + 1}`, { flags: `flag{3${answerOf}}`, 'challenge title': titles[index] })
  }
})

test('mails, their links and failed mails', async () => {
  await sendRequest(admin, 'put', '/api/admin/config', { accountPolicy: { emailConfirmationRequired: true } })
  for (const index of teams.keys()) {
    await sendRequest(player, 'post', '/api/account/recovery', { email: emailOf(index) })
  }
  for (const index of [0, 1]) {
    const { html, text } = await mailServer.next(emailOf(index))
    expect(text).toContain(users()[index])
    await player.route('**/mail', (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body: html }))
    await player.goto('/mail')
    await look(player, `mail ${index + 1}`, { 'user name': users()[index] as string, 'platform title': sayingTitle })
    await player.unroute('**/mail')
  }
  const failed = teams.length - 2
  await expect
    .poll(async () => (await sendRequest(admin, 'get', '/api/admin/mails?state=Failed')).total, { timeout: PATIENCE })
    .toBe(failed)
  await admin.goto('/admin/Settings')
  const listed = { recipient: [...teams.keys()].slice(-4).map(emailOf), 'words of the mail server': refusal }
  await look(admin, 'failed mails', listed)
  await admin.getByRole('button', { name: texts.admin.mail.test.replace('{{recipient}}', '') }).click()
  await expect(admin.getByRole('alert').getByText(refusal)).toBeVisible()
  await look(admin, 'test mail', listed)
  const encoded = encodeURIComponent(Buffer.from('<img src=x onerror=p_()>{{x}}@$t(ui.save)').toString('base64'))
  for (const screen of ['Verify', 'Confirm']) {
    await player.goto(`/account/${screen}?token=QUI%3D&email=${encoded}`)
    await look(player, `${screen}, from a link`, { address: '<img src=x onerror=p_()>{{x}}@$t(ui.save)' })
  }
})

test('review, with every team opened', async () => {
  await admin.goto(`/admin/games/${game}/Review`)
  await look(admin, 'review', { division: divisions })
  for (const { name, user } of teams) {
    await admin.getByLabel(texts.admin.review.find).fill(name)
    const opener = admin.locator('main li button[aria-controls]').filter({ hasText: name }).first()
    if ((await opener.getAttribute('aria-expanded')) === 'false') await opener.click()
    await look(admin, `review of ${name}`, { 'user name': user, 'real name': '<script>p_()</script>{{n}}' })
  }
})

test('the screens of monitors', async () => {
  await admin.goto(`/games/${game}/monitor/Events`)
  await look(admin, 'monitor events', { 'team name': names()[1] as string, 'user name': users()[1] as string, answer: answerOf })
  await admin.goto(`/games/${game}/monitor/Submissions`)
  await look(admin, 'monitor submissions', {
    'team name': names().slice(0, 6),
    'user name': users()[1] as string,
    answer: answerOf,
  })
  await admin.goto(`/games/${game}/monitor/CheatInfo`)
  await admin.locator('main li button[aria-expanded=false]').first().click()
  await look(admin, 'monitor cheats by team', { 'team name': names().slice(0, 2), answer: answerOf })
  await toggle(admin.getByRole('switch', { name: texts.monitor.cheats.byTeam }))
  await look(admin, 'monitor cheats', { 'team name': names()[1] as string, answer: answerOf })
})

test('P1.26 every place has been checked, and this is the list', () => {
  expect(hostileTexts.length).toBeGreaterThanOrEqual(40)
  const lines = covered.map(({ screen, places }) => `${screen}: ${places.join(', ')}`)
  console.log(`${hostileTexts.length} texts, ${hostileNames.length} team names, ${covered.length} screens\n${lines.join('\n')}`)
  expect([...problems, ...seen]).toEqual([])
})
