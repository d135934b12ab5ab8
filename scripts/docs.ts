/**
 * Writes generated documents: the table of settings in docs/operations.md (from config.ts) and docs/openapi.json (from the contract). With
 * --check it only checks whether they are up to date.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { settings } from '../apps/server/src/config.ts'
import { openApi } from '../packages/contract/src/openapi.ts'

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
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
const description = join(import.meta.dirname, '../docs/openapi.json')
const files = [
  { path: file, old, written, stale: 'docs/operations.md does not list the settings of config.ts' },
  {
    path: description,
    old: existsSync(description) ? readFileSync(description, 'utf8') : '',
    written: `${JSON.stringify(openApi(version), null, 1)}\n`,
    stale: 'docs/openapi.json is not what the contract describes',
  },
]
for (const { path, old, written, stale } of files) {
  if (written === old) continue
  if (!process.argv.includes('--check')) writeFileSync(path, written)
  else {
    console.error(`${stale}: run npm run docs`)
    process.exitCode = 1
  }
}
