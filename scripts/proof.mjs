/**
 * npm run proof: the checks that are too slow for each change; for a release and for the end of an issue. `--only races` runs some parts (separated by
 * commas; `deletions` runs `deletions-core` and the other rooms); a part that passed on this commit is not run again without `--again`. A part writes
 * reports with its commit and date, which `npm run tool -- demands` and `npm run tool -- screens` count. With uncommitted changes all parts are run, and
 * no reports are written. Ends with `N passed, N failed`.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parts } from './gate/proof-parts.mjs'
import { read, reports } from './gate/reports.mjs'
import { openTally } from './gate/tally.mjs'
import { fail, installLock, root } from './toolchain.mjs'

const args = process.argv.slice(2)
const names = Object.keys(parts)
const requested = args.includes('--only') ? (args[args.indexOf('--only') + 1] ?? '').split(',') : names
const named = (name) => names.filter((one) => one === name || (!(name in parts) && one.startsWith(`${name}-`)))
const unknown = requested.filter((name) => named(name).length === 0)
if (unknown.length > 0) fail(`Unknown part: ${unknown.join(', ')}. Parts: ${names.join(', ')}`)
installLock()
const git = (...command) => execFileSync('git', command, { cwd: root, encoding: 'utf8' }).trim()
const commit = git('status', '--porcelain') === '' ? git('rev-parse', 'HEAD') : null
const place = (name) => join(reports, `proof-${name}.json`)

const tally = openTally()
for (const name of requested.flatMap(named)) {
  const before = read(place(name))
  if (commit && before?.commit === commit && before.failed === 0 && before.notRun === 0 && !args.includes('--again')) {
    console.log(`\n== ${name}: ${before.passed} passed on this commit, ${before.date}`)
    tally.total.passed += before.passed
  } else await tally.stage(name, () => runPart(name))
}
process.exitCode = tally.end()

async function runPart(name) {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-proof-'))
  const earlier = { ...tally.total }
  const date = new Date().toISOString()
  await parts[name]({ tally, file: (step) => join(folder, `${step}.json`) })
  const counts = Object.fromEntries(Object.entries(tally.total).map(([key, number]) => [key, number - earlier[key]]))
  const found = readdirSync(folder).map((file) => read(join(folder, file)))
  rmSync(folder, { recursive: true })
  if (!commit) return
  writeFileSync(place(name), JSON.stringify({ commit, date, ...counts, reports: found }))
}
