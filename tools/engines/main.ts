/**
 * npm run tool -- engines: the main journeys in Firefox and WebKitGTK against a platform with demo data, with pictures in pictures/engines/.
 * `--only firefox` or `--only webkit` runs one.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Demo, startDemo } from '../../e2e/demo.ts'
import type { Engine } from './browser-engine.ts'
import { openFirefox } from './firefox.ts'
import { journey } from './journey.ts'
import { atBrowser } from './person.ts'
import { openWebKit } from './webkit.ts'

const engines = { firefox: openFirefox, webkit: openWebKit }
type Name = keyof typeof engines

const folder = join(import.meta.dirname, '../../pictures/engines')

/** Runs the steps until one fails; returns the number of those that passed. */
async function travel(name: Name, engine: Engine, demo: Demo): Promise<number> {
  const [organiser, player] = [atBrowser(await engine.openTab(), demo.address), atBrowser(await engine.openTab(), demo.address)]
  const picture = (of: string) => join(folder, `${name}-${of}.png`)
  const context = { organiser, player, demo, title: `Regatta in ${name}`, picture }
  for (const [passed, [title, step]] of journey.entries()) {
    try {
      await step(context)
      console.log(`ok   ${name}: ${title}`)
    } catch (error) {
      console.log(`FAIL ${name}: ${title}\n       ${(error as Error).message}`)
      await Promise.allSettled([organiser.picture(picture('failed-organiser')), player.picture(picture('failed-player'))])
      return passed
    }
  }
  return journey.length
}

async function run(name: Name, demo: Demo): Promise<number> {
  try {
    const engine = await engines[name]()
    return await travel(name, engine, demo).finally(() => engine.close())
  } catch (error) {
    console.log(`FAIL ${name} does not start\n       ${(error as Error).message}`)
    return 0
  }
}

const { only } = parseArgs({ options: { only: { type: 'string' } } }).values
if (only !== undefined && !(only in engines)) {
  console.error(`--only is one of ${Object.keys(engines).join(', ')}.`)
  process.exit(2)
}
const names = (only ? [only] : Object.keys(engines)) as Name[]
mkdirSync(folder, { recursive: true })
const demo = await startDemo()
let passed = 0
try {
  for (const name of names) passed += await run(name, demo)
} finally {
  await demo.stop()
}
const failed = names.length * journey.length - passed
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
