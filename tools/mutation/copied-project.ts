/** A copy of the project in which faults are planted, so that the sources themselves are never changed. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

export interface Edit {
  readonly name: string
  readonly file: string
  /** Must be in the file exactly once. */
  readonly from: string
  readonly to: string
}

/** Tests of a file or folder, by a pattern of their title; empty: all of them. */
export interface NamedTests {
  readonly tests: string
  readonly title: string
  readonly project: 'unit' | 'web' | 'integration'
}

/** Copies the project; the copy shares the files of installed packages by hard links. */
export function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'vexil-plant-'))
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout: files } = spawnSync('git', listed, { cwd: root, encoding: 'utf8' })
  spawnSync('xargs', ['-0', 'cp', '--parents', '-t', copy], { cwd: root, input: files })
  for (const place of ['.', 'apps/server', 'apps/web', 'tools'])
    spawnSync('cp', ['-al', join(root, place, 'node_modules'), join(copy, place, 'node_modules')])
  return copy
}

export const removeCopy = (copy: string): void => rmSync(copy, { recursive: true, force: true })

export const runIn = (copy: string, command: string, args: readonly string[]) =>
  spawnSync(command, args, {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, VEXIL_TEST_POSTGRES: '18', NO_COLOR: '1' },
  })

/** Tests of the web that draw a page are in separate projects of Vitest. */
const projectsOf = (project: NamedTests['project']) => (project === 'web' ? ['web*', 'pages*'] : [`${project}*`])

/** Whether at least one of the tests fails, and the first that does. @throws if there is no such test */
export function failsIn(copy: string, { tests, title, project }: NamedTests): { red: boolean; output: string } {
  const projects = projectsOf(project).flatMap((name) => ['--project', name])
  const args = ['vitest', 'run', '--bail', '1', ...projects, tests, ...(title ? ['-t', title] : [])]
  const { status, stdout, stderr } = runIn(copy, 'npx', args)
  if (!/Tests\s+[^\n]*(?:passed|failed)/.test(stdout)) throw new Error(`No test ran: ${args.join(' ')}\n${stdout}${stderr}`)
  return { red: status !== 0 && /Tests\s+[^\n]*failed/.test(stdout), output: /FAIL\s+([^\n]+)/.exec(stderr)?.[1] ?? '' }
}

export type Outcome = 'found' | 'NOT FOUND' | 'RED ALREADY' | 'not planted'

type Answer = { readonly red: boolean; readonly output: string }

/** @returns what `ask` returns while the fault is in the file; null if `from` is not in it exactly once */
function askWith(copy: string, { file, from, to }: Edit, ask: () => Answer): Answer | null {
  const path = join(copy, file)
  const whole = readFileSync(path, 'utf8')
  if (whole.split(from).length !== 2) return null
  writeFileSync(
    path,
    whole.replace(from, () => to),
  )
  const answer = ask()
  writeFileSync(path, whole)
  return answer
}

/** Plants the faults one by one and prints for each whether `ask` is red with it and green without. @returns how many were found */
export function plantAll<Found, Fault extends Edit & { readonly found: Found }>(
  copy: string,
  faults: readonly Fault[],
  ask: (found: Fault['found']) => Answer,
): number {
  const green = new Map<string, boolean>()
  // Tests that are red without the fault prove nothing. They run once for all faults with the same tests.
  const isGreen = (found: Fault['found']) => {
    const key = JSON.stringify(found)
    if (!green.has(key)) green.set(key, !ask(found).red)
    return green.get(key)
  }
  let passed = 0
  for (const fault of faults) {
    const answer = askWith(copy, fault, () => ask(fault.found))
    const outcome = !answer ? 'NOT PLANTED' : !answer.red ? 'NOT FOUND' : isGreen(fault.found) ? 'found' : 'RED ALREADY'
    if (outcome === 'found') passed++
    console.log(`${outcome}\t${fault.name}\t${answer?.output ?? `its place in ${fault.file} is gone`}`)
  }
  return passed
}
