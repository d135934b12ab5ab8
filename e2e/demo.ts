/** The demo as a child process, by default without simulated players, and its logins. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { aPdf } from './pdf.ts'
import { freePort } from './platform.ts'

const MAIN = join(import.meta.dirname, '../apps/server/src/demo/main.ts')

export type Role = 'player' | 'administrator' | 'monitor'

/** IDs for the addresses of the pages. */
export interface Facts {
  readonly gameId: number
  /** A challenge that the player's team has not solved, and one that it has. */
  readonly open: number
  readonly solved: number
  /** A challenge that needs a container. */
  readonly pump: number
  readonly post: string
}

interface Login {
  readonly name: string
  readonly password: string
}

interface DemoStart {
  readonly address: string
  readonly gameId: number
  /** Whether there is an engine, and challenges that need it. */
  readonly containers: boolean
  readonly logins: Readonly<Record<Role, Login>>
}

export interface Demo {
  readonly address: string
  readonly facts: Facts
  readonly containers: boolean
  readonly logins: DemoStart['logins']
  /** Session cookies by role. */
  readonly cookies: Readonly<Record<Role, { readonly name: string; readonly value: string }>>
  stop(): Promise<void>
}

export async function startDemo(
  env: Readonly<Record<string, string>> = {},
  options: readonly string[] = ['--still'],
): Promise<Demo> {
  const child = spawn(process.execPath, [MAIN, ...options], {
    env: { ...process.env, HOST: '127.0.0.1', PORT: String(await freePort()), ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exit = once(child, 'exit')
  // Heartbeats arrive over the same channel.
  const { promise, resolve } = Promise.withResolvers<DemoStart>()
  child.on('message', (message) => {
    if (typeof message === 'object' && 'address' in message) resolve(message as DemoStart)
  })
  const start = await Promise.race([promise, exit.then(() => null)])
  if (start === null) throw new Error('The demo did not start.')
  const cookies = {
    player: await logIn(start.address, start.logins.player),
    administrator: await logIn(start.address, start.logins.administrator),
    monitor: await logIn(start.address, start.logins.monitor),
  }
  const post = await furnish(start, cookies)
  return {
    address: start.address,
    cookies,
    containers: start.containers,
    logins: start.logins,
    facts: { gameId: start.gameId, post, ...(await findChallenges(start, cookies.player)) },
    async stop() {
      child.kill('SIGTERM')
      await exit
    },
  }
}

async function logIn(address: string, { name, password }: Login) {
  const reply = await fetch(`${address}/api/account/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userName: name, password }),
  })
  const [cookie = '', value = ''] = (reply.headers.get('set-cookie') ?? '').split(';')[0]!.split('=')
  if (!reply.ok) throw new Error(`${name} could not log in: ${reply.status}`)
  return { name: cookie, value }
}

/** Adds a notice and a writeup to the demo's game. Returns the id of a post. */
async function furnish({ address, gameId }: DemoStart, { administrator, player }: Demo['cookies']): Promise<string> {
  const ask = async (who: typeof player, path: string, method = 'GET', body: string | FormData | null = null) => {
    const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
    const reply = await fetch(address + path, { method, body, headers: { cookie: `${who.name}=${who.value}`, ...type } })
    if (!reply.ok) throw new Error(`${method} ${path}: ${await reply.text()}`)
    const text = await reply.text()
    return text && JSON.parse(text)
  }
  const edit = `/api/edit/games/${gameId}`
  const info = await ask(administrator, edit)
  const changed = { ...info, writeupRequired: true, writeupNote: 'One PDF per team.' }
  await ask(administrator, edit, 'PUT', JSON.stringify(changed))
  const notice = { content: '**Two hours** are left. See [the rules](/About).' }
  await ask(administrator, `${edit}/notices`, 'POST', JSON.stringify(notice))
  const writeup = new FormData()
  writeup.append('file', new Blob([new Uint8Array(aPdf('How we did it'))], { type: 'application/pdf' }), 'file.pdf')
  await ask(player, `/api/game/${gameId}/writeup`, 'POST', writeup)
  const [first] = await ask(administrator, '/api/posts')
  return first.id
}

/** Finds an unsolved and a solved challenge; prefers those with rich content such as maths, code or an attachment. */
async function findChallenges({ address, gameId }: DemoStart, { name, value }: { name: string; value: string }) {
  const reply = await fetch(`${address}/api/game/${gameId}/details`, { headers: { cookie: `${name}=${value}` } })
  const { challenges, rank } = (await reply.json()) as {
    challenges: Record<string, { id: number; title: string }[]>
    rank: { solvedChallenges: { id: number }[] }
  }
  const done = new Set(rank.solvedChallenges.map(({ id }) => id))
  const liked = [
    'Two Keepers',
    'Foghorn UART',
    'Salted Rope',
    'Brass Sextant',
    'Ferry Ticket',
    'Shortest Strait',
    'Wet Logbook',
    'Roll Call',
    'Postcard',
  ]
  const listed = Object.values(challenges).flat()
  const find = (solved: boolean) =>
    liked.map((title) => listed.find((one) => one.title === title)!).find(({ id }) => done.has(id) === solved)
  const [open, solved] = [find(false), find(true)]
  if (!open || !solved) throw new Error('The player of the demo should have solved some challenges and not all.')
  const pump = listed.find(({ title }) => title === 'Bilge Pump')
  if (!pump) throw new Error('The demo should have a challenge with a container.')
  return { open: open.id, solved: solved.id, pump: pump.id }
}
