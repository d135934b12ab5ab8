/** Platforms that are started as an operator starts them; each test file has a separate folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect } from 'vitest'
import { freePort } from '../../../e2e/platform.ts'

const MAIN = join(import.meta.dirname, '../src/main.ts')
/** From the environment of this process, only what selects a deletion (tools/mutation/deletions.switch.mjs). */
export const inherited = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^VEXIL_(DELETION|REACHED)$/.test(name)),
)

/** A folder, which is removed with all platforms in it after the tests, and functions that start them. */
export function startsIn() {
  const folder = mkdtempSync(join(tmpdir(), 'vexil start '))
  chmodSync(folder, 0o755)
  const children = new Set<ChildProcess>()

  afterAll(async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  })

  /** Starts a platform in a separate folder, by default on a free port. `files`: the limit of open files. `program`: what is started. */
  async function launch(
    env: Record<string, string>,
    args: readonly string[] = [],
    files?: number,
    program: readonly string[] = [MAIN],
  ) {
    const port = env.PORT ?? String(await freePort())
    const limited = files ? ['-c', `ulimit -n ${files}; exec "$0" "$@"`, process.execPath] : []
    const child = spawn(files ? 'sh' : process.execPath, [...limited, ...args, ...program], {
      env: { ...inherited, PATH: process.env.PATH, PORT: port, DATA_DIR: join(folder, 'data'), ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    children.add(child)
    const output = { out: '', err: '' }
    child.stdout!.on('data', (chunk: Buffer) => (output.out += chunk))
    child.stderr!.on('data', (chunk: Buffer) => (output.err += chunk))
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }))
    return { child, port, output, ended }
  }

  /** Starts a platform and waits for its start block, which follows everything else of the start. */
  async function serve(env: Record<string, string>, args: readonly string[] = [], files?: number) {
    const platform = await launch(env, args, files)
    while (!platform.output.out.includes('Ctrl-C')) {
      if (platform.child.exitCode !== null) throw new Error(platform.output.err)
      await sleep(20)
    }
    return { ...platform, pid: platform.child.pid }
  }

  async function refusal(env: Record<string, string>, status = 2): Promise<string> {
    const { code, err } = await (await launch(env)).ended
    expect(code).toBe(status)
    // One sentence, without internals.
    expect(err.trim().split('\n')).toHaveLength(1)
    return err.trim()
  }
  return { folder, launch, serve, refusal }
}
