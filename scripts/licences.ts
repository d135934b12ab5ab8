/** Licences of everything that runs with the platform, from what is installed; development tools stand behind. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
interface Locked {
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
}
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> }

const rows = Object.entries(packages)
  .filter(([path, { link }]) => path.includes('node_modules/') && !link)
  .map(([path, { version = '', license = 'not stated', dev = false }]) => ({
    name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version,
    license,
    dev,
  }))
  .sort((a, b) => Number(a.dev) - Number(b.dev) || a.license.localeCompare(b.license) || a.name.localeCompare(b.name))

for (const { name, version, license, dev } of rows) console.log(`${license}\t${name} ${version}${dev ? '\t(development)' : ''}`)
const counts = Map.groupBy(
  rows.filter(({ dev }) => !dev),
  ({ license }) => license,
)
console.log(`\n${[...counts].map(([license, of]) => `${license}: ${of.length}`).join(', ')}`)
