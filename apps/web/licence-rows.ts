import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Locked {
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
}

export interface LicenceRow {
  readonly name: string
  readonly version: string
  readonly licence: string
  /** A development dependency. */
  readonly dev: boolean
}

/** Every package of the lock file, runtime dependencies first, by licence and name. */
export function licenceRows(): LicenceRow[] {
  const file = readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')
  const { packages } = JSON.parse(file) as { packages: Record<string, Locked> }
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .map(([path, { version = '', license = 'not stated', dev = false }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      licence: license,
      dev,
    }))
    .sort((a, b) => Number(a.dev) - Number(b.dev) || a.licence.localeCompare(b.licence) || a.name.localeCompare(b.name))
}
