/**
 * Prints every call in the order of the contract: room, required access, limit, how many rows of error-rows.tsv have a case, and its line of
 * the access table. Exit code 1 if a call is missing in the table or a row has no case.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { accessTable } from '../apps/server/test/access.table.ts'
import { cases } from '../apps/server/test/error-rows.cases.ts'
import { callsOf, nameOf, rooms } from '../packages/contract/src/interface.ts'

const rows = readFileSync(join(import.meta.dirname, '../apps/server/test/error-rows.tsv'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('call\t'))
  .map((line) => line.split('\t') as [call: string, row: string, check: string])
const isProven = ([call, , check]: (typeof rows)[0]) => cases[call]?.[check] !== undefined
const table: Readonly<Record<string, string>> = accessTable

const calls = Object.keys(rooms).flatMap((room) => callsOf(room).map((call) => ({ room, name: nameOf(call), ...call.shape })))
const listed = [...calls, { room: '-', name: 'every call', access: '-', limit: undefined }]
for (const { room, name, access, limit = '-' } of listed) {
  const own = rows.filter(([call]) => call === name)
  const line = table[name] ?? (room === '-' ? '-' : 'MISSING')
  console.log([name, room, access, limit, `${own.filter(isProven).length}/${own.length}`, line].join('\t'))
}

const missing = calls.filter(({ name }) => table[name] === undefined).length
const open = rows.filter((row) => !isProven(row) || !listed.some(({ name }) => name === row[0]))
for (const [call, row, check] of open) console.log(`no case or no such call\t${call} ${row}: ${check}`)
const cells = Object.values(table).flatMap((line) => line.split(' ')).length
console.log(
  `${calls.length} calls, ${missing} not in the table of ${cells} cells; ${rows.length} rows of errors, ${open.length} without a case`,
)
process.exitCode = missing + open.length > 0 ? 1 : 0
