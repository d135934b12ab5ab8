/** Makes the accessibility trees of two visits of the same screen equal: times, ids and texts chosen at random differ between them. */
import texts from '../apps/web/locales/en_US.json' with { type: 'json' }

const days = '(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?'
const months =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)'
const units = '(?:second|minute|hour|day)s?'
const variable: readonly [RegExp, string][] = [
  [new RegExp(`\\b(?:${days} )?\\d{1,2} ${months}(?: \\d{4})?\\b|\\b\\d{4}-\\d{2}-\\d{2}\\b`, 'g'), 'DATE'],
  [new RegExp(`\\b${days} (?=\\d{1,2}:)`, 'g'), ''],
  [/\b\d+:\d{2}(?::\d{2})?\b/g, 'TIME'],
  [new RegExp(`\\b(?:in )?(?:\\d+|an?|this|last|next) ${units}(?: ago)?|\\b(?:just now|now|yesterday|tomorrow)\\b`, 'g'), 'TIME'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'ID'],
  [/\b[0-9a-f]{32,64}\b/g, 'HASH'],
  [/(?<=_)[0-9a-f]{12}\b/g, 'HASH'],
  [/\b\d{8}-\d{2}\.\d{2}\.\d{2}Z/g, 'TIME'],
  [/\bv\d+\.\d+\.\d+[\w.-]*(?: [0-9a-f]{10}\b)?/g, 'VERSION'],
  [/(?: at \S+ \(http[^)]*\))+/g, ' at STACK'],
  // Each build of the web chooses other names.
  [/(?<![\w$])[\w$]{1,2}(?=\.\w+ is not a function)/g, 'NAME'],
  [/"CHOSEN"/g, 'CHOSEN'],
  [/\/posts\/[\w-]{8}\b/g, '/posts/ID'],
  [/\b127\.0\.0\.1:\d+/g, 'ADDRESS'],
]
/** Texts of which one is chosen at random. */
const chosen = [...Object.values(texts.play.hints), ...Object.values(texts.play.examples)]
/** The message of a page with live updates, which disappears after a few seconds. */
const connected = new RegExp(
  `^- complementary "[^"]*":\\n {2}- status:\\n(?: {4}.*\\n)*? {4}- text: ${texts.monitor.connected}\\n(?: {4}.*(?:\\n|$))*`,
  'm',
)
/** An entry of the log that only a busy machine has. */
const busy = /^\s*- (?:'row|row) ".*A process of this node did not run for /
/** The rows or entries that are kept of a list. */
const kept = 4
const indentOf = (line: string) => line.length - line.trimStart().length

/** Without the content below lines that match. */
function without(lines: readonly string[], matches: RegExp): string[] {
  let within = Number.POSITIVE_INFINITY
  return lines.filter((line) => {
    if (indentOf(line) > within) return false
    within = matches.test(line) ? indentOf(line) : Number.POSITIVE_INFINITY
    return within === Number.POSITIVE_INFINITY
  })
}

/** The first rows or entries of each list, and how many follow. */
function shortened(lines: readonly string[]): string[] {
  const result: string[] = []
  /** By indent: the current list's entries so far. */
  const counts = new Map<number, number>()
  let cut = Number.POSITIVE_INFINITY
  for (const line of lines) {
    const indent = indentOf(line)
    if (indent > cut) continue
    cut = Number.POSITIVE_INFINITY
    for (const deeper of [...counts.keys()]) if (deeper > indent) counts.delete(deeper)
    const entry = /^- '?(row|listitem|option|menuitem|article)\b/.exec(line.trimStart())?.[1]
    if (entry === undefined) {
      counts.delete(indent)
      result.push(line)
      continue
    }
    const count = (counts.get(indent) ?? 0) + 1
    counts.set(indent, count)
    if (count <= kept) result.push(line)
    else cut = indent
    if (count > kept + 1) result.pop()
    if (count > kept) result.push(`${' '.repeat(indent)}- and ${count - kept} more`)
  }
  return result
}

/**
 * @param tree as `ariaSnapshot()` returns it
 * @param withFrame whether the navigation around the screen is kept, which is the same on most screens
 */
export function comparable(tree: string, withFrame: boolean): string {
  const fixed = chosen.reduce((old, one) => old.replaceAll(one, 'CHOSEN'), tree.replace(connected, ''))
  const text = variable.reduce((old, [pattern, name]) => old.replaceAll(pattern, name), fixed)
  // The name of a row repeats its cells.
  const lines = without(text.split('\n'), busy).map((line) =>
    line.replace(/^(\s*- )(?:row "(?:[^"\\]|\\.)*"|'row "(?:[^"\\]|\\.|'')*"')/, '$1row'),
  )
  // The bars of a chart of the last hours.
  const unvarying = lines.filter((line) => !/^\s*- '?button "TIME to /.test(line))
  const framed = withFrame ? unvarying : without(unvarying, /^- (?:banner:|link "Skip to content":)/)
  return `${shortened(framed).join('\n')}\n`
}
