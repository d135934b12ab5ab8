/** Users, each with a separate browser context. */
import { type APIRequestContext, type Browser, expect, type Locator, type Page } from '@playwright/test'
import texts from '../apps/web/locales/en_US.json' with { type: 'json' }

/** The English texts of the screens: a journey breaks when a label is removed, not when it is reworded. */
export { texts }

/** Fills the `{{placeholders}}` of a text. */
export const fill = (text: string, values: Record<string, string | number>) =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name]))

export interface Person {
  readonly page: Page
  readonly name: string
}

export async function visitor(browser: Browser, url: string, name = 'visitor'): Promise<Person> {
  const context = await browser.newContext({ baseURL: url, locale: 'en-US', viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  // An error in a page fails the test.
  page.on('pageerror', (error) => {
    throw error
  })
  return { page, name }
}

/** Calls the API with the session of that page. Returns the answer's body, null if it is empty. @throws on a refusal */
export async function sendRequest(
  { request }: { readonly request: APIRequestContext },
  method: 'get' | 'post' | 'put',
  path: string,
  data?: unknown,
) {
  const answer = await request[method](path, data === undefined ? {} : { data })
  const text = await answer.text()
  expect(answer.ok(), `${method} ${path}: ${text}`).toBe(true)
  return text ? JSON.parse(text) : null
}

/** Registers with the form; the user is then signed in. */
export async function register(browser: Browser, url: string, name: string, password = 'long enough'): Promise<Person> {
  const person = await visitor(browser, url, name)
  const { page } = person
  await page.goto('/account/Register')
  await page.getByLabel(texts.account.email, { exact: true }).fill(`${name}@example.org`)
  await page.getByLabel(texts.account.userName).fill(name)
  await page.getByLabel(texts.account.password, { exact: true }).fill(password)
  await page.getByLabel(texts.account.retype).fill(password)
  await page.getByRole('button', { name: texts.account.register }).click()
  await expect(page.getByText(texts.account.registered.LoggedIn)).toBeVisible()
  return person
}

export async function createTeam({ page }: Person, name: string): Promise<void> {
  await page.goto('/Teams')
  await page.getByRole('button', { name: texts.teams.create }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(texts.teams.name).fill(name)
  await dialog.getByRole('button', { name: texts.teams.createButton }).click()
  await expect(page.getByText(fill(texts.teams.created, { name }))).toBeVisible()
}

/** Sends a flag in the open dialog of a challenge. */
export async function sendFlag({ page }: Person, flag: string): Promise<void> {
  await page.getByLabel(texts.play.flag, { exact: true }).fill(flag)
  await page.getByRole('button', { name: texts.play.submit }).click()
}

/** Toggles a switch with the keyboard: its input has no size, so a click next to it is lost when the page moves by a pixel. */
export async function toggle(control: Locator): Promise<void> {
  await expect(control).toBeEnabled()
  await control.press('Space')
}
