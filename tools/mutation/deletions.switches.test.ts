import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, expect, test } from 'vitest'
import { rightNode } from '../../scripts/toolchain.mjs'
import { root } from './copied-project.ts'
import { type Kind, readSources, switchesOf } from './deletions.switches.ts'

const folder = mkdtempSync(join(tmpdir(), 'vexil-switches-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
for (const name of ['tools/mutation', 'src']) mkdirSync(join(folder, name), { recursive: true })
const settings = {
  compilerOptions: { target: 'es2024', lib: ['es2024'], types: [], strict: true, noEmit: true, jsx: 'preserve' },
}
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
writeFileSync(
  join(folder, 'tools/mutation/deletions.switch.mjs'),
  `export * from '${join(root, 'tools/mutation/deletions.switch.mjs')}'\n`,
)

/** The switched code in the lines of a program, and the program with switches. */
const switched = (...lines: string[]) => switchedIn('src/program.ts', lines)

function switchedIn(file: string, lines: readonly string[], kind?: Kind): { texts: string[]; text: string } {
  writeFileSync(join(folder, file), lines.join('\n'))
  const program = readSources(folder, 'tsconfig.json', [file])
  const source = program.getSourceFile(join(folder, file))
  if (!source) throw new Error('no program')
  const { text, deletions } = switchesOf(source, file, program.getTypeChecker(), 1, kind)
  return { texts: deletions.map((deletion) => deletion.text), text }
}

/** The output of the program, with one deletion or none. */
function printed(text: string, deletion = 0, reached = ''): string {
  writeFileSync(join(folder, 'src/switched.ts'), text)
  const { stdout, stderr } = spawnSync(rightNode(), [join(folder, 'src/switched.ts')], {
    encoding: 'utf8',
    env: { ...process.env, VEXIL_DELETION: String(deletion), VEXIL_REACHED: reached },
  })
  return stdout + stderr
}

const print = 'const said: string[] = []; const say = (one: string): void => void said.push(one);'
const end = 'process.stdout.write(said.join(" "));'
const declared = `declare const process: any; ${print}`

test('statements with an effect are switched: calls, awaited calls, assignments, counting, delete', () => {
  const { texts } = switched(
    'declare const db: any',
    'let n = 0',
    'db.write()',
    'await db.write()',
    'n = 3',
    'n++',
    'delete db.rows',
    'void db.write()',
  )
  expect(texts).toEqual(['db.write()', 'await db.write()', 'n = 3', 'n++', 'delete db.rows', 'void db.write()'])
})

test('calls used as a value are switched where their type has no value', () => {
  const { texts } = switched(
    'declare function write(): Promise<void>',
    'declare function tell(): void',
    'declare function find(): Promise<string>',
    // Not switched, because the replacement would be the same.
    'export const none: Promise<void> = Promise.resolve()',
    'export const one = () => write()',
    'export const two = () => find()',
    'export const three = (): unknown => void find()',
    'export async function four() { await Promise.all([write(), find()]); return tell() }',
  )
  expect(texts).toEqual(['write()', 'find()', 'await Promise.all([write(), find()]);', 'write()', 'tell()'])
})

test('locks of a query, handlers of a promise and calls that listen or end something are switched one by one', () => {
  const { texts } = switched(
    'declare const db: any, call: any, signal: any',
    'export const row = await db.select().forUpdate().first()',
    'export const value = call({ signal, timeout: 3, name: 4, onClose() {} }).catch(() => null)',
  )
  expect(texts).toEqual([
    'db.select() .forUpdate()',
    'call({ signal, timeout: 3, name: 4, onClose() {} }) .catch(() => null)',
    'signal',
    'timeout: 3',
    'onClose() {}',
  ])
})

test('the log of the process, statements that only read and super() are not switched; the log of administrators is', () => {
  const { texts } = switched(
    'declare const note: any, request: any, deps: any, row: any',
    'note("started")',
    'request.log.debug("slow")',
    'console.error("away")',
    'deps.report(new Error("away"))',
    'row.name',
    'deps.log.write({ message: "x" })',
    'export class Gone extends Error { constructor() { super("gone") } }',
  )
  expect(texts).toEqual(['deps.log.write({ message: "x" })'])
})

test('without a deletion a program works as before, and keeps its line numbers', () => {
  const lines = [
    declared,
    'const chain = { lock() { say("lock"); return this }, catch(f: any) { f(); return this }, get() { return "got" } }',
    'let many = 0',
    'if (many === 0) say("if"); else say("else")',
    'if (many) say("no")',
    'else many++',
    'for (const one of [1, 2]) many += one',
    ';[3, 4].forEach((one) => { many += one })',
    'say(String(many))',
    'say(chain.catch(() => say("caught")).get())',
    'const take = ({ signal, onDone = () => {} }: any) => { onDone(); return signal }',
    'const signal = "aborted"',
    'say(take({ signal, onDone: () => say("done") }))',
    'await (async () => { await say("waited"); return say("last") })()',
    end,
  ]
  const { text } = switched(...lines)
  expect(text.split('\n')).toHaveLength(lines.length)
  expect(printed(text)).toBe('if 11 caught got done aborted waited last')
})

test('a deletion removes only what it names', () => {
  const program = [declared, 'if (said.length === 0) say("a"); else say("b")', 'const last = () => say("c")', 'last()', end]
  const { texts, text } = switched(...program)
  const without = (name: string) => printed(text, texts.indexOf(name) + 1)
  expect(without('say("a");')).toBe('c')
  expect(without('say("b")')).toBe('a c')
  expect(without('say("c")')).toBe('a')
  expect(without('last()')).toBe('a')
  const reached = join(folder, 'reached')
  printed(text, 0, reached)
  const named = readFileSync(reached, 'utf8')
    .trim()
    .split('\n')
    .map((number) => texts[Number(number) - 1])
  expect(named).toContain('say("a");')
  expect(named).not.toContain('say("b")')
})

test('a member is removed from a chain, and the part before it is evaluated once', () => {
  const query =
    'const query = { select() { say("select"); return this }, forUpdate() { say("lock"); return this }, rows: () => "rows" }'
  const { texts, text } = switched(declared, query, 'say(query.select().forUpdate().rows())', end)
  expect(printed(text)).toBe('select lock rows')
  expect(printed(text, texts.indexOf('query.select() .forUpdate()') + 1)).toBe('select rows')
})

test('a deleted promise without a value is replaced by a fulfilled one', () => {
  const { texts, text } = switched(
    declared,
    'async function write(): Promise<void> { say("written") }',
    'const run = () => write()',
    'await run().then(() => say("after"))',
    end,
  )
  expect(printed(text)).toBe('written after')
  expect(printed(text, texts.indexOf('write()') + 1)).toBe('after')
})

test('in a component the actions of a listener are switched, as is a listener given by name', () => {
  const { texts, text } = switchedIn('src/program.tsx', [
    declared,
    'declare namespace JSX { interface IntrinsicElements { [name: string]: any } }',
    'const h = (_: string, props: any) => props',
    'const leave = () => say("left")',
    'const store = async () => void say("stored")',
    'const isOpen = true',
    'function Part() {',
    '  const title = <b>{"a"}</b>',
    '  say("drawn")',
    '  return (',
    '    <button aria-label="x" onClick={() => say("clicked")} onFocus={() => void store()} onBlur={leave} onPaste={isOpen ? leave : undefined}',
    '      onKeyDown={(event: any) => {',
    '        if (event) say("pressed")',
    '      }}>{title}</button>',
    '  )',
    '}',
    'const { onClick, onFocus, onBlur, onPaste, onKeyDown } = Part() as any',
    'for (const listener of [onClick, onFocus, onBlur, onPaste, onKeyDown]) if (listener) listener(1)',
    end,
  ])
  expect(texts.filter((one) => !one.includes('said'))).toEqual([
    'say("left")',
    'say("stored")',
    'say("drawn")',
    'say("clicked")',
    'store()',
    'onBlur={leave}',
    'onPaste={isOpen ? leave : undefined}',
    'say("pressed")',
    'listener(1)',
  ])
  const compilerOptions = { jsx: ts.JsxEmit.React, jsxFactory: 'h', target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.ESNext }
  const { outputText } = ts.transpileModule(text, { compilerOptions, fileName: 'program.tsx' })
  const without = (name: string) => printed(outputText, texts.indexOf(name) + 1)
  expect(printed(outputText)).toBe('drawn clicked stored left left pressed')
  expect(without('say("clicked")')).toBe('drawn stored left left pressed')
  expect(without('store()')).toBe('drawn clicked left left pressed')
  expect(without('onBlur={leave}')).toBe('drawn clicked stored left pressed')
  expect(without('onPaste={isOpen ? leave : undefined}')).toBe('drawn clicked stored left pressed')
  expect(without('say("pressed")')).toBe('drawn clicked stored left left')
})

test('as another kind, numbers other than 0 and 1 are doubled, without those in names, types and attributes of elements', () => {
  const { texts, text } = switchedIn(
    'src/numbers.tsx',
    [
      'declare const process: any, JSX: any',
      'const h = (_: string, { onClick }: any) => onClick()',
      'const wait: 5 | number = 1_500',
      'const table = { 404: 0.25, half: [1, 0, -3] } as const',
      'const clicked = (<a tabIndex={7} style={{ width: 8 }} onClick={() => 9} />) as any',
      'process.stdout.write([wait, table[404], table.half, clicked].join(" "))',
    ],
    'numbers',
  )
  expect(texts).toEqual(['wait: 5 | number = [1_500]', '404: [0.25]', '-[3]', '() => [9]', 'table[[404]]'])
  const compilerOptions = { jsx: ts.JsxEmit.React, jsxFactory: 'h', target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.ESNext }
  const { outputText } = ts.transpileModule(text, { compilerOptions, fileName: 'numbers.tsx' })
  expect(['none', ...texts].map((_, number) => printed(outputText, number))).toEqual([
    '1500 0.25 1,0,-3 9',
    '3000 0.25 1,0,-3 9',
    '1500 0.5 1,0,-3 9',
    '1500 0.25 1,0,-6 9',
    '1500 0.25 1,0,-3 18',
    '1500  1,0,-3 9',
  ])
})
