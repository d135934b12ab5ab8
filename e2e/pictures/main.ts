/**
 * npm run pictures: the screens of the main job with demo data, as PNGs in pictures/, each checked.
 * `--only name` takes some, `--width 1080` takes all at another width, with `--language zh` or `ja` in that language.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, chromium } from '@playwright/test'
import sharp from 'sharp'
import { checkPage } from './check-page.ts'
import { type Demo, startDemo } from './demo.ts'
import { type Screen, screens } from './screens.ts'

const CHROMIUM = '/usr/bin/chromium'
const root = join(import.meta.dirname, '../..')
const folder = join(root, 'pictures')
const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []

const schemes = ['light', 'dark'] as const
type Scheme = (typeof schemes)[number]
type Size = { readonly width: number; readonly height: number }

const desk: Size = { width: 1440, height: 900 }
const phone: Size = { width: 390, height: 844 }
const locales = { en: 'en-US', zh: 'zh-CN', ja: 'ja-JP' } as const

interface Shot {
  readonly name: string
  readonly screen: Screen
  readonly size: Size
  readonly scheme: Scheme
  readonly language: keyof typeof locales
}

/** Both widths and schemes in English; the player's screens on a phone also in the other languages. With a width, that one alone. */
function listShots(only: readonly string[], width: number | undefined, language: keyof typeof locales): Shot[] {
  return screens
    .filter(({ name }) => only.length === 0 || only.includes(name))
    .flatMap((screen): Shot[] => {
      const shot = (size: Size, scheme: Scheme, language: keyof typeof locales = 'en'): Shot => ({
        name: [screen.name, size.width, scheme, ...(language === 'en' ? [] : [language])].join('-'),
        screen,
        size,
        scheme,
        language,
      })
      if (width) return schemes.map((scheme) => shot({ width, height: 900 }, scheme, language))
      const everywhere = [shot(desk, 'light'), shot(desk, 'dark'), shot(phone, 'light'), shot(phone, 'dark')]
      return screen.role === 'player' ? [...everywhere, shot(phone, 'light', 'zh'), shot(phone, 'light', 'ja')] : everywhere
    })
}

/** Opens the screen as that person, takes the picture, and says what is wrong with it. */
async function take(browser: Browser, demo: Demo, { name, screen, size, scheme, language }: Shot): Promise<string[]> {
  const context = await browser.newContext({
    viewport: size,
    colorScheme: scheme,
    locale: locales[language],
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    baseURL: demo.address,
    ...(size === phone && { hasTouch: true, isMobile: true }),
  })
  try {
    await context.addCookies([{ ...demo.cookies[screen.role], url: demo.address }])
    const page = await context.newPage()
    page.setDefaultTimeout(10_000)
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
    await page.goto(screen.path(demo.facts))
    await page.waitForLoadState('networkidle')
    await page.locator(screen.ready).first().waitFor({ timeout: 10_000 })
    await screen.before?.(page)
    await page.evaluate('document.fonts.ready.then(() => true)')
    await page.waitForTimeout(400)
    await page.screenshot({ path: join(folder, `${name}.png`) })
    return [...faults, ...(await checkPage(page))]
  } catch (error) {
    return [`not taken: ${(error as Error).message.split('\n').slice(0, 4).join(' ')}`]
  } finally {
    await context.close()
  }
}

async function takeAll(shots: readonly Shot[], withReadme: boolean): Promise<number> {
  mkdirSync(folder, { recursive: true })
  const demo = await startDemo()
  const mode = demo.containers ? (process.env.VEXIL_CONTAINER_PORTS ?? 'Default') : null
  const isPossible = ({ containers }: Screen) => !containers || (mode !== null && (containers === 'any' || containers === mode))
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...quiet, ...asRoot] })
  let [passed, failed] = [0, 0]
  try {
    for (const shot of shots.filter(({ screen }) => isPossible(screen))) {
      const faults = await take(browser, demo, shot)
      if (faults.length === 0) passed++
      else failed++
      console.log(
        [`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${shot.name}`, ...faults.map((fault) => `       ${fault}`)].join('\n'),
      )
    }
    if (withReadme) {
      // A palette keeps it small; nobody looks at a README for its gradients.
      const board = join(root, 'docs/board.png')
      await sharp(join(folder, 'scoreboard-1440-light.png'))
        .png({ palette: true, colours: 128, effort: 10, compressionLevel: 9 })
        .toFile(board)
      console.log('docs/board.png')
    }
  } finally {
    await browser.close()
    await demo.stop()
  }
  console.log(`${passed} passed, ${failed} failed`)
  return failed
}

const { only, width, language, readme } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    width: { type: 'string' },
    language: { type: 'string', default: 'en' },
    readme: { type: 'boolean', default: false },
  },
}).values
if (!existsSync(CHROMIUM)) {
  console.error(`There is no ${CHROMIUM}: npm test installs it by apt where it can.`)
  process.exit(2)
}
if (!(language in locales)) {
  console.error(`--language is one of ${Object.keys(locales).join(', ')}.`)
  process.exit(2)
}
const shots = listShots(only, width === undefined ? undefined : Number(width), language as keyof typeof locales)
process.exitCode = (await takeAll(shots, readme)) > 0 ? 1 : 0
