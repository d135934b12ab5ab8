/** The processes of one node, from outside: which exist, and which of them has a connection (Linux only). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { vi } from 'vitest'

/** Empty if the process has ended. */
const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

export const commandOf = (pid: number): string => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()

/** Whether a process runs. A zombie does not. */
export const runs = (pid: number): boolean => commandOf(pid) !== ''

export const furtherOf = (first: number): number[] =>
  read(`/proc/${first}/task/${first}/children`)
    .split(' ')
    .map(Number)
    .filter((pid) => commandOf(pid).includes('worker-process.ts'))

function hasSocket(pid: number, inode: string): boolean {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).some((fd) => readlinkSync(`${folder}/${fd}`) === `socket:[${inode}]`)
  } catch {
    return false
  }
}

const hex = (port: number) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`

/** Ports on which a process listens for TCP, ascending. */
export const portsOf = (pid: number): number[] =>
  ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap((path) => read(path).split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode = '']) => state === '0A' && hasSocket(pid, inode))
    .map(([, local = '']) => Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16))
    .sort((a, b) => a - b)

/** Which of these processes has the other end of a connection on this machine; undefined: none yet. */
export function holderOf({ localPort, remotePort }: Socket, pids: readonly number[]): number | undefined {
  const rows = read('/proc/net/tcp').split('\n')
  const row = rows.map((line) => line.trim().split(/\s+/)).find(isOther)
  return pids.find((pid) => hasSocket(pid, row?.[9] ?? ''))

  function isOther([, local = '', remote = '']: string[]): boolean {
    return local.endsWith(hex(remotePort as number)) && remote.endsWith(hex(localPort as number))
  }
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  readonly body: any
}

/** One connection that is kept: every request over it is answered by the same process. */
export interface Door {
  readonly pid: number
  ask(method: string, path: string, options?: { body?: unknown; headers?: Record<string, string> }): Promise<Answered>
  close(): void
}

/** Sends requests over a connection of this agent, or over a new one. */
export function askOver(url: string, agent: Agent | false): Door['ask'] {
  return (method, path, { body, headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const content = body === undefined ? {} : { 'content-type': 'application/json' }
      const sent = request(url + path, { agent, method, headers: { ...content, ...headers } }, async (answer) => {
        const text = (await answer.setEncoding('utf8').toArray()).join('')
        const isJson = answer.headers['content-type']?.includes('json') && text !== ''
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: isJson ? JSON.parse(text) : text })
      })
      sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
    })
}

async function openDoor(url: string, pids: readonly number[]): Promise<Door | null> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = askOver(url, agent)
  await ask('GET', '/healthz')
  const [socket] = Object.values(agent.freeSockets).flat()
  const pid = socket && holderOf(socket, pids)
  return pid ? { pid, ask, close: () => agent.destroy() } : null
}

/** A connection to each of these processes, as soon as all of them listen. */
export async function doorsTo(url: string, pids: readonly number[]): Promise<Door[]> {
  const doors = new Map<number, Door>()
  await vi.waitFor(
    async () => {
      const door = await openDoor(url, pids)
      if (door && !doors.has(door.pid)) doors.set(door.pid, door)
      else door?.close()
      if (doors.size < pids.length) throw new Error('not all processes have answered')
    },
    { timeout: 60_000, interval: 20 },
  )
  return pids.map((pid) => doors.get(pid) as Door)
}
