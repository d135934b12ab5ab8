/** The main workflow of administrator, player and monitor in Chinese (player on a phone) and, in the proof, in Japanese (desktop); others use English. */
import { type Browser, type Download, expect, type Page, test } from '@playwright/test'
import japanese from '../../apps/web/locales/ja_JP.json' with { type: 'json' }
import chinese from '../../apps/web/locales/zh_CN.json' with { type: 'json' }
import { aPdf } from '../pdf.ts'
import { fill, sendRequest, type texts } from '../people.ts'
import { type Platform, startPlatform } from '../platform.ts'
import { isProof } from '../proof.ts'

type Texts = typeof texts
const languages = [
  { locale: 'zh-CN', t: chinese as unknown as Texts, title: '港口杯', player: 'xiaolan', team: '蓝鲸', phone: true },
  { locale: 'ja-JP', t: japanese as unknown as Texts, title: '港カップ', player: 'aoi', team: 'くじら', phone: false },
]

let platform: Platform

test.beforeAll(async () => {
  platform = await startPlatform({ env: { DISABLE_RATE_LIMIT: 'true' } })
})
test.afterAll(() => platform?.stop())

async function open(browser: Browser, locale: string, phone = false): Promise<Page> {
  const viewport = phone ? { width: 390, height: 844 } : { width: 1440, height: 900 }
  const context = await browser.newContext({ baseURL: platform.url, locale, viewport, hasTouch: phone, isMobile: phone })
  const page = await context.newPage()
  page.on('pageerror', (error) => {
    throw error
  })
  return page
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

async function download(page: Page, name: string): Promise<Download> {
  const saved = page.waitForEvent('download')
  await button(page, name).first().click()
  return saved
}

for (const { locale, t, title, player: userName, team, phone } of isProof ? languages : languages.slice(0, 1))
  test.describe(locale, () => {
    test.describe.configure({ mode: 'serial' })
    let admin: Page
    let player: Page
    let game = 0
    test.beforeAll(async ({ browser }) => {
      admin = await open(browser, locale)
      player = await open(browser, locale, phone)
    })
    test.afterAll(() => Promise.all([admin, player].map((page) => page?.context().close())))

    test('the administrator signs in, creates a game and a challenge with a flag, and shows the game', async () => {
      await admin.goto('/account/Login?from=/admin/games')
      await admin.getByLabel(t.account.nameOrEmail).fill('Admin')
      await admin.getByLabel(t.account.password, { exact: true }).fill(platform.adminPassword)
      await button(admin, t.account.signIn).click()
      await button(admin, t.admin.games.create).first().click()
      const dialog = admin.getByRole('dialog')
      await dialog.getByLabel(t.admin.info.title).fill(title)
      await dialog.getByRole('button', { name: t.admin.games.createButton, exact: true }).click()
      await expect(admin).toHaveURL(/\/admin\/games\/\d+\/Info$/)
      // The fields of the dialog have the same names as those of the next page.
      await expect(dialog).toHaveCount(0)
      game = Number(/games\/(\d+)/.exec(admin.url())?.[1])
      const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
      await admin.getByLabel(t.admin.info.start, { exact: true }).fill(at(-30))
      await admin.getByLabel(t.admin.info.end, { exact: true }).fill(at(60))
      await admin.getByText(t.admin.info.accept, { exact: true }).click()
      await admin.getByText(t.admin.info.writeupRequired, { exact: true }).click()
      await admin.getByRole('button', { name: new RegExp(t.admin.saveChanges_other.replace('{{count}}', '\\d+')) }).click()
      await expect(admin.getByText(t.admin.saved).first()).toBeVisible()

      await admin.getByRole('link', { name: new RegExp(`^${t.admin.gameTabs.challenges}`) }).click()
      await button(admin, t.admin.challenges.create).first().click()
      await dialog.getByLabel(t.admin.challenge.title).fill('Buoy')
      await dialog.getByRole('combobox', { name: t.admin.challenges.category }).click()
      await admin.getByRole('option', { name: /Misc/ }).click()
      await dialog.getByRole('radio', { name: t.admin.types.StaticAttachment, exact: true }).click()
      await dialog.getByRole('button', { name: t.admin.games.createButton, exact: true }).click()
      await admin.getByRole('textbox', { name: t.admin.challenge.content }).fill('**Buoy**')
      await admin.getByLabel(t.admin.flags.onePerLine).fill('flag{buoy}')
      await button(admin, t.admin.challenge.saveEnable).click()
      await dialog.getByRole('button', { name: t.admin.challenges.enable, exact: true }).click()
      await expect(admin.getByText(fill(t.admin.challenges.enabled, { title: 'Buoy' })).first()).toBeVisible()

      await admin.goto(`/admin/games/${game}/Info`)
      await button(admin, t.admin.show.button).click()
      await dialog.getByRole('button', { name: t.admin.show.confirm, exact: true }).click()
      await expect(button(admin, t.admin.show.button)).toHaveCount(0)
      expect(await sendRequest(admin, 'get', `/api/edit/games/${game}`)).toMatchObject({
        title,
        hidden: false,
        writeupRequired: true,
      })
    })

    test('the player registers, creates a team on the way to the game and joins it', async () => {
      await player.goto('/account/Register?from=/games')
      await player.getByLabel(t.account.email, { exact: true }).fill(`${userName}@example.org`)
      await player.getByLabel(t.account.userName).fill(userName)
      await player.getByLabel(t.account.password, { exact: true }).fill('long enough')
      await player.getByLabel(t.account.retype).fill('long enough')
      await button(player, t.account.register).click()
      await player.getByRole('link', { name: title }).first().click()
      await player.locator(`a[href="/Teams?for=${game}"]`).click()
      await button(player, t.teams.create).first().click()
      const dialog = player.getByRole('dialog')
      await dialog.getByLabel(t.teams.name).fill(team)
      await dialog.getByRole('button', { name: t.teams.createButton, exact: true }).click()
      await dialog.getByRole('button', { name: t.games.join, exact: true }).click()
      await expect(player.getByRole('link', { name: t.games.openChallenges })).toBeVisible()
      const [own] = await sendRequest(player, 'get', '/api/team')
      expect(own.name).toBe(team)
    })

    test('a wrong flag shows an error, a correct one counts and is on the board', async () => {
      await player.getByRole('link', { name: t.games.openChallenges }).click()
      await player.locator('button[aria-haspopup=dialog]', { hasText: 'Buoy' }).click()
      const flag = player.getByLabel(t.play.flag, { exact: true })
      await flag.fill('flag{no}')
      await button(player, t.play.submit).click()
      await expect(player.getByRole('dialog').getByRole('alert')).toContainText(t.play.wrong)
      await flag.fill('flag{buoy}')
      await button(player, t.play.submit).click()
      await expect(button(player, t.play.solved)).toBeDisabled()
      await player.keyboard.press('Escape')
      await player.getByRole('link', { name: t.frame.scoreboard, exact: true }).first().click()
      await expect(player.getByRole('row', { name: new RegExp(`${team}.*1,050`) }).first()).toBeVisible()
    })

    test('the player submits a writeup, and the administrator sees it', async () => {
      await player.goto(`/games/${game}`)
      await button(player, t.writeup.handIn).click()
      const dialog = player.getByRole('dialog', { name: new RegExp(`^${t.writeup.title}`) })
      const chooser = player.waitForEvent('filechooser')
      await dialog.getByRole('button', { name: t.writeup.upload }).click()
      await (await chooser).setFiles({ name: `${team}.pdf`, mimeType: 'application/pdf', buffer: aPdf('How we did it') })
      await expect(dialog.getByText(t.writeup.submitted, { exact: true })).toBeVisible()
      if (phone) expect(await player.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
      await admin.goto(`/admin/games/${game}/Writeups`)
      await expect(admin.getByText(team).first()).toBeVisible()
      const archive = await download(admin, t.admin.writeups.downloadAll)
      expect(archive.suggestedFilename()).toContain(title)
    })

    test('the monitor sees a copied flag and both teams, and downloads both sheets', async ({ browser }) => {
      const held = { title: 'Locker', category: 'Misc', type: 'DynamicAttachment' }
      const { id } = await sendRequest(admin, 'post', `/api/edit/games/${game}/challenges`, held)
      const files = ['a', 'b', 'c', 'd'].map((name) => ({
        flag: `flag{${name}}`,
        attachmentType: 'Remote',
        remoteUrl: `https://files.example.org/${name}`,
      }))
      await sendRequest(admin, 'post', `/api/edit/games/${game}/challenges/${id}/flags`, files)
      await sendRequest(admin, 'put', `/api/edit/games/${game}/challenges/${id}`, { isEnabled: true })
      const { context } = await sendRequest(player, 'get', `/api/game/${game}/challenges/${id}`)
      const cheater = await open(browser, locale)
      const enter = (page: Page, name: string) =>
        sendRequest(page, 'post', '/api/account/register', {
          userName: name,
          email: `${name}@example.org`,
          password: 'long enough',
        })
      await enter(cheater, `${userName}2`)
      const own = await sendRequest(cheater, 'post', '/api/team', { name: `${team}2` })
      await sendRequest(cheater, 'post', `/api/game/${game}`, { teamId: own.id })
      await sendRequest(cheater, 'get', `/api/game/${game}/challenges/${id}`)
      await sendRequest(cheater, 'post', `/api/game/${game}/challenges/${id}`, { flag: `flag{${context.url.at(-1)}}` })
      await cheater.context().close()

      const monitor = await open(browser, locale)
      await enter(monitor, `${userName}3`)
      const { userId } = await sendRequest(monitor, 'get', '/api/account/profile')
      await sendRequest(admin, 'put', `/api/admin/users/${userId}`, { role: 'Monitor' })
      await monitor.goto(`/games/${game}/monitor`)
      const tab = (name: string) => monitor.getByRole('link', { name, exact: true })
      await expect(monitor.getByText('flag{buoy}').first()).toBeVisible()
      await tab(t.monitor.tabs.Submissions).click()
      // The text of one result may be part of another.
      const row = (result: string, ...parts: string[]) =>
        monitor
          .getByRole('row', { name: new RegExp(parts.join('.*')) })
          .filter({ has: monitor.getByText(result, { exact: true }) })
      await expect(row(t.monitor.result.Accepted, team, 'Buoy')).toHaveCount(1)
      await expect(row(t.monitor.result.WrongAnswer, team, 'Buoy')).toHaveCount(1)
      await expect(row(t.monitor.result.CheatDetected, `${team}2`, 'Locker')).toHaveCount(1)
      expect((await download(monitor, t.monitor.submissionSheet)).suggestedFilename()).toMatch(/\.xlsx$/)
      await tab(t.monitor.tabs.CheatInfo).click()
      for (const name of [team, `${team}2`]) await expect(monitor.getByRole('main').getByText(name).first()).toBeVisible()
      expect((await download(monitor, t.monitor.boardSheet)).suggestedFilename()).toMatch(/\.xlsx$/)
      await monitor.context().close()
    })
  })
