/**
 * npm run tool -- pictures: every screen, dialog and state with demo data, as PNGs in pictures/, each checked, and pictures/index.html with all of them.
 * `--only name`, `--width 1080`, `--language zh` (or `other`) and `--scheme dark` select some.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, chromium, type Page } from '@playwright/test'
import en from '../../apps/web/locales/en_US.json' with { type: 'json' }
import ja from '../../apps/web/locales/ja_JP.json' with { type: 'json' }
import zh from '../../apps/web/locales/zh_CN.json' with { type: 'json' }
import { type Demo, startDemo } from '../../e2e/demo.ts'
import { checkPage } from './check-page.ts'
import { writePage } from './page-of-all.ts'
import { writeReadmePictures } from './readme.ts'
import type { Screen, Texts } from './screen.ts'
import { listVisits, locales, nameOf, type Visit } from './shots.ts'

const CHROMIUM = '/usr/bin/chromium'
const root = join(import.meta.dirname, '../..')
const folder = join(root, 'pictures')
const texts: Readonly<Record<keyof typeof locales, Texts>> = { en, zh, ja }
const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []

/** The browser context of a visit: its role, size and language. */
async function contextOf(browser: Browser, demo: Demo, { screen, language, phone, height, widths, schemes }: Visit) {
  const context = await browser.newContext({
    viewport: { width: widths[0] ?? 0, height },
    colorScheme: schemes[0] ?? null,
    locale: locales[language],
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    baseURL: demo.address,
    ...(phone && { hasTouch: true, isMobile: true }),
  })
  if (screen.role !== 'visitor') await context.addCookies([{ ...demo.cookies[screen.role], url: demo.address }])
  return context
}

/** Opens the screen and performs its actions. */
async function open(page: Page, demo: Demo, { screen, language }: Visit): Promise<void> {
  await screen.fake?.(page)
  await page.goto(screen.path(demo.facts))
  // An answer that a screen waits for may never arrive.
  await page.waitForLoadState('networkidle', { timeout: 4000 }).catch(() => {})
  await page.locator(screen.ready).first().waitFor()
  const tooNarrow = page.getByRole('heading', { name: texts[language].ui.narrowTitle })
  if ((await tooNarrow.count()) === 0) await screen.before?.(page, texts[language])
  await page.evaluate('document.fonts.ready.then(() => true)')
  await page.waitForTimeout(400)
}

/** Takes the pictures of a visit and returns the problems of each. */
async function take(browser: Browser, demo: Demo, visit: Visit): Promise<[name: string, faults: string[]][]> {
  const { screen, language, height, widths, schemes } = visit
  const context = await contextOf(browser, demo, visit)
  const taken: [string, string[]][] = []
  const broken: string[] = []
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    // The screen that shows a broken page fails on purpose.
    page.on('pageerror', (error) => screen.name !== 'fault' && broken.push(`error: ${error.message}`))
    await open(page, demo, visit)
    // React catches the errors of a screen.
    const fault = page.getByRole('heading', { name: texts[language].shell.fault, exact: true })
    if (screen.name !== 'fault' && (await fault.count()) > 0) broken.push('the error screen is shown')
    for (const width of widths)
      for (const scheme of schemes) {
        await page.setViewportSize({ width, height })
        await page.emulateMedia({ colorScheme: scheme })
        await page.waitForTimeout(150)
        const name = nameOf(screen, width, scheme, language)
        await page.screenshot({ path: join(folder, `${name}.png`) })
        taken.push([name, [...broken.splice(0), ...(await checkPage(page, width === widths[0]))]])
      }
  } catch (error) {
    const reason = (error as Error).message.split('\n').slice(0, 4).join(' ')
    taken.push([nameOf(screen, widths[0] ?? 0, schemes[0] ?? 'light', language), [`not taken: ${reason}`]])
  } finally {
    // A page that is no longer needed may still wait for an answer.
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  }
  return taken
}

async function takeAll(visits: readonly Visit[], withReadme: boolean): Promise<number> {
  mkdirSync(folder, { recursive: true })
  const demo = await startDemo({ DISABLE_RATE_LIMIT: 'true' })
  const mode = demo.containers ? (process.env.VEXIL_CONTAINER_PORTS ?? 'Default') : null
  const isPossible = ({ containers }: Screen) => !containers || (mode !== null && (containers === 'any' || containers === mode))
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...quiet, ...asRoot] })
  let [passed, failed] = [0, 0]
  try {
    for (const visit of visits.filter(({ screen }) => isPossible(screen)))
      for (const [name, faults] of await take(browser, demo, visit)) {
        if (faults.length === 0) passed++
        else failed++
        console.log([`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${name}`, ...faults.map((fault) => `       ${fault}`)].join('\n'))
      }
    writePage(folder)
    if (withReadme) await writeReadmePictures(browser, folder, join(root, 'docs'))
  } finally {
    await browser.close()
    await demo.stop()
  }
  console.log(`${passed} passed, ${failed} failed`)
  return failed
}

const { only, width, language, scheme, readme } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    width: { type: 'string', multiple: true, default: [] },
    language: { type: 'string' },
    scheme: { type: 'string' },
    readme: { type: 'boolean', default: false },
  },
}).values
if (!existsSync(CHROMIUM)) {
  console.error(`There is no ${CHROMIUM}: npm test installs it by apt where it can.`)
  process.exit(2)
}
const visits = listVisits({ only, widths: width.map(Number), language, scheme })
if (visits.length === 0) {
  console.error(
    'No picture is like that: --width is 1440, 1080, 800 or 390, --language en, zh, ja or other, --scheme light or dark.',
  )
  process.exit(2)
}
process.exitCode = (await takeAll(visits, readme)) > 0 ? 1 : 0
