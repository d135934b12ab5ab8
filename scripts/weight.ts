/**
 * npm run tool -- weight: the bytes that the first visit of each route is sent, from the graph of the built web: scripts and styles in the forms that
 * lie beside them, by brotli (what browsers ask for over HTTPS; the limits are about these) and by gzip. Ends with 1 when a route is over
 * its limit. Needs a built web (`npm test` or `npm start` builds it). `--files NAME` lists the files of the routes with this name.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const dist = join(import.meta.dirname, '../apps/web/dist')
/** Most kB of JavaScript that a route is sent; what an organiser's screen shows counts with the texts of organisers. */
const limits: Readonly<Record<string, number>> = {
  'src/games/home.screen.tsx': 160,
  'src/scoreboard/scoreboard.screen.tsx': 260,
}
const limitOfOthers = 230
/** Always Markdown of any kind; elsewhere the engine comes with a text that needs it, or with a preview. */
const withMarkdown = /game[.]screen|posts?[.]screen|about[.]screen/
/** Code that loads on demand, or with a text that contains a formula or code; everything else that a route can load counts. */
const onDemand =
  /markdown-maths|highlight[.]js|pdf-engine|pdf-view|palette-list|terminal-view|moment-calendar|writeup-dialog|licences-dialog|add-users-dialog|tooltip|toast-list|language-list|account-list|phone-list|colour-dialog|dialog-box|join-form|keys-list|typed-name|challenge-dialog|challenge-preview|new-challenge-dialog|select-box|tags-box|confirm-popover-box|user-dialog|blood-bonus-dialog/

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

function collect(name: string, found: Set<string>, without: RegExp): Set<string> {
  const chunk = chunks[name]
  if (!chunk || found.has(name)) return found
  found.add(name)
  for (const one of chunk.imports ?? []) collect(one, found, without)
  // Screens and texts are chosen by the address and the language.
  for (const one of chunk.dynamicImports ?? [])
    if (!/[.]screen[.]tsx$|texts:/.test(one) && !without.test(one)) collect(one, found, without)
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
/** The language whose texts are the most bytes. */
const textsOf = (area: string) =>
  Object.keys(chunks)
    .filter((name) => name.includes(`texts:${area}/`))
    .sort((a, b) => sizeOf(chunks[b]?.file ?? '', '.br') - sizeOf(chunks[a]?.file ?? '', '.br'))[0] ?? ''

let over = 0
console.log(
  '      JavaScript   |      styles\n     br     gzip   |     br     gzip    limit  route (kB; the language with the longest texts)',
)
for (const screen of screens) {
  const without = withMarkdown.test(screen) ? onDemand : new RegExp(`${onDemand.source}|markdown-engine`)
  const found = collect('index.html', new Set(), without)
  collect(screen, found, without)
  for (const area of areasOf(screen)) collect(textsOf(area), found, without)
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
