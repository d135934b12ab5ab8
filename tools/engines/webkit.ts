/** WebKitGTK's MiniBrowser on a separate display, driven by WebDriver over HTTP. A driver holds one session, so each tab has a driver. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../e2e/platform.ts'
import { type Engine, type Tab, viewport } from './browser-engine.ts'

const READY_WITHIN = 20_000

type Command = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<unknown>

export async function openWebKit(): Promise<Engine> {
  const xvfb = spawn('/usr/bin/Xvfb', ['-displayfd', '3', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const failed = once(xvfb, 'exit').then(() => Promise.reject(new Error('Xvfb does not start')))
  const [number] = (await Promise.race([once(xvfb.stdio[3]!, 'data'), failed])) as [Buffer]
  const display = `:${String(number).trim()}`
  const drivers: ChildProcess[] = []
  const sessions: Command[] = []
  return {
    async openTab() {
      const port = await freePort()
      drivers.push(startDriver(port, display))
      const session = await openSession(port)
      sessions.push(session)
      return tabOf(session)
    },
    async close() {
      await Promise.allSettled(sessions.map((session) => session('DELETE', '')))
      for (const process of [...drivers, xvfb]) process.kill()
    },
  }
}

function startDriver(port: number, display: string): ChildProcess {
  // With C.UTF-8 the language of the pages would be "C", which is not a language.
  const env = { ...process.env, DISPLAY: display, LC_ALL: 'C', LIBGL_ALWAYS_SOFTWARE: '1', NO_AT_BRIDGE: '1' }
  return spawn('/usr/bin/WebKitWebDriver', ['--host=127.0.0.1', `--port=${port}`], { env, stdio: 'ignore' })
}

/** Sends commands to the driver at `base`; returns the answers' values, or throws with the driver's message. */
function commandsTo(base: string): Command {
  return async (method, path, body) => {
    const answer = await fetch(base + path, {
      method,
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
      signal: AbortSignal.timeout(60_000),
    })
    const { value } = (await answer.json()) as { value: unknown }
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`)
    return value
  }
}

async function openSession(port: number): Promise<Command> {
  const driver = commandsTo(`http://127.0.0.1:${port}`)
  for (const end = Date.now() + READY_WITHIN; ; await sleep(100)) {
    const ready = await driver('GET', '/status').catch((error: Error) => error)
    if (!(ready instanceof Error)) break
    if (Date.now() > end) throw ready
  }
  const { sessionId } = (await driver('POST', '/session', { capabilities: {} })) as { sessionId: string }
  const session = commandsTo(`http://127.0.0.1:${port}/session/${sessionId}`)
  await session('POST', '/window/rect', { x: 0, y: 0, ...viewport })
  return session
}

function tabOf(session: Command): Tab {
  const act = (source: Readonly<Record<string, unknown>>) => session('POST', '/actions', { actions: [source] })
  return {
    goto: async (url) => void (await session('POST', '/url', { url })),
    evaluate: (expression) => session('POST', '/execute/sync', { script: `return (${expression})`, args: [] }),
    async click(x, y) {
      const [pointerDown, pointerUp] = ['pointerDown', 'pointerUp'].map((type) => ({ type, button: 0 }))
      const actions = [{ type: 'pointerMove', duration: 0, origin: 'viewport', x, y }, pointerDown, pointerUp]
      await act({ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions })
    },
    async type(text) {
      const actions = [...text].flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })))
      await act({ type: 'key', id: 'keyboard', actions })
    },
    screenshot: async () => Buffer.from((await session('GET', '/screenshot')) as string, 'base64'),
  }
}
