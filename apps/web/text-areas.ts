import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/** Topmost names of the texts that only organisers and administrators read: more than half of all. The rest are the players'. */
export const organiserTexts = ['admin', 'monitor'] as const

/** `texts:<area>/<language>` with the area `players` or `organisers`: one file per language to write, two to send. */
export const textAreas: Plugin = {
  name: 'text-areas',
  resolveId: (id) => (id.startsWith('texts:') ? `\0${id}` : undefined),
  async load(id) {
    const [, area, language] = /^\0texts:(\w+)\/(\w+)$/.exec(id) ?? []
    if (!area) return
    const file = join(import.meta.dirname, `locales/${language}.json`)
    this.addWatchFile(file)
    const texts = Object.entries<unknown>(JSON.parse(await readFile(file, 'utf8')))
    const isOrganisers = (name: string) => organiserTexts.some((one) => one === name)
    const chosen = texts.filter(([name]) => isOrganisers(name) === (area === 'organisers'))
    return `export default ${JSON.stringify(Object.fromEntries(chosen))}`
  },
}
