/** Writes the generated documents: the table of settings in docs/operations.md, docs/limits.md and docs/openapi.json. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { settings } from '../apps/server/src/config.ts'
import { openApi } from '../packages/contract/src/openapi.ts'
import * as limits from '../packages/core/src/limits.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
    .replaceAll('| --- ', '|---')
    .replaceAll('--- |', '---|')

function withSettings(operations: string): string {
  const rows = Object.values(settings).map(({ variable, default: fallback, meaning }) => [
    `\`${variable}\``,
    fallback === null ? 'none' : `\`${fallback}\``,
    meaning,
  ])
  const listed = `<!-- settings -->\n${table(['Variable', 'Default', 'Meaning'], rows)}\n<!-- /settings -->`
  return operations.replace(/<!-- settings -->[\s\S]*<!-- \/settings -->/, () => listed)
}

/** The comments of exported constants (`name`) and of their fields (`name.field`), in the order of the source. */
function commentsOf(source: string): Map<string, string> {
  const comments = new Map<string, string>()
  let [group, comment] = ['', '']
  for (const line of source.split('\n')) {
    const text = /^\s*(?:\/\*\*|\*(?!\/))\s?(.*?)\s*(?:\*\/)?$/.exec(line)?.[1]
    const [, constant, field] = /^(?:export const (\w+)| {2}(\w+):)/.exec(line) ?? []
    if (constant) group = constant
    if (text !== undefined) comment = `${comment} ${text}`.trim()
    else if (constant ?? field) comments.set(field ? `${group}.${field}` : group, comment)
    if (text === undefined) comment = ''
  }
  return comments
}

type Value = number | string | boolean | RegExp | { readonly [name: string]: Value }
const shown = (value: Value) => (typeof value === 'number' ? value.toLocaleString('en-US') : `\`${value}\``)
const isGroup = (value: Value): value is { readonly [name: string]: Value } =>
  typeof value === 'object' && !(value instanceof RegExp)

function limitsDocument(): string {
  const comments = commentsOf(read('packages/core/src/limits.ts'))
  const rowsOf = (name: string, value: Value, meaning: string, path: string): string[][] =>
    isGroup(value)
      ? Object.entries(value).flatMap(([field, one]) =>
          rowsOf(name ? `${name}.${field}` : field, one, comments.get(`${path}.${field}`) ?? meaning, `${path}.${field}`),
        )
      : [[`\`${name}\``, shown(value), meaning]]
  const exported = [...comments.keys()]
    .filter((name) => name in limits)
    .map((name) => [name, (limits as Record<string, Value>)[name]!] as const)
  const head = ['Name', 'Value', 'Meaning']
  const groups = exported.flatMap(([name, value]) =>
    isGroup(value) ? [`## ${name}`, comments.get(name), table(head, rowsOf('', value, '', name))].filter(Boolean) : [],
  )
  const single = exported.flatMap(([name, value]) => (isGroup(value) ? [] : rowsOf(name, value, comments.get(name) ?? '', name)))
  const about =
    'The constants of the business rules and the defaults, from `packages/core/src/limits.ts` (`npm run docs` writes this file). Lengths count UTF-16 code units; durations are milliseconds unless another unit is stated.'
  return `${['# Limits', about, ...groups, '## Other values', table(head, single)].join('\n\n')}\n`
}

/** The generated documents with their content. */
export function documents(): readonly { readonly path: string; readonly content: string }[] {
  return [
    { path: 'docs/operations.md', content: withSettings(read('docs/operations.md')) },
    { path: 'docs/limits.md', content: limitsDocument() },
    { path: 'docs/openapi.json', content: `${JSON.stringify(openApi(JSON.parse(read('package.json')).version), null, 1)}\n` },
  ]
}

if (process.argv[1] === import.meta.filename)
  for (const { path, content } of documents()) writeFileSync(join(root, path), content)
