/**
 * Finds the parts of SQL text that can be left out, so that the text remains valid: conditions, `not`, `desc`, `order by`, `limit`, `offset`, `distinct`
 * and locks.
 */

export interface Clause {
  /** Positions in the text: `from` is included, `to` is not. */
  readonly from: number
  readonly to: number
  /** What remains at this place: a condition becomes `true`, an alternative `false`. */
  readonly instead: string
}

interface Token {
  readonly word: string
  readonly from: number
  readonly to: number
  /** Number of parentheses around it; of a parenthesis: outside of it. */
  readonly depth: number
}

const conditions: Readonly<Record<string, string>> = {
  where: 'true',
  and: 'true',
  on: 'true',
  having: 'true',
  when: 'true',
  or: 'false',
}
const nextClauses = 'order group limit offset returning for union except intersect window rows range'
const endsOfCondition = new Set(
  `${nextClauses} and or then when else end on join left right inner cross full where having set do as desc asc ,`.split(' '),
)
const endsOfClause = new Set(nextClauses.split(' '))

/** @param text of a template with its `${}` parts */
export function clausesOf(text: string): Clause[] {
  const tokens = tokensOf(text)
  return tokens.flatMap((token, i): Clause[] => {
    const next = tokens[i + 1]?.word
    const before = tokens[i - 1]?.word
    const until = (ends: ReadonlySet<string>) => endOf(tokens, i, ends) ?? text.length
    const without = (to: number): Clause[] => [{ from: token.from, to, instead: '' }]
    switch (token.word) {
      case 'where':
      case 'and':
      case 'on':
      case 'having':
      case 'when':
      case 'or':
        if (next === 'conflict' || before === 'distinct' || isOfBetween(tokens, i)) return []
        return [{ from: token.to, to: until(endsOfCondition), instead: ` ${conditions[token.word]} ` }]
      case 'not':
      case 'desc':
        return without(token.to)
      case 'distinct':
        return before === 'is' || before === 'not' || next === 'on' ? [] : without(token.to)
      case 'order': {
        const to = until(endsOfClause)
        const isDescending = tokens.some(({ word, from }) => word === 'desc' && from > token.from && from < to)
        return next === 'by' && !isDescending ? without(to) : []
      }
      case 'limit':
      case 'offset':
        return without(until(endsOfClause))
      case 'for':
        return /^(update|no|share|key)$/.test(next ?? '') ? without(until(endsOfClause)) : []
      default:
        return []
    }
  })
}

/** Words, commas and parentheses outside of literals and `${}` parts. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let depth = 0
  for (const { 0: found, index } of masked(text).matchAll(/[a-z_][\w.]*|[(),]/gi)) {
    if (found === ')') depth--
    tokens.push({ word: found.toLowerCase(), from: index, to: index + found.length, depth })
    if (found === '(') depth++
  }
  return tokens
}

/** The text with blanks instead of literals and `${}` parts. */
function masked(text: string): string {
  let result = ''
  for (let i = 0; i < text.length; ) {
    const to = text.startsWith('${', i) ? endOfPart(text, i) : (/^'[^']*'|^"[^"]*"/.exec(text.slice(i))?.[0].length ?? 1) + i
    result += to === i + 1 ? text[i] : ' '.repeat(to - i)
    i = to
  }
  return result
}

function endOfPart(text: string, from: number): number {
  let depth = 0
  for (let i = from + 1; i < text.length; i++) {
    if (text[i] === '{') depth++
    else if (text[i] === '}' && --depth === 0) return i + 1
  }
  return text.length
}

/** Where the clause of a token ends: at a word of `ends`, or at the parenthesis around it. */
function endOf(tokens: readonly Token[], at: number, ends: ReadonlySet<string>): number | undefined {
  const { depth } = tokens[at] as Token
  return tokens.find(
    (token, i) =>
      i > at &&
      (token.depth < depth || (token.depth === depth && token.word !== '(' && ends.has(token.word) && !isOfBetween(tokens, i))),
  )?.from
}

/** Whether this `and` belongs to `between A and B`. */
function isOfBetween(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at] as Token
  if (token.word !== 'and') return false
  const before = tokens
    .slice(0, at)
    .findLast(({ word, depth }) => depth === token.depth && /^(and|or|between|where|on)$/.test(word))
  return before?.word === 'between'
}
