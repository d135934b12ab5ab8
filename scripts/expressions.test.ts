/** Regular expressions of the product take linear time, so that no text from outside can hold up a process. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { check } from 'recheck'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

/** Expressions that the checker cannot classify, with the reason why they are safe. */
const unjudged: Readonly<Record<string, string>> = {
  '/\\p{RGI_Emoji}/gv': 'each emoji has at most ten characters; the name has at most 20 when it is tested',
  '/<script (?![^>]*nonce=)/g': 'reads the page that the build made',
  '/^(\\$\\$?)(?!\\$)((?:\\\\.|[^\\\\\\n$])+?)\\1(?=[\\s?!.,:？！。，：]|$)/': 'anchored, and each character fits one branch',
  '/^(\\$\\$?)\\n((?:\\\\[\\s\\S]|[^\\\\])+?)\\n\\1(?:\\n|$)/': 'anchored, and each character fits one branch',
}
/** Files with expressions that are built at run time, which the checker does not see, with the reason why they are safe. */
const made: Readonly<Record<string, string>> = {
  'apps/server/src/http/methods.ts': 'made of described paths; each repetition ends at a slash',
  'apps/web/src/ui/fields/number-field.tsx': 'the made part is a number of digits; anchored, without nested repetition',
}

/** How the worst-case time of an expression grows with the length of its input. */
async function growthOf(literal: string): Promise<'linear' | 'more' | 'unknown'> {
  const end = literal.lastIndexOf('/')
  // Exact and deterministic; the other algorithm of the checker tries random texts.
  const { status } = await check(literal.slice(1, end), literal.slice(end + 1), {
    checker: 'automaton',
    // The slowest one takes 2 s on a slow machine, and more on a busy one.
    timeout: 60_000,
    maxNFASize: 100_000,
    maxRepeatCount: 500,
  })
  return status === 'safe' ? 'linear' : status === 'vulnerable' ? 'more' : 'unknown'
}

/** Literals, and calls of `RegExp`, of a source text. */
function expressionsOf(file: string, source: string): { literals: string[]; makes: boolean } {
  const literals: string[] = []
  let makes = false
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) literals.push(node.text)
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && ts.isIdentifier(node.expression))
      makes ||= node.expression.text === 'RegExp'
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest))
  return { literals, makes }
}

const isProduct = (file: string) => /^(?:packages|apps)\/\w+\/src\/.*\.(?:ts|tsx|mjs)$/.test(file) && !/\.test\.tsx?$/.test(file)
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'packages', 'apps'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(isProduct)
const found = files.map((file) => ({ file, ...expressionsOf(file, readFileSync(file, 'utf8')) }))

describe('regular expressions', () => {
  test('the time of each expression of the product grows no faster than its input', async () => {
    const where = new Map<string, string>()
    for (const { file, literals } of found) for (const literal of literals) where.set(literal, file)
    expect(where.size).toBeGreaterThan(150)
    const judged = []
    // One at a time: two at once would slow each other down, and the checker has a timeout.
    for (const [literal, file] of where) judged.push({ literal, file, growth: await growthOf(literal) })
    const open = judged.filter(({ literal, growth }) => growth !== 'linear' && !(growth === 'unknown' && literal in unjudged))
    expect(open).toEqual([])
    expect(Object.keys(unjudged).filter((literal) => !where.has(literal))).toEqual([])
  })

  test('an expression that is built at run time has a reason', () => {
    expect(found.filter(({ makes }) => makes).map(({ file }) => file)).toEqual(Object.keys(made))
  })

  test('the checker finds the expression with which one visitor stopped the platform', async () => {
    expect(expressionsOf('a.ts', 'export const file = /\\.[^/]*$/; RegExp(file.source)')).toEqual({
      literals: ['/\\.[^/]*$/'],
      makes: true,
    })
    expect(await growthOf('/\\.[^/]*$/')).toBe('more')
    expect(await growthOf('/^[a-z]+$/')).toBe('linear')
  })
})
