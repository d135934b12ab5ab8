/**
 * npm run tool -- weight: the bytes that the first visit of each route loads without a click, from the module graph of the built web: scripts and
 * styles in their compressed files, with brotli (which browsers request over HTTPS; the limits are for these) and with gzip. Exit code 1 if a route
 * is over its limit, or if a script has a schema. Needs a built web (`npm test` or `npm start` builds it). `--files NAME` lists the files
 * of the routes with this name.
 */
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const dist = join(import.meta.dirname, '../apps/web/dist')
/** Maximum kB of JavaScript of a route; for screens of organisers the texts of organisers count. */
const limits: Readonly<Record<string, number>> = {
  'src/games/home.screen.tsx': 165,
  'src/scoreboard/scoreboard.screen.tsx': 290,
}
const limitOfOthers = 280
/** Screens that always show Markdown; on others the engine is loaded for a text that needs it, or for a preview. */
const withMarkdown = /game[.]screen|posts?[.]screen|about[.]screen/
/** Dynamically imported code that loads without a click. Screens and texts are selected by the address and the language. */
const withoutClick = (screen: string) => (withMarkdown.test(screen) ? /board-chart|markdown-engine/ : /board-chart/)

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
  readonly css?: readonly string[]
  readonly isDynamicEntry?: boolean
}
const { values } = parseArgs({ options: { files: { type: 'string' } } })
const chunks: Readonly<Record<string, Chunk>> = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))
const screens = Object.keys(chunks).filter((name) => /[.]screen[.]tsx$/.test(name) && chunks[name]?.isDynamicEntry)

function collect(name: string, found: Set<string>, dynamic: RegExp): Set<string> {
  const chunk = chunks[name]
  if (!chunk || found.has(name)) return found
  found.add(name)
  for (const one of chunk.imports ?? []) collect(one, found, dynamic)
  for (const one of chunk.dynamicImports ?? []) if (dynamic.test(one)) collect(one, found, dynamic)
  return found
}

const sizeOf = (file: string, form: string) =>
  statSync(join(dist, `${file}${form}`), { throwIfNoEntry: false })?.size ?? statSync(join(dist, file)).size
const kB = (bytes: number) => (bytes / 1000).toFixed(1).padStart(7)
const areasOf = (screen: string) => [
  'start',
  ...(screen.includes('home.screen') ? [] : ['players']),
  ...(/site-admin|game-admin|monitor|post-edit/.test(screen) ? ['organisers'] : []),
  ...(screen.includes('site-admin') ? ['site'] : []),
]
/** The texts of an area in the language with the most bytes. */
const textsOf = (area: string) =>
  Object.keys(chunks)
    .filter((name) => name.includes(`texts:${area}/`))
    .sort((a, b) => sizeOf(chunks[b]?.file ?? '', '.br') - sizeOf(chunks[a]?.file ?? '', '.br'))[0] ?? ''

let over = 0
console.log(
  '      JavaScript   |      styles\n     br     gzip   |     br     gzip    limit  route (kB; the language with the longest texts)',
)
for (const screen of screens) {
  const dynamic = withoutClick(screen)
  const found = collect('index.html', new Set(), dynamic)
  collect(screen, found, dynamic)
  for (const area of areasOf(screen)) collect(textsOf(area), found, dynamic)
  const parts = [...found].map((name) => chunks[name] as Chunk)
  const scripts = [...new Set(parts.map(({ file }) => file).filter((file) => file.endsWith('.js')))]
  const styles = [...new Set(parts.flatMap(({ css = [], file }) => [...css, ...(file.endsWith('.css') ? [file] : [])]))]
  const sum = (files: readonly string[], form: string) => files.reduce((all, file) => all + sizeOf(file, form), 0)
  const limit = limits[screen] ?? limitOfOthers
  const weight = sum(scripts, '.br')
  if (weight > limit * 1000) over++
  const figures = [weight, sum(scripts, '.gz'), sum(styles, '.br'), sum(styles, '.gz')].map(kB)
  console.log(
    `${figures.slice(0, 2).join(' ')}    |${figures.slice(2).join(' ')}  ${String(limit).padStart(5)}  ${screen}${weight > limit * 1000 ? '  OVER' : ''}`,
  )
  if (values.files && screen.includes(values.files))
    for (const file of [...scripts, ...styles].sort((a, b) => sizeOf(b, '.br') - sizeOf(a, '.br')))
      console.log(`${kB(sizeOf(file, '.br'))} ${kB(sizeOf(file, '.gz'))}  ${file}`)
}
if (over) {
  console.log(`${over} routes are over their limit.`)
  process.exitCode = 1
}
/** Every schema of typebox has this member. Only the server validates; `plain-contract.ts` removes schemas from the build. */
const withSchemas = globSync('static/*.js', { cwd: dist }).filter((file) =>
  readFileSync(join(dist, file), 'utf8').includes('~kind'),
)
if (withSchemas.length > 0) {
  console.log(`OVER: schemas in ${withSchemas.join(', ')}`)
  process.exitCode = 1
}
