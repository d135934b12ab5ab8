/** Files `migrations/NNNN_name.sql`. Comments in their first lines define how they are applied and which releases work with the result. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Applied {
  readonly name: string
  /** SHA-256 of the applied file, in hexadecimal. */
  readonly hash: string
}

export interface Migration extends Applied {
  readonly statements: string
  /** `-- works-with: 0012`: the number of the oldest migration whose release works with the schema after this one; null: none before this release. */
  readonly worksWith: number | null
  /** `-- no-transaction`: name of the index that the file's only statement creates concurrently; null: the file is applied in a transaction. */
  readonly index: string | null
}

export const migrationsFolder = join(import.meta.dirname, 'migrations')

/** The number of a name such as `0012_logs`. */
export const numberOf = (name: string): number => Number(name.slice(0, 4))

/** In the order of their numbers. @throws Error for a file that is named otherwise */
export function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  const odd = names.find((name) => !/^\d{4}_[a-z0-9_]+\.sql$/.test(name))
  if (odd) throw new Error(`A migration is named NNNN_name.sql, not ${odd}.`)
  return names.sort().map((file) => {
    const statements = readFileSync(join(folder, file), 'utf8')
    const hash = createHash('sha256').update(statements).digest('hex')
    return { name: file.slice(0, -'.sql'.length), statements, hash, ...headerOf(file, statements) }
  })
}

function headerOf(file: string, statements: string): Pick<Migration, 'worksWith' | 'index'> {
  const header = /^(?:--.*\n)*/.exec(statements)?.[0] ?? ''
  const worksWith = /^-- works-with: (\d{4})$/m.exec(header)?.[1]
  if (!/^-- no-transaction$/m.test(header)) return { worksWith: worksWith ? Number(worksWith) : null, index: null }
  const [, index] =
    /^create (?:unique )?index concurrently if not exists (\w+) on [^;]+;\s*$/.exec(statements.slice(header.length)) ?? []
  if (!index)
    throw new Error(`${file} needs a transaction: without one, a file has one "create index concurrently if not exists".`)
  return { worksWith: worksWith ? Number(worksWith) : null, index }
}
