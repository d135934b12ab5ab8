/** Which tables a backup has. Those of the job library are recreated. */
import type pg from 'pg'
import type { DB } from '../db/schema.ts'

/**
 * `transient`: leases, caches and results of this machine, which a restored platform recreates; sessions are kept on request only.
 * A new table does not compile until it is listed.
 */
const lists: Readonly<Record<keyof DB, 'kept' | 'transient'>> = {
  accounts: 'kept',
  attachments: 'kept',
  backups: 'transient',
  challenges: 'kept',
  cheats: 'kept',
  containerPorts: 'kept',
  containers: 'kept',
  endedSessions: 'transient',
  fileLeases: 'transient',
  files: 'kept',
  flags: 'kept',
  gameEvents: 'kept',
  games: 'kept',
  imagePulls: 'transient',
  installation: 'kept',
  isolationProbes: 'transient',
  logs: 'kept',
  mails: 'kept',
  mailTokens: 'kept',
  notices: 'kept',
  participations: 'kept',
  posts: 'kept',
  registrationAttempts: 'kept',
  registrations: 'kept',
  releasedFiles: 'kept',
  nodes: 'transient',
  sessions: 'transient',
  settings: 'kept',
  setupTokens: 'transient',
  signInBuckets: 'transient',
  solveLogs: 'kept',
  solverChecks: 'kept',
  solves: 'kept',
  submissions: 'kept',
  sweeps: 'transient',
  teamFlags: 'kept',
  teamMembers: 'kept',
  teams: 'kept',
  tunnels: 'transient',
  versions: 'kept',
  writeups: 'kept',
}

const nameOf = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Names of tables, in alphabetical order. */
export function splitTables({ sessions }: { readonly sessions: boolean }): { kept: string[]; leftOut: string[] } {
  const isKept = (key: string) => lists[key as keyof DB] === 'kept' || (sessions && key === 'sessions')
  const keys = Object.keys(lists)
  const names = (some: string[]) => some.map(nameOf).sort()
  return { kept: names(keys.filter(isKept)), leftOut: names(keys.filter((key) => !isKept(key))) }
}

export interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** Columns of the primary key; empty without one. */
  readonly key: readonly string[]
}

/** The tables of the schema by name, without that of the migrations. */
export async function listTables(client: Pick<pg.Client, 'query'>): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname as name,
      array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum)
        as columns,
      array(select a.attname::text from pg_index i, unnest(i.indkey) with ordinality as k (number, place), pg_attribute a
        where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid and a.attnum = k.number order by k.place) as key
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> 'migrations' order by 1`,
  )
  return rows
}

/** The last value of each sequence of the schema; null when it was not used. */
export async function readSequences(client: Pick<pg.Client, 'query'>): Promise<Record<string, number | null>> {
  const { rows } = await client.query<{ name: string; last: number | null }>(
    'select sequencename as name, last_value as last from pg_sequences where schemaname = current_schema() order by 1',
  )
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]))
}
