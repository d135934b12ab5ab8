/** The main workflow of a player and of an administrator with the keyboard only; after each step the focus is where the next step is. */
import { expect, type Locator, type Page, test } from '@playwright/test'
import { fill, type Person, texts, visitor } from '../people.ts'
import { type Platform, startPlatform } from '../platform.ts'

test.describe.configure({ mode: 'serial' })

let platform: Platform
let admin: Person
let player: Person
let game = 0

test.beforeAll(async ({ browser }) => {
  platform = await startPlatform({ env: { DISABLE_RATE_LIMIT: 'true' } })
  admin = await visitor(browser, platform.url, 'Admin')
  player = await visitor(browser, platform.url, 'ann')
})
test.afterAll(() => platform?.stop())

const { info, games, challenges, challenge, flags, notices, users, show, gameTabs } = texts.admin

const dialogOf = (page: Page) => page.getByRole('dialog')
const main = (page: Page) => page.getByRole('main')

/** Presses Tab, at most `most` times, until the element has the focus. */
async function tabTo(target: Locator, most = 60): Promise<void> {
  const page = target.page()
  await expect(target).toBeVisible()
  const focused = target.and(page.locator(':focus'))
  for (let pressed = 0; pressed < most; pressed++) {
    if ((await focused.count()) > 0) return
    await page.keyboard.press('Tab')
  }
  await expect(target, `not within ${most} presses of Tab`).toBeFocused()
}

/** Moves to the element with Tab and presses Enter. */
async function enter(target: Locator): Promise<void> {
  await tabTo(target)
  await target.page().keyboard.press('Enter')
}

/** Moves to a field with Tab and replaces its text. */
async function typeInto(field: Locator, text: string): Promise<void> {
  const { keyboard } = field.page()
  await tabTo(field)
  await keyboard.press('Control+a')
  await keyboard.type(text)
  await expect(field).toHaveValue(text)
}

/** Opens the list of the focused select and chooses its first option. */
async function chooseOption(select: Locator, name: RegExp): Promise<void> {
  const { keyboard } = select.page()
  const list = select.page().getByRole('listbox')
  const marked = select.page().locator('[role=option][data-combobox-selected]')
  // Mantine sets the index of the marked option in timers: a key pressed before they run chooses nothing.
  await expect(async () => {
    const isOpen = (await list.count()) > 0 && (await marked.count()) > 0
    // Moves away from the marked option and back to it.
    if (isOpen) await keyboard.press('ArrowUp')
    await keyboard.press('ArrowDown')
    await expect(marked).toHaveText(name, { timeout: 2_000 })
    await select.page().waitForTimeout(100)
    await keyboard.press('Enter')
    await expect(list).toHaveCount(0, { timeout: 2_000 })
    await expect(select).toHaveValue(name, { timeout: 2_000 })
  }).toPass()
}

const focusIsIn = (place: Locator) => expect(place.locator(':focus')).toHaveCount(1)

async function signIn({ page, name }: Person, password: string): Promise<void> {
  const field = page.getByLabel(texts.account.nameOrEmail)
  await typeInto(field, name)
  await typeInto(page.getByLabel(texts.account.password, { exact: true }), 'not this one')
  await page.keyboard.press('Enter')
  await expect(page.getByText(texts.account.credentialsWrong).first()).toBeVisible()
  // FOCUS-1: the wrong password is selected, so that typing replaces it.
  await expect(page.getByLabel(texts.account.password, { exact: true })).toBeFocused()
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
}

test('FOCUS-1 FOCUS-2 KEY-1 an administrator creates a game with the keyboard alone', async () => {
  const { page } = admin
  await page.goto('/account/Login?from=/admin/games')
  await signIn(admin, platform.adminPassword)
  await expect(page).toHaveURL(/\/admin\/games$/)
  await expect(main(page)).toBeFocused()
  const create = page.getByRole('button', { name: games.create, exact: true }).first()
  await enter(create)
  await expect(dialogOf(page).getByLabel(info.title)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(create).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialogOf(page).getByLabel(info.title)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialogOf(page).getByText(info.titleMissing)).toBeVisible()
  await expect(dialogOf(page).getByLabel(info.title)).toBeFocused()
  await page.keyboard.type('Regatta')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/admin\/games\/\d+\/Info$/)
  game = Number(/games\/(\d+)/.exec(page.url())?.[1])
  await expect(main(page)).toBeFocused()

  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  const moment = (name: string) => page.getByRole('textbox', { name, exact: true })
  for (const [name, minutes] of [
    [info.start, -30],
    [info.end, 60],
  ] as const) {
    await tabTo(moment(name))
    await page.keyboard.press('Control+a')
    await page.keyboard.type(at(minutes))
  }
  await tabTo(page.getByRole('switch', { name: info.accept }))
  await page.keyboard.press('Space')
  await page.keyboard.press('Control+s')
  await expect(page.getByText(texts.admin.saved, { exact: true }).first()).toBeVisible()
  await expect(page.getByRole('switch', { name: info.accept })).toBeFocused()
})

test('FOCUS-2 KEY-1 a challenge with its flag is created, enabled and shown with the keyboard alone', async () => {
  const { page } = admin
  await page.reload()
  await enter(page.getByRole('link', { name: new RegExp(`^${gameTabs.challenges}`) }))
  await expect(main(page)).toBeFocused()
  const dialog = dialogOf(page)
  await enter(page.getByRole('button', { name: challenges.create, exact: true }).first())
  await expect(dialog.getByLabel(challenge.title)).toBeFocused()
  await page.keyboard.type('Buoy')
  const category = dialog.getByRole('combobox', { name: challenges.category })
  await typeInto(category, 'Misc')
  await chooseOption(category, /Misc/)
  const type = (name: string) => dialog.getByRole('radio', { name, exact: true })
  await tabTo(type(texts.admin.types.StaticAttachment))
  await page.keyboard.press('ArrowDown')
  await expect(type(texts.admin.types.StaticContainer)).toBeChecked()
  await page.keyboard.press('ArrowUp')
  await expect(type(texts.admin.types.StaticAttachment)).toBeChecked()
  await expect(type(texts.admin.types.StaticAttachment)).toBeFocused()
  await enter(dialog.getByRole('button', { name: games.createButton, exact: true }))
  await expect(page).toHaveURL(/\/challenges\/\d+$/)
  await expect(main(page)).toBeFocused()

  await typeInto(page.getByRole('textbox', { name: challenge.content }), 'Find the **buoy**.')
  await typeInto(page.getByLabel(flags.onePerLine), 'flag{buoy}')
  await enter(page.getByRole('button', { name: challenge.saveEnable, exact: true }))
  await focusIsIn(dialog)
  await enter(dialog.getByRole('button', { name: challenges.enable, exact: true }))
  await expect(page.getByText(fill(challenges.enabled, { title: 'Buoy' })).first()).toBeVisible()
  await expect(dialog).toHaveCount(0)
  // The button that enabled it no longer exists; the page content has the focus.
  await expect(main(page)).toBeFocused()

  await enter(page.locator('header').getByRole('link', { name: 'Regatta', exact: true }))
  await enter(page.getByRole('button', { name: show.button }))
  await focusIsIn(dialog)
  await enter(dialog.getByRole('button', { name: show.confirm, exact: true }))
  await expect(page.getByRole('button', { name: show.button })).toHaveCount(0)
  await focusIsIn(page.locator('body'))
})

test('FOCUS-2 KEY-1 a notice is published and a user is added with the keyboard alone', async () => {
  const { page } = admin
  const dialog = dialogOf(page)
  await page.reload()
  await enter(page.getByRole('link', { name: new RegExp(`^${gameTabs.Notices}`) }))
  await expect(main(page)).toBeFocused()
  const create = page.getByRole('button', { name: notices.create, exact: true }).first()
  await enter(create)
  await expect(dialog.getByRole('textbox', { name: notices.text })).toBeFocused()
  await page.keyboard.type('The wind has turned.')
  await enter(dialog.getByRole('button', { name: notices.publish, exact: true }))
  await expect(page.getByRole('listitem').filter({ hasText: 'The wind has turned.' })).toBeVisible()
  await expect(create).toBeFocused()

  await page.goto('/admin/games')
  await enter(
    page.getByRole('navigation', { name: texts.admin.title }).getByRole('link', { name: texts.admin.tabs.users, exact: true }),
  )
  await expect(main(page)).toBeFocused()
  const add = page.getByRole('button', { name: users.add, exact: true })
  await enter(add)
  await expect(dialog.getByRole('textbox', { name: users.columns.userName })).toBeFocused()
  await page.keyboard.type('ann')
  await typeInto(dialog.getByRole('textbox', { name: users.columns.email }), 'ann@example.org')
  await typeInto(dialog.getByRole('textbox', { name: users.columns.password }), 'long enough')
  await typeInto(dialog.getByRole('textbox', { name: users.columns.teamName }), 'Danes')
  await page.keyboard.press('Enter')
  // The result replaces the form and takes the focus.
  await expect(dialog.getByRole('button', { name: users.download, exact: true })).toBeFocused()
  await enter(dialog.getByRole('button', { name: texts.ui.done, exact: true }))
  await expect(page.getByRole('row').filter({ hasText: 'ann@example.org' })).toBeVisible()
  await expect(add).toBeFocused()
})

test('FOCUS-1 FOCUS-2 KEY-1 a player signs in, joins, sends a wrong and the right flag and reads the board with the keyboard alone', async () => {
  const { page } = player
  const dialog = dialogOf(page)
  await page.goto(`/account/Login?from=/games/${game}`)
  await signIn(player, 'long enough')
  await expect(page).toHaveURL(new RegExp(`/games/${game}$`))
  await expect(main(page)).toBeFocused()
  await enter(page.getByRole('button', { name: texts.games.main.join }))
  await focusIsIn(dialog)
  await enter(dialog.getByRole('button', { name: texts.games.continue }))
  await focusIsIn(dialog)
  await enter(dialog.getByRole('button', { name: texts.games.join, exact: true }))
  await expect(dialog).toHaveCount(0)
  // The button that opened it no longer exists; the page content has the focus.
  await expect(main(page)).toBeFocused()

  await enter(page.getByRole('link', { name: texts.games.openChallenges }))
  await expect(page).toHaveURL(/\/Challenges$/)
  await expect(main(page)).toBeFocused()
  const card = page.locator('button[aria-haspopup=dialog]', { hasText: 'Buoy' })
  await enter(card)
  const flag = page.getByLabel(texts.play.flag, { exact: true })
  await expect(flag).toBeFocused()
  await page.keyboard.type('flag{no}')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('alert')).toContainText(texts.play.wrong)
  await expect(flag).toBeFocused()
  await page.keyboard.type('flag{buoy}')
  await expect(flag).toHaveValue('flag{buoy}')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: texts.play.solved, exact: true })).toBeDisabled()
  // The form is removed; the text of the challenge has the focus.
  await focusIsIn(dialog)
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(card).toBeFocused()

  await page.reload()
  await enter(page.getByRole('link', { name: texts.frame.scoreboard, exact: true }).first())
  await expect(page).toHaveURL(/\/Scoreboard$/)
  await expect(main(page)).toBeFocused()
  const name = page.getByRole('button', { name: 'Danes', exact: true })
  await enter(name)
  await focusIsIn(dialog)
  await expect(dialog.getByText('1,050').first()).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(name).toBeFocused()
})
