/** Behaviour of the screens that needs a real browser: redirects, titles, widths, keys, focus, device storage, errors in the code. */
import { type Browser, expect, type Page, test } from '@playwright/test'
import japanese from '../../apps/web/locales/ja_JP.json' with { type: 'json' }
import { fill, type Person, sendRequest, texts, visitor } from '../people.ts'
import { type Platform, startPlatform } from '../platform.ts'

let platform: Platform
let game = 0
let challenge = 0
let post = ''
type Role = 'visitor' | 'User' | 'Monitor' | 'Admin'
const people = {} as Record<Role, Person>
const site = 'GZ::CTF'

/** Registers, creates a team and joins the game through the API. */
async function player(browser: Browser, name: string): Promise<Person> {
  const person = await visitor(browser, platform.url, name)
  await sendRequest(person.page, 'post', '/api/account/register', {
    userName: name,
    email: `${name}@example.org`,
    password: 'long enough',
  })
  const { id } = await sendRequest(person.page, 'post', '/api/team', { name: `Team of ${name}` })
  await sendRequest(person.page, 'post', `/api/game/${game}`, { teamId: id })
  return person
}

test.beforeAll(async ({ browser }) => {
  platform = await startPlatform({ env: { DISABLE_RATE_LIMIT: 'true' } })
  const admin = await visitor(browser, platform.url, 'Admin')
  await sendRequest(admin.page, 'post', '/api/account/login', { userName: 'Admin', password: platform.adminPassword })
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  const made = { title: 'Regatta', content: 'Sail.', acceptWithoutReview: true, start: at(-1), end: at(1) }
  game = (await sendRequest(admin.page, 'post', '/api/edit/games', made)).id
  const challenges = `/api/edit/games/${game}/challenges`
  challenge = (await sendRequest(admin.page, 'post', challenges, { title: 'Chart', category: 'Web', type: 'StaticAttachment' }))
    .id
  await sendRequest(admin.page, 'post', `${challenges}/${challenge}/flags`, [{ flag: 'flag{north}' }])
  await sendRequest(admin.page, 'put', `${challenges}/${challenge}`, { isEnabled: true })
  const picture = await admin.page.evaluate<string>(
    "Object.assign(document.createElement('canvas'), { width: 3000, height: 60 }).toDataURL('image/png')",
  )
  const text = { title: 'News', summary: '', content: `![The course](${picture})`, tags: [] }
  post = String(await sendRequest(admin.page, 'post', '/api/edit/posts', text))
  const { globalConfig } = await sendRequest(admin.page, 'get', '/api/admin/config')
  await sendRequest(admin.page, 'put', '/api/admin/config', {
    globalConfig: { ...globalConfig, footerInfo: 'By the crew<mbr/>of Harbour' },
  })
  people.visitor = await visitor(browser, platform.url)
  people.Admin = admin
  const own = await sendRequest(admin.page, 'post', '/api/team', { name: 'Crew' })
  await sendRequest(admin.page, 'post', `/api/game/${game}`, { teamId: own.id })
  people.User = await player(browser, 'una')
  people.Monitor = await player(browser, 'moe')
  const { data } = await sendRequest(admin.page, 'get', '/api/admin/users?count=50')
  const moe = data.find(({ userName }: { userName: string }) => userName === 'moe')
  await sendRequest(admin.page, 'put', `/api/admin/users/${moe.id}`, { role: 'Monitor' })
  await sendRequest(people.User.page, 'post', `/api/game/${game}/challenges/${challenge}`, { flag: 'flag{north}' })
})
test.afterAll(() => platform.stop())

/** Navigates within the application, as a link does: the page is not reloaded. */
const go = (page: Page, path: string) =>
  page.evaluate(`history.pushState({}, '', '${path}'); dispatchEvent(new PopStateEvent('popstate', { state: history.state }))`)

const shown = (page: Page) => page.evaluate<string[]>('[location.pathname + location.search, document.title]')
const shows = (page: Page, path: string, title: string) =>
  expect.poll(() => shown(page), { intervals: [20, 50, 100], message: path }).toEqual([path, title ? `${title} - ${site}` : site])

type Need = Role | 'guest'
/** Address, title, the role that it needs, and the target if it redirects. */
const routes = (): [path: string, title: string, need: Need, to?: string][] => {
  const own = `/games/${game}`
  const admin = `/admin/games/${game}`
  const { tabs, gameTabs, title } = texts.admin
  return [
    ['/', '', 'visitor'],
    ['/games', texts.games.title, 'visitor'],
    [own, 'Regatta', 'visitor'],
    ['/posts', texts.posts.title, 'visitor'],
    [`/posts/${post}`, 'News', 'visitor'],
    ['/About', texts.shell.tabs.about, 'visitor'],
    ['/Teams', texts.shell.tabs.teams, 'User'],
    ['/account/Profile', texts.shell.profile, 'User'],
    [`${own}/Challenges`, `${texts.frame.challenges} - Regatta`, 'User'],
    [`${own}/Scoreboard`, `${texts.board.title} - Regatta`, 'visitor'],
    ...(['Events', 'Submissions', 'CheatInfo', 'traffic'] as const).map(
      (tab) => [`${own}/monitor/${tab}`, `${texts.monitor.tabs[tab]} - Regatta`, 'Monitor'] as [string, string, Need],
    ),
    [`${own}/monitor`, `${texts.monitor.tabs.Events} - Regatta`, 'Monitor', `${own}/monitor/Events`],
    ...(['games', 'Teams', 'Users', 'Instances', 'Logs', 'Settings'] as const).map(
      (tab) => [`/admin/${tab}`, `${tabs[tab.toLowerCase() as keyof typeof tabs]} - ${title}`, 'Admin'] as [string, string, Need],
    ),
    ['/admin', `${tabs.games} - ${title}`, 'Admin', '/admin/games'],
    ...(['Info', 'Notices', 'Review', 'Writeups', 'challenges'] as const).map(
      (tab) => [`${admin}/${tab}`, `${gameTabs[tab]} - Regatta`, 'Admin'] as [string, string, Need],
    ),
    [admin, `${gameTabs.Info} - Regatta`, 'Admin', `${admin}/Info`],
    [`${admin}/challenges/${challenge}`, 'Chart - Regatta', 'Admin'],
    [`${admin}/challenges/${challenge}/Flags`, 'Chart - Regatta', 'Admin'],
    [`/posts/${post}/edit`, `${texts.ui.edit} - News`, 'Admin'],
    ['/posts/new/edit', texts.posts.new, 'Admin'],
    ['/account/Login', texts.account.signIn, 'guest'],
    ['/account/Register', texts.account.register, 'guest'],
    ['/account/Recovery', texts.account.recovery, 'visitor'],
    ['/account/Reset', texts.account.reset, 'visitor'],
    ['/account/Verify', texts.account.verify, 'visitor'],
    ['/account/Confirm', texts.account.confirm, 'visitor'],
    ['/nowhere/at/all', texts.shell.notFound, 'visitor'],
  ]
}
const order = ['visitor', 'User', 'Monitor', 'Admin']

for (const role of ['visitor', 'User', 'Monitor', 'Admin'] as const)
  test(`P2.36 P6.16 P2.1 P2.37 P8.28 GUARD-1 GUARD-2 GUARD-5 GUARD-8 GUARD-9 GUARD-10 NAV-5 every address shows ${role} its screen or redirects, checked by the title`, async () => {
    const { page } = people[role]
    await page.goto('/')
    for (const [path, title, need, to] of routes()) {
      // Uppercase with a trailing slash; numbers and the names of posts are kept.
      const typed =
        role === 'Admin' && path !== '/' ? `${path.replace(/\/[A-Za-z]+(?=\/|$)/g, (part) => part.toUpperCase())}/` : path
      await go(page, typed)
      if (need === 'guest' && role !== 'visitor') await shows(page, '/', '')
      else if (need === 'guest' || order.indexOf(role) >= order.indexOf(need)) await shows(page, to ?? typed, title)
      else if (role === 'visitor')
        await shows(page, `/account/Login?${new URLSearchParams({ from: path })}`, texts.account.signIn)
      else await shows(page, path, texts.shell.notFound)
    }
  })

const signIn = async (page: Page) => {
  await page.getByLabel(texts.account.nameOrEmail).fill('una')
  await page.getByLabel(texts.account.password, { exact: true }).fill('long enough')
  await page.keyboard.press('Enter')
}

test('GUARD-2 GUARD-3 GUARD-8 KEY-3 Enter signs in and opens the page requested before, and back does not open the login again', async ({
  browser,
}) => {
  const { page } = await visitor(browser, platform.url)
  await page.goto('/About')
  await go(page, '/teams?x=1')
  await expect(page).toHaveURL(/\/account\/Login\?from=%2Fteams%3Fx%3D1$/)
  await signIn(page)
  await shows(page, '/teams?x=1', texts.shell.tabs.teams)
  await page.goBack()
  await shows(page, '/About', texts.shell.tabs.about)
  for (const [address, to] of [
    ['/account/Login?from=%2Fgames', '/games'],
    ['/account/Register?from=%2Fposts', '/posts'],
    ['/account/Login?from=https%3A%2F%2Fevil.example', '/'],
  ]) {
    await page.goto(address as string)
    await expect.poll(async () => (await shown(page))[0]).toBe(to)
  }
  await page.context().close()
})

test('P2.9 REC-1 KEY-3 a form of one field is sent once, by Enter and by its button', async ({ browser }) => {
  const { page } = await visitor(browser, platform.url)
  const sent: string[] = []
  await page.route('**/api/account/recovery', (route) => {
    sent.push(route.request().postDataJSON().email)
    return route.fulfill({ json: { title: 'sent', status: 200 } })
  })
  await page.goto('/account/Recovery')
  await page.getByLabel(texts.account.email).fill('a@example.org')
  await page.keyboard.press('Enter')
  await expect(page.getByText(texts.account.recoverySent)).toBeVisible()
  expect(sent).toEqual(['a@example.org'])
  await page.getByLabel(texts.account.email).fill('b@example.org')
  await page.getByRole('button', { name: texts.account.sendMail }).click()
  await expect.poll(() => sent).toEqual(['a@example.org', 'b@example.org'])
  await page.context().close()
  const { page: own } = people.User
  for (const [opens, label, call] of [
    [texts.teams.join, texts.teams.code, '/api/team/accept'],
    [texts.shell.profile, texts.account.realName, '/api/account/update'],
  ] as const) {
    await own.goto(opens === texts.teams.join ? '/Teams' : '/account/Profile')
    if (opens === texts.teams.join) await own.getByRole('button', { name: opens }).click()
    await own.getByLabel(label).fill(opens === texts.teams.join ? `Crew:1:${'0'.repeat(32)}` : 'Una U.')
    const [request] = await Promise.all([own.waitForRequest(`**${call}`), own.keyboard.press('Enter')])
    expect(request.method()).toMatch(/POST|PUT/)
  }
})

test('P2.2 GUARD-1 home loads the code of no other screen; each screen loads its own', async ({ browser }) => {
  const { page } = await visitor(browser, platform.url)
  const screens = new Set<string>()
  page.on('request', (request) => {
    const name = /static\/([\w-]+\.screen)-/.exec(request.url())?.[1]
    if (name) screens.add(name)
  })
  await page.goto('/')
  await page.waitForLoadState('networkidle')
  expect([...screens]).toEqual(['home.screen'])
  for (const [path, screen] of [
    ['/About', 'about.screen'],
    ['/games', 'games.screen'],
    [`/games/${game}/Scoreboard`, 'scoreboard.screen'],
    ['/account/Register', 'register.screen'],
  ] as const) {
    await go(page, path)
    await expect.poll(() => [...screens].at(-1)).toBe(screen)
  }
  await page.context().close()
})

test('P2.2 code, texts and styles of the start page are sent with the page, and no file is sent twice', async ({ browser }) => {
  const { page } = await visitor(browser, platform.url)
  await page.goto('/')
  await page.waitForLoadState('networkidle')
  const html = await (await page.request.get('/')).text()
  const entries = await page.evaluate(() => performance.getEntriesByType('resource').map((entry) => entry.toJSON()))
  const loads = entries.map(({ name, initiatorType, transferSize }) => ({
    path: new URL(String(name)).pathname,
    by: String(initiatorType),
    sent: Number(transferSize) > 0,
  }))
  // The start page itself requests the game's text, which needs Markdown.
  const parts = loads.filter(({ path }) => /static[/](?!markdown).*[.](js|css)$/.test(path))
  expect(parts.filter(({ path }) => !html.includes(path))).toEqual([])
  // The page fetches the styles before the code that imports them.
  const fetched = new Set(parts.filter(({ by }) => by === 'fetch').map(({ path }) => path))
  const styles = parts.map(({ path }) => path).filter((path) => /(?<!static[/]index-[\w-]*)[.]css$/.test(path))
  expect(fetched.size).toBeGreaterThan(3)
  expect(styles.filter((path) => !fetched.has(path))).toEqual([])
  const sent = parts.filter((load) => load.sent).map(({ path }) => path)
  expect(sent).toEqual([...new Set(sent)])
  await page.context().close()
})

test('WIDE-1 WIDE-2 P1.28 below 1080 pixels an organiser is asked for a wider window, with a link home, and typed text is kept', async () => {
  const { page } = people.Admin
  await page.goto(`/admin/games/${game}/Info`)
  const name = page.getByLabel(texts.admin.info.title, { exact: true })
  await name.fill('Regatta, day two')
  const notice = page.getByRole('heading', { name: texts.ui.narrowTitle })
  for (const [width, narrow] of [
    [1080, false],
    [1079, true],
    [600, true],
    [1080, false],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await expect(notice).toBeVisible({ visible: narrow })
    await expect(name).toBeVisible({ visible: !narrow })
    if (narrow) await expect(page.getByRole('main').getByRole('link', { name: texts.ui.home })).toHaveAttribute('href', '/')
  }
  await expect(name).toHaveValue('Regatta, day two')
  await name.fill('Regatta')
  await page.goto(`/admin/games/${game}/challenges`)
  await page.setViewportSize({ width: 1079, height: 900 })
  await page.getByRole('main').getByRole('link', { name: texts.ui.home }).click()
  await shows(page, '/', '')
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('NAV-6 the first link that Tab reaches on a page skips the navigation', async () => {
  for (const [role, path] of [
    ['visitor', '/'],
    ['visitor', '/account/Login'],
    ['visitor', '/nowhere'],
    ['User', `/games/${game}/Challenges`],
    ['Admin', '/admin/Users'],
  ] as const) {
    const { page } = people[role]
    await page.goto(path)
    await expect(page.locator('main h1, main h2').first()).toBeVisible()
    await page.keyboard.press('Tab')
    await expect(page.getByRole('link', { name: texts.shell.skip })).toBeFocused()
    await expect(page.getByRole('link', { name: texts.shell.skip })).toBeInViewport()
    await page.keyboard.press('Enter')
    await expect(page.locator('main')).toBeFocused()
  }
})

test('NAV-4 the footer of home, game and post has logo, name, the default line and the own text, whose lines break on phones only', async () => {
  const { page } = people.visitor
  for (const path of ['/', `/games/${game}`, `/posts/${post}`]) {
    await page.goto(path)
    const foot = page.locator('main footer')
    await expect(foot).toContainText(`${site}${texts.shell.runsOn}By the crewof Harbour`)
    expect(texts.shell.runsOn).toContain('©')
    await expect(foot.locator('svg, img').first()).toBeVisible()
    const lines = async (width: number) => {
      await page.setViewportSize({ width, height: 900 })
      return page.evaluate<number>(`(() => {
        const text = [...document.querySelectorAll('main footer *')].findLast((one) => one.textContent.includes('By the crew'))
        const range = document.createRange()
        range.selectNodeContents(text)
        return new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top))).size
      })()`)
    }
    expect([await lines(767), await lines(768), await lines(1440)]).toEqual([2, 1, 1])
  }
})

test('MD-7 a picture loads when it is near, is at most as wide as its column, and opens enlarged', async () => {
  const { page } = people.visitor
  await page.goto(`/posts/${post}`)
  const picture = page.getByRole('article').getByRole('img', { name: 'The course' })
  await expect(picture).toHaveAttribute('loading', 'lazy')
  const width = async (of: typeof picture) => (await of.boundingBox())?.width ?? 0
  expect(await width(picture)).toBeGreaterThan(300)
  expect(await width(picture)).toBeLessThanOrEqual(760)
  await page.getByRole('button', { name: `${texts.ui.enlarge}: The course` }).click()
  const large = page.getByRole('dialog').getByRole('img', { name: 'The course' })
  await expect.poll(() => width(large)).toBeGreaterThan(900)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('MD-8 KEY-4 each Markdown field has a preview beside it, reached with arrows and opened with Enter or Space', async () => {
  const { page } = people.Admin
  const { info, settings, challenge: ofChallenge } = texts.admin
  for (const [path, ...labels] of [
    ['/posts/new/edit', texts.posts.summary, texts.posts.content],
    [`/admin/games/${game}/Info`, info.writeupNote, info.content],
    [`/admin/games/${game}/challenges/${challenge}`, ofChallenge.content],
    ['/admin/Settings', settings.footerInfo],
  ] as const) {
    await page.goto(path)
    for (const [at, label] of labels.entries()) {
      await page.getByRole('textbox', { name: label }).fill('**Well** sailed.')
      const tabs = page.getByRole('tablist', { name: label })
      const [write, preview] = [texts.admin.write, texts.ui.preview].map((name) => tabs.getByRole('tab', { name }))
      const panel = tabs.locator('xpath=../..').getByRole('tabpanel')
      await write?.focus()
      await page.keyboard.press('ArrowRight')
      await expect(preview as NonNullable<typeof preview>).toBeFocused()
      await expect(write as NonNullable<typeof write>).toHaveAttribute('aria-selected', 'true')
      await page.keyboard.press(at === 0 ? 'Enter' : 'Space')
      await expect(preview as NonNullable<typeof preview>).toHaveAttribute('aria-selected', 'true')
      await expect(panel.locator('strong')).toHaveText('Well')
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('Enter')
      await expect(page.getByRole('textbox', { name: label })).toHaveValue('**Well** sailed.')
    }
    page.once('dialog', (dialog) => void dialog.accept())
  }
})

test('KEY-5 headers of tables have a scope, icons a name, charts a table', async () => {
  const { page } = people.Admin
  const own = `/games/${game}`
  const edit = `/admin/games/${game}`
  await page.goto('/')
  for (const path of [
    `${own}/Scoreboard`,
    ...['Events', 'Submissions'].map((tab) => `${own}/monitor/${tab}`),
    ...['/admin/games', '/admin/Teams', '/admin/Users', '/admin/Logs', `${edit}/challenges`],
  ]) {
    await go(page, path)
    await shows(page, path, routes().find(([one]) => one === path)?.[1] as string)
    await expect(async () => {
      const found = await page.evaluate<{ heads: number; headless: number; scopeless: string[]; nameless: string[] }>(`({
        heads: document.querySelectorAll('th').length,
        scopeless: [...document.querySelectorAll('th:not([scope])')].map((one) => one.outerHTML),
        headless: [...document.querySelectorAll('table')].filter((table) => !table.querySelector('th')).length,
        nameless: [...document.querySelectorAll('button, a[href], [role=button]')]
          .filter((one) => !one.textContent.trim() && !one.getAttribute('aria-label') && !one.getAttribute('aria-labelledby'))
          .filter((one) => !one.querySelector('img[alt]:not([alt=""]), [role=img][aria-label]'))
          .map((one) => one.outerHTML),
      })`)
      expect([path, found.scopeless, found.headless, found.nameless]).toEqual([path, [], 0, []])
      expect(found.heads, path).toBeGreaterThan(0)
    }).toPass()
  }
  await go(page, `${own}/Scoreboard`)
  await expect(page.locator('figure figcaption table').getByRole('row', { name: /Team of una/ })).toBeAttached()
  await go(page, `${own}/monitor/Events`)
  await expect(page.locator('figure table').first()).toBeAttached()
  await go(page, `${edit}/challenges/${challenge}`)
  await expect(page.getByRole('img', { name: /\d/ }).first()).toBeAttached()
})

test('KEY-6 nothing moves when reduced motion is set', async ({ browser }) => {
  const moving = async (reducedMotion: 'reduce' | 'no-preference') => {
    const context = await browser.newContext({ baseURL: platform.url, locale: 'en-US', reducedMotion })
    const page = await context.newPage()
    const found: string[] = []
    for (const path of ['/', '/About', `/games/${game}`, `/games/${game}/Scoreboard`, '/account/Login']) {
      await page.goto(path)
      await expect(page.locator('main h1').first()).toBeVisible()
      if (path === '/About') await page.getByRole('button', { name: texts.posts.licences }).click()
      const moves = await page.evaluate<string[]>(`[...document.querySelectorAll('*')].flatMap((one) => {
        const { animationName, animationDuration, transitionDuration, display } = getComputedStyle(one)
        const longest = (times) => Math.max(...times.split(',').map(Number.parseFloat))
        const moves = (animationName !== 'none' && longest(animationDuration) > 0.01) || longest(transitionDuration) > 0.01
        return moves && display !== 'none' ? [one.tagName + ' ' + one.className] : []
      })`)
      found.push(...moves)
    }
    await context.close()
    return found
  }
  expect(await moving('reduce')).toEqual([])
  expect((await moving('no-preference')).length).toBeGreaterThan(0)
})

test('GAMES-4 the list of games shows three placeholders while it loads, a message when it is empty, and stacks on phones', async ({
  browser,
}) => {
  const { page } = await visitor(browser, platform.url)
  let release = () => {}
  await page.route('**/api/game?*', async (route) => {
    await new Promise<void>((done) => {
      release = done
    })
    await route.fulfill({ json: [] })
  })
  await page.goto('/games')
  await expect(page.locator('main ul[aria-hidden] > li')).toHaveCount(3)
  await expect(async () => {
    release()
    await expect(page.getByText(texts.games.none)).toBeVisible({ timeout: 500 })
  }).toPass()
  await page.unroute('**/api/game?*')
  for (const [width, stacked] of [
    [390, true],
    [1440, false],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/games')
    const card = page.locator('main li', { hasText: 'Regatta' })
    const poster = await card.locator('> :first-child').boundingBox()
    const name = await card.getByRole('link').boundingBox()
    expect([width, (poster?.y ?? 0) + (poster?.height ?? 0) <= (name?.y ?? 0) + 1]).toEqual([width, stacked])
  }
  await page.context().close()
})

test('P1.25 P2.41 LANG-3 language and scheme are kept on the device; the server answers in the language, categories keep their names', async ({
  browser,
}) => {
  const { page } = await visitor(browser, platform.url)
  await page.goto('/account/Login?lng=ja_JP')
  // The language is stored once its texts are loaded.
  await expect(page.locator('html')).toHaveAttribute('lang', 'ja-JP')
  await page.goto('/account/Login')
  await expect(page.locator('html')).toHaveAttribute('lang', 'ja-JP')
  await page.getByLabel(japanese.account.nameOrEmail).fill('una')
  await page.getByLabel(japanese.account.password, { exact: true }).fill('wrong one')
  await page.keyboard.press('Enter')
  await expect(page.getByText('ユーザー名またはパスワードが違います')).toBeVisible()
  await page.getByLabel(japanese.account.password, { exact: true }).fill('long enough')
  await page.keyboard.press('Enter')
  await shows(page, '/', '')
  await page.goto(`/games/${game}/Challenges`)
  await expect(page.getByRole('tablist', { name: japanese.play.categories }).getByText('Web', { exact: true })).toBeVisible()
  for (const [name, about] of Object.entries(japanese.admin.categories))
    expect(about).not.toBe(texts.admin.categories[name as keyof typeof texts.admin.categories])
  const scheme = () => page.evaluate<string>('document.documentElement.dataset.mantineColorScheme')
  const before = await scheme()
  const target = before === 'dark' ? 'light' : 'dark'
  await page.getByRole('button', { name: japanese.shell[target] }).click()
  await expect.poll(scheme).toBe(target)
  await page.reload()
  expect(await scheme()).toBe(target)
  await page.context().close()
})

test('P2.40 NAV-3 ERR-2 clearing the cache reloads the page; answers are removed, language, scheme and colour stay', async () => {
  const { page } = people.User
  await page.goto('/games')
  await page.evaluate(
    `for (const [name, value] of ${JSON.stringify([
      ['colour', '#aa3300'],
      ['lng', 'en_US'],
      ['scheme', 'light'],
      ['vexil_cache', 'x'],
    ])}) localStorage.setItem(name, value)`,
  )
  await page.getByRole('button', { name: `${texts.shell.account}: una` }).click()
  const loaded = page.waitForEvent('load')
  await page.getByRole('menuitem', { name: texts.shell.clearCache }).click()
  await loaded
  const after = await page.evaluate<Record<string, string>>('({ ...localStorage })')
  expect([after.colour, after.lng, after.scheme]).toEqual(['#aa3300', 'en_US', 'light'])
  expect(after.vexil_cache).not.toBe('x')
  await page.evaluate("localStorage.removeItem('colour')")
})

test('P2.45 P2.46 ERR-1 ERR-2 ERR-4 an error of a screen shows message and stack; the user can try again, copy it, and clear the cache', async ({
  browser,
}) => {
  const context = await browser.newContext({
    baseURL: platform.url,
    locale: 'en-US',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  await page.request.post('/api/account/login', { data: { userName: 'una', password: 'long enough' } })
  await page.route(/static\/about\.screen-.*\.js/, async (route) => {
    // Other code imports the screen by the name that the build gave it.
    const [, exported = ''] = /export\{([^}]*)\};?$/.exec((await (await route.fetch()).text()).trim()) ?? []
    const names = exported.split(',').flatMap((one) => / as (\w+)$/.exec(one)?.[1] ?? [])
    const screen = 'function About() { if (!window.mended) throw new Error("planted fault"); return "mended" }'
    const others = names.filter((name) => name !== 'default').map((name) => `export const ${name} = { default: About };`)
    await route.fulfill({ contentType: 'text/javascript', body: `${screen} export default About; ${others.join(' ')}` })
  })
  await page.goto('/About?secret=una')
  const alert = page.locator('main').getByRole('alert')
  await expect(alert).toContainText('planted fault')
  await expect(alert.locator('pre')).toContainText(/at About/)
  const again = page.getByRole('button', { name: texts.ui.tryAgain })
  await again.click()
  await expect(alert).toContainText('planted fault')
  await page.getByRole('button', { name: texts.shell.copyDetails }).click()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  for (const part of ['planted fault', 'at About', '/About', 'Vexil 0.24.2-patch.1']) expect(copied).toContain(part)
  expect(copied).not.toMatch(/una/)
  await page.evaluate("localStorage.setItem('vexil_cache', 'x')")
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: texts.shell.clearCache }).click()])
  await expect(alert).toContainText('planted fault')
  expect(await page.evaluate("localStorage.getItem('vexil_cache')")).not.toBe('x')
  await page.evaluate('window.mended = true')
  await again.click()
  await expect(page.locator('main')).toHaveText('mended')
  await context.close()
})

test('P2.42 P2.43 P2.44 each tab of administration, of a game and of monitoring opens its screen', async () => {
  const { page } = people.Admin
  const { tabs, gameTabs } = texts.admin
  const open = async (start: string, expected: Readonly<Record<string, string>>) => {
    await page.goto(start)
    const first = Object.keys(expected)[0] as string
    const bar = page.getByRole('main').getByRole('navigation').filter({ hasText: first }).last()
    await expect(bar).toBeVisible()
    const names = (await bar.getByRole('link').allTextContents()).map((name) => name.replace(/\d.*$/, '').trim())
    expect(names.toSorted()).toEqual(Object.keys(expected).toSorted())
    for (const [name, path] of Object.entries(expected)) {
      await bar.getByRole('link', { name: new RegExp(`^${name}`) }).click()
      await expect.poll(async () => (await shown(page))[0]).toBe(path)
      await expect(bar.getByRole('link', { name: new RegExp(`^${name}`) })).toHaveAttribute('aria-current', 'page')
    }
  }
  await open('/admin/Logs', {
    [tabs.games]: '/admin/games',
    [tabs.health]: '/admin/Health',
    [tabs.instances]: '/admin/Instances',
    [tabs.logs]: '/admin/Logs',
    [tabs.settings]: '/admin/Settings',
    [tabs.teams]: '/admin/Teams',
    [tabs.users]: '/admin/Users',
  })
  const edit = `/admin/games/${game}`
  await open(`${edit}/Notices`, {
    [gameTabs.Info]: `${edit}/Info`,
    [gameTabs.Notices]: `${edit}/Notices`,
    [gameTabs.Review]: `${edit}/Review`,
    [gameTabs.Writeups]: `${edit}/Writeups`,
    [gameTabs.challenges]: `${edit}/challenges`,
  })
  const monitor = `/games/${game}/monitor`
  await open(`${monitor}/Events`, {
    [texts.monitor.tabs.CheatInfo]: `${monitor}/CheatInfo`,
    [texts.monitor.tabs.Events]: `${monitor}/Events`,
    [texts.monitor.tabs.Submissions]: `${monitor}/Submissions`,
    [texts.monitor.tabs.traffic]: `${monitor}/traffic`,
  })
})

test('P1.21 P1.29 P2.4 ABOUT-1 About shows slogan and version, on a phone too', async () => {
  const { page } = people.visitor
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 844 })
    await page.goto('/About')
    await expect(page.getByText(texts.shell.slogan)).toBeInViewport()
    await expect(page.getByText('v0.24.2-patch.1')).toBeInViewport()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  }
})

test('P1.18 P1.20 P2.34 P2.35 P2.36 posts are created, pinned, edited and deleted; readers see the order, and a deleted post is not found', async () => {
  const { page } = people.Admin
  const { page: reader } = people.visitor
  const listed = async () => {
    await reader.goto('/posts')
    await expect(reader.locator('main h2').first()).toBeVisible()
    return (await reader.locator('main h2').allTextContents()).filter((title) => title !== 'Welcome')
  }
  await page.goto('/posts/new/edit')
  await page.getByLabel(texts.posts.postTitle).fill('Results')
  await page.getByRole('textbox', { name: texts.posts.content }).fill('**Well** sailed.')
  await page.getByRole('button', { name: texts.posts.create, exact: true }).click()
  await expect(page).toHaveURL(/\/posts\/[0-9a-f]{8}\/edit$/)
  const id = /posts\/(\w{8})/.exec(page.url())?.[1] as string
  await expect.poll(listed).toEqual(['Results', 'News'])
  await reader.getByRole('link', { name: 'Results' }).click()
  await expect(reader.locator('article strong')).toHaveText('Well')
  await page.goto('/posts')
  await page.getByRole('button', { name: fill(texts.posts.pinOne, { title: 'News' }) }).click()
  await expect(page.getByRole('button', { name: fill(texts.posts.unpinOne, { title: 'News' }) })).toBeVisible()
  await expect.poll(listed).toEqual(['News', 'Results'])
  await page.getByRole('link', { name: fill(texts.posts.editOne, { title: 'Results' }) }).click()
  await page.getByLabel(texts.posts.postTitle).fill('Results, corrected')
  await page.getByRole('button', { name: texts.ui.save, exact: true }).click()
  await expect(page).toHaveTitle(/Results, corrected/)
  // The page title follows the form before the post is stored.
  await expect.poll(listed).toEqual(['News', 'Results, corrected'])
  await page.getByRole('button', { name: texts.ui.delete, exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: texts.ui.delete, exact: true }).click()
  await expect(page).toHaveURL(/\/posts$/)
  expect(await listed()).toEqual(['News'])
  await go(reader, `/posts/${id}`)
  await shows(reader, `/posts/${id}`, texts.shell.notFound)
})

test('LIVE-6 every screen of a game changes automatically at its start and end, and closing screens redirect', async () => {
  const times = await sendRequest(people.Admin.page, 'get', `/api/edit/games/${game}`)
  const set = (start: number, end: number) =>
    sendRequest(people.Admin.page, 'put', `/api/edit/games/${game}`, {
      ...times,
      practiceMode: false,
      start: new Date(start).toISOString(),
      end: new Date(end).toISOString(),
    })
  // The limit of two seconds is tested with a fake clock elsewhere.
  await set(Date.now() + 3_600_000, Date.now() + 7_200_000)
  const { page } = people.User
  await page.goto(`/games/${game}`)
  await expect(page.getByRole('link', { name: texts.games.scoreboard })).toHaveCount(0)
  await go(page, `/games/${game}/Scoreboard`)
  await shows(page, `/games/${game}`, 'Regatta')
  await expect(page.getByText(texts.frame.notStarted)).toBeVisible()
  const start = Date.now() + 3000
  await set(start, start + 3_600_000)
  const opens = page.getByRole('main').getByRole('link', { name: texts.games.openChallenges })
  await opens.waitFor({ timeout: 60_000 })
  await opens.click()
  expect(Date.now()).toBeGreaterThanOrEqual(start - 1000)
  await shows(page, `/games/${game}/Challenges`, `${texts.frame.challenges} - Regatta`)
  const end = Date.now() + 5000
  await set(start, end)
  await page.waitForURL(new RegExp(`/games/${game}$`), { timeout: 60_000 })
  // The page knows the server's clock to within half a second.
  expect(Date.now()).toBeGreaterThanOrEqual(end - 1000)
  await expect(page.getByText(texts.frame.ended).first()).toBeVisible()
})
