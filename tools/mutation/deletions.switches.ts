/**
 * Puts a switch around all code that has an effect and whose value is not used, so that each can be deleted without compiling anything again
 * (docs/mutants.md). Text is only added and no line moves: Node and the test runner read the source with switches in it.
 *
 * Switched:
 * - statements that are an expression: calls, awaited calls, assignments, counting, `delete`;
 * - calls elsewhere that return void or Promise<void>, and operands of `void`: an arrow function or a list of promises makes such calls for their effect;
 * - members of a chain that lock, listen, clean up or catch (`chained`);
 * - members of an object that are listeners or end something (`membersOfObjects`);
 * - listeners of an element that are passed by name, `onClick={close}`; in an inline listener its statements are switched;
 * - conditions, order, limits and locks of queries, in a chain and in SQL text (`sql`, deletions.queries.ts).
 *
 * Not switched:
 * - lines of the process's own log and reports of faults to it (`isLogged`): they are for operators, the wording changes, and no test should read them. The
 *   log that administrators read is stored and part of the product, so it is switched;
 * - statements that only read: their deletion has no effect;
 * - `super()`: without it a class cannot be instantiated at all, so its first test fails.
 *
 * With the kind `numbers` nothing is deleted: each number other than 0 and 1 is doubled, without those in types and in attributes of elements, which are
 * mostly sizes.
 */
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { clausesOf } from './deletions.queries.ts'

export interface Deletion {
  /** From 1, unique in all files of a run. */
  readonly number: number
  /** Path from the root of the project. */
  readonly file: string
  readonly line: number
  readonly lastLine: number
  /** The deleted code in one line; long code is cut. */
  readonly text: string
}

/** Members that return the object that they were called on, or one like it. */
const chained = new Set(
  [
    'forUpdate forNoKeyUpdate forShare forKeyShare skipLocked noWait where whereRef onRef having orderBy limit offset distinct',
    'catch finally on once off unref ref',
  ].flatMap((line) => line.split(' ')),
)
const membersOfObjects = /^(on[A-Z]\w*|signal|once|maxPayload|refetch\w*)$|[tT]imeout$/
const levels = 'trace|debug|info|warn|error|fatal'
const isLogged = new RegExp(
  `^(await |void )*((\\w+[.?]+)*(note|report)|console\\.\\w+|([\\w.?]+\\.)?(log|logger)\\??\\.(${levels}))(\\?\\.)?\\(`,
)

export type Kind = 'effects' | 'numbers'

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

type Insertion = { readonly at: number; readonly depth: number; readonly opens: boolean; readonly text: string }

/** Returns the inner expression: `f()` for `await (void f())`. */
function within(node: ts.Expression): ts.Expression {
  if (ts.isAwaitExpression(node) || ts.isVoidExpression(node) || ts.isParenthesizedExpression(node))
    return within(node.expression)
  return node
}

function contains(node: ts.Node, test: (node: ts.Node) => boolean): boolean {
  return test(node) || (ts.forEachChild(node, (child) => contains(child, test)) ?? false)
}

/** Whether the node has an `await`, `yield` or `super` that would not be valid in a function around it. */
const suspends = (node: ts.Node): boolean =>
  contains(node, (one) => ts.isAwaitExpression(one) || ts.isYieldExpression(one) || one.kind === ts.SyntaxKind.SuperKeyword)

function hasEffect(node: ts.Node): boolean {
  return contains(node, (one) => {
    if (ts.isBinaryExpression(one))
      return one.operatorToken.kind >= ts.SyntaxKind.FirstAssignment && one.operatorToken.kind <= ts.SyntaxKind.LastAssignment
    if (ts.isPrefixUnaryExpression(one))
      return one.operator === ts.SyntaxKind.PlusPlusToken || one.operator === ts.SyntaxKind.MinusMinusToken
    return (
      ts.isCallExpression(one) ||
      ts.isNewExpression(one) ||
      ts.isAwaitExpression(one) ||
      ts.isYieldExpression(one) ||
      ts.isDeleteExpression(one) ||
      ts.isTaggedTemplateExpression(one) ||
      ts.isPostfixUnaryExpression(one)
    )
  })
}

/** The replacement for a deleted call of this type; undefined if its value may be used. */
function insteadOf(type: ts.Type, checker: ts.TypeChecker): string | undefined {
  const isVoid = (one: ts.Type): boolean => {
    const parts = one.isUnion() ? one.types : [one]
    const allowed = ts.TypeFlags.Void | ts.TypeFlags.Undefined
    return parts.every(({ flags }) => flags & allowed) && parts.some(({ flags }) => flags & ts.TypeFlags.Void)
  }
  if (isVoid(type)) return 'undefined'
  if (type.symbol?.name !== 'Promise') return undefined
  const [value] = checker.getTypeArguments(type as ts.TypeReference)
  return value && isVoid(value) ? 'Promise.resolve()' : undefined
}

/**
 * @param file path from the root of the project
 * @param first the number of the first switch
 * @param kind what is switched
 * @returns the source with switches, and their deletions in the order of the file
 */
export function switchesOf(
  source: ts.SourceFile,
  file: string,
  checker: ts.TypeChecker,
  first: number,
  kind: Kind = 'effects',
): { readonly text: string; readonly deletions: readonly Deletion[] } {
  const insertions: Insertion[] = []
  const deletions: Deletion[] = []

  /** Adds one deletion and the insertions before, after, and within its text. */
  function add(node: ts.Node, depth: number, text: string, put: (number: number) => [number, boolean, string][]): void {
    const number = first + deletions.length
    const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1
    deletions.push({
      number,
      file,
      line: lineOf(node.getStart(source)),
      lastLine: lineOf(node.end),
      text: inOneLine(text).slice(0, 140),
    })
    for (const [at, opens, added] of put(number)) insertions.push({ at, opens, depth, text: added })
  }

  const around = (node: ts.Node, depth: number, before: (number: number) => string, after: string): void =>
    add(node, depth, node.getText(source), (number) => [
      [node.getStart(source), true, before(number)],
      [node.end, false, after],
    ])

  function visit(node: ts.Node, depth: number): void {
    if (kind === 'numbers') {
      if (ts.isNumericLiteral(node)) double(node, depth)
    } else if (ts.isExpressionStatement(node)) statement(node, depth)
    else if (ts.isCallExpression(node)) call(node, depth)
    else if (ts.isVoidExpression(node) && !isStatement(node) && hasEffect(node) && !isLogged.test(node.getText(source)))
      around(node.expression, depth, (number) => `($on(${number}) && (`, '))')
    else if (ts.isObjectLiteralElementLike(node)) member(node, depth)
    else if (ts.isJsxAttribute(node)) attribute(node, depth)
    else if (ts.isTaggedTemplateExpression(node) && node.tag.getText(source) === 'sql') query(node, depth)
    ts.forEachChild(node, (child) => visit(child, depth + 1))
  }

  function statement(node: ts.ExpressionStatement, depth: number): void {
    const inner = within(node.expression)
    const isSuper = ts.isCallExpression(inner) && inner.expression.kind === ts.SyntaxKind.SuperKeyword
    if (isSuper || !hasEffect(node) || isLogged.test(node.getText(source))) return
    around(node, depth, (number) => `{ if ($on(${number})) `, ' }')
  }

  /** Whether the expression is a whole statement, apart from `await`, `void` and parentheses. */
  function isStatement(node: ts.Expression): boolean {
    const { parent } = node
    if (ts.isExpressionStatement(parent)) return true
    return (
      (ts.isAwaitExpression(parent) || ts.isVoidExpression(parent) || ts.isParenthesizedExpression(parent)) && isStatement(parent)
    )
  }

  function call(node: ts.CallExpression, depth: number): void {
    const { expression: callee, parent } = node
    if (ts.isPropertyAccessExpression(callee) && chained.has(callee.name.text) && !ts.isOptionalChain(node)) {
      const isWhole = isStatement(node) && !contains(callee.expression, ts.isCallExpression)
      if (!isWhole && !node.arguments.some(suspends)) {
        const { expression: before } = callee
        const text = `${inOneLine(before.getText(source)).slice(-60)} ${source.text.slice(before.end, node.end)}`
        add(node, depth, text, (number) => [
          [node.getStart(source), true, `$chain(${number}, `],
          [before.end, false, ', ($before) => $before'],
          [node.end, false, ')'],
        ])
        return
      }
    }
    const isPart = ts.isPropertyAccessExpression(parent) || (ts.isCallExpression(parent) && parent.expression === node)
    if (isPart || isStatement(node) || ts.isVoidExpression(parent) || callee.kind === ts.SyntaxKind.SuperKeyword) return
    const instead = insteadOf(checker.getTypeAtLocation(node), checker)
    const text = node.getText(source)
    if (!instead || instead === text || isLogged.test(text)) return
    around(node, depth, (number) => `($on(${number}) ? `, ` : ${instead})`)
  }

  function member(node: ts.ObjectLiteralElementLike, depth: number): void {
    if (!node.name || !ts.isIdentifier(node.name) || !membersOfObjects.test(node.name.text) || suspends(node)) return
    if (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node) || ts.isMethodDeclaration(node))
      around(node, depth, (number) => `...($on(${number}) && { `, ' })')
  }

  function attribute(node: ts.JsxAttribute, depth: number): void {
    const given = node.initializer && ts.isJsxExpression(node.initializer) ? node.initializer.expression : undefined
    if (!given || !/^on[A-Z]/.test(node.name.getText(source))) return
    if (ts.isArrowFunction(given) || ts.isFunctionExpression(given)) return
    add(node, depth, node.getText(source), (number) => [
      [given.getStart(source), true, `$on(${number}) ? (`],
      [given.end, false, ') : undefined'],
    ])
  }

  function double(node: ts.NumericLiteral, depth: number): void {
    const { parent } = node
    const value = Number(node.text)
    const isName = 'name' in parent && parent.name === node
    if (value === 0 || value === 1 || isName || ts.isLiteralTypeNode(parent) || isInAttribute(node)) return
    const [from, to] = [node.getStart(source), node.end]
    const before = source.text.slice(Math.max(parent.getStart(source), from - 60), from)
    const text = `${before}[${source.text.slice(from, to)}]${source.text.slice(to, Math.min(parent.end, to + 60))}`
    add(node, depth, text, (number) => [
      [from, true, `($on(${number}) ? `],
      [to, false, ` : ${2 * value})`],
    ])
  }

  /** Whether the node is in an attribute of an element, but not in a function there. */
  function isInAttribute({ parent }: ts.Node): boolean {
    if (!parent || ts.isFunctionLike(parent)) return false
    return ts.isJsxAttribute(parent) || isInAttribute(parent)
  }

  /** The text is repeated without each of its clauses, on one line. */
  function query(node: ts.TaggedTemplateExpression, depth: number): void {
    const text = node.template.getText(source).slice(1, -1)
    for (const [i, { from, to, instead }] of clausesOf(text).entries()) {
      const without = `sql\`${text.slice(0, from)}${instead}${text.slice(to)}\``.replaceAll(/\s*\n\s*/g, ' ')
      const start = Math.max(0, from - 60)
      const shown = `${text.slice(start, from)}[-${text.slice(from, to)}-]${text.slice(to, to + 20)}`
      // Several switches at one place: each is inside the one before.
      add(node, depth + i / 1000, shown, (number) => [
        [node.getStart(source), true, `($on(${number}) ? `],
        [node.end, false, ` : ${without})`],
      ])
    }
  }

  visit(source, 0)
  return { text: `${importOf(file)}${inserted(source.text, insertions)}`, deletions }
}

/** On the first line, so that lines keep their numbers. */
function importOf(file: string): string {
  const path = relative(dirname(file), 'tools/mutation/deletions.switch.mjs')
  return `import { on as $on, chain as $chain } from '${path}'; `
}

/** At the same position, closing text comes before opening text; the outer one opens first and closes last. */
function inserted(text: string, insertions: readonly Insertion[]): string {
  const order = insertions.toSorted(
    (a, b) => a.at - b.at || Number(a.opens) - Number(b.opens) || (a.opens ? a.depth - b.depth : b.depth - a.depth),
  )
  let result = ''
  let from = 0
  for (const { at, text: added } of order) {
    result += text.slice(from, at) + added
    from = at
  }
  return result + text.slice(from)
}

/** @param root the project @param settings the `tsconfig.json` of all `files`, with which types are read */
export function readSources(root: string, settings: string, files: readonly string[]): ts.Program {
  const path = join(root, settings)
  const { config } = ts.readConfigFile(path, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(path))
  return ts.createProgram(
    files.map((file) => join(root, file)),
    { ...options, allowJs: true },
  )
}
