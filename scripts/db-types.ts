/** Writes apps/server/src/db/schema.ts from the migrations. With --check it only checks whether the file is up to date. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openDatabase } from '../apps/server/src/db/database.ts'
import { startEmbedded } from '../apps/server/src/db/embedded.ts'
import { migrate } from '../apps/server/src/db/migrate.ts'

const target = join(import.meta.dirname, '../apps/server/src/db/schema.ts')
const codegen = join(dirname(createRequire(import.meta.url).resolve('kysely-codegen/package.json')), 'dist/cli/bin.js')
const folder = mkdtempSync(join(tmpdir(), 'vexil-types-'))
const embedded = await startEmbedded({ dataDir: folder, printLine: console.error, durable: false })
try {
  const database = await openDatabase({ source: embedded.connection, poolSize: 2 })
  await migrate(database)
  await database.close()
  const written = generate()
  if (!process.argv.includes('--check')) writeFileSync(target, written)
  else if (readFileSync(target, 'utf8') !== written) {
    console.error('apps/server/src/db/schema.ts is not what the migrations make: run npm run db:types')
    process.exitCode = 1
  }
} finally {
  await embedded.stop()
  rmSync(folder, { recursive: true, force: true })
}

function generate(): string {
  const { host, user, database } = embedded.connection
  const output = join(folder, 'schema.ts')
  const args = ['--dialect', 'postgres', '--url', `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`]
  const types = [
    '--camel-case',
    '--type-mapping',
    JSON.stringify({ int8: 'number' }),
    '--exclude-pattern',
    '(*.migrations|graphile_worker.*)',
  ]
  const made = spawnSync(process.execPath, [codegen, ...args, ...types, '--out-file', output], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`kysely-codegen failed: ${made.stderr || made.stdout}`)
  return readFileSync(output, 'utf8')
}
