/** Writes the table of settings in docs/operations.md from config.ts; with --check it only says whether the table is up to date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { settings } from '../apps/server/src/config.ts'

const file = join(import.meta.dirname, '../docs/operations.md')
const table = [
  '| Variable | Default | Meaning |',
  '|---|---|---|',
  ...Object.values(settings).map(
    ({ variable, default: fallback, meaning }) =>
      `| \`${variable}\` | ${fallback === null ? 'none' : `\`${fallback}\``} | ${meaning} |`,
  ),
].join('\n')
const old = readFileSync(file, 'utf8')
const written = old.replace(
  /<!-- settings -->[\s\S]*<!-- \/settings -->/,
  () => `<!-- settings -->\n${table}\n<!-- /settings -->`,
)
if (!process.argv.includes('--check')) writeFileSync(file, written)
else if (written !== old) {
  console.error('docs/operations.md does not list the settings of config.ts: run npm run docs')
  process.exitCode = 1
}
