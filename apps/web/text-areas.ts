import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/** Topmost names of the texts that the start page and everything around a screen read. */
export const startTexts = ['ui', 'shell', 'games', 'posts', 'keys', 'palette']

/** Topmost names of the texts that only organisers and administrators read: more than half of all. The rest are the players'. */
export const organiserTexts = ['admin', 'monitor'] as const

/** Below `admin`: what only the administration of the site reads, and no screen of a game. */
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

/** `texts:<area>/<language>` with the area `start`, `players`, `organisers` or `site`: one file per language to write, four to send. */
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
