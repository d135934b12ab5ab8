import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/** Top-level keys of the texts of the start page and the frame. */
export const startTexts = ['ui', 'shell', 'games', 'posts', 'keys', 'palette']

/** Top-level keys of the texts of organisers and administrators, more than half of all. The rest are the players'. */
export const organiserTexts = ['admin', 'monitor'] as const

/** Keys below `admin` that only the administration of the site reads. */
const siteTexts = ['users', 'teams', 'logs', 'settings', 'engine', 'mail', 'proxy', 'server', 'files']

type Texts = Readonly<Record<string, unknown>>
const selectTexts = (texts: Texts, wanted: (name: string) => boolean): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([name]) => wanted(name)))
const areas: Readonly<Record<string, (texts: Texts) => Texts>> = {
  start: (texts) => selectTexts(texts, (name) => startTexts.includes(name)),
  players: (texts) => selectTexts(texts, (name) => !startTexts.includes(name) && !organiserTexts.some((one) => one === name)),
  organisers: ({ admin, monitor }) => ({ admin: selectTexts(admin as Texts, (name) => !siteTexts.includes(name)), monitor }),
  site: ({ admin }) => ({ admin: selectTexts(admin as Texts, (name) => siteTexts.includes(name)) }),
}

/** `texts:<area>/<language>`: one source file per language, split into the areas `start`, `players`, `organisers`, `site`. */
export const textAreas: Plugin = {
  name: 'text-areas',
  resolveId: (id) => (id.startsWith('texts:') ? `\0${id}` : undefined),
  async load(id) {
    const [, area = '', language] = /^\0texts:(\w+)\/(\w+)$/.exec(id) ?? []
    const choose = areas[area]
    if (!choose) return
    const file = join(import.meta.dirname, `locales/${language}.json`)
    this.addWatchFile(file)
    return `export default ${JSON.stringify(choose(JSON.parse(await readFile(file, 'utf8'))))}`
  },
}
