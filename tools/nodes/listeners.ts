/** Listeners of a board that reconnect after a disconnect and load what they missed, as browsers do. */
import { WebSocket } from 'ws'
import type { Seeded } from '../bench/seed.ts'

const againAfterMs = 200

export interface Listeners {
  /** Number of the last solve that each listener has. */
  heads(): readonly number[]
  /** How many connections were closed by the server. */
  cuts(): number
  close(): void
}

interface Listener {
  readonly headers: Readonly<Record<string, string>>
  head: number
  socket: WebSocket | undefined
  /** Counts loads, so that an older one does not replace a newer one. */
  loads: number
}

/** `url`: the address of the proxy. Each listener has the session of a player, so that the proxy distributes them over the nodes. */
export function openListeners(url: string, { game, actors }: Seeded, count: number): Listeners {
  let over = false
  let cut = 0
  const all: Listener[] = Array.from({ length: count }, (_, at) => {
    const { headers = {} } = actors[at % actors.length] ?? {}
    return { headers, head: -1, socket: undefined, loads: 0 }
  })

  async function load(one: Listener): Promise<void> {
    const number = ++one.loads
    try {
      const answer = await fetch(`${url}/api/game/${game}/scoreboard/feed?after=${Math.max(0, one.head)}`, {
        headers: one.headers,
      })
      if (!answer.ok) throw new Error(String(answer.status))
      const { to } = (await answer.json()) as { to: number }
      if (number === one.loads) one.head = Math.max(one.head, to)
    } catch {
      if (!over) setTimeout(() => void load(one), againAfterMs)
    }
  }

  function hear(one: Listener, frame: string): void {
    if (!frame.includes('"VexilSolves"')) return
    const { from, to } = JSON.parse(frame).arguments[0] as { from: number; to: number }
    if (from === one.head) one.head = to
    else if (to > one.head) void load(one)
  }

  function connect(one: Listener): void {
    if (over) return
    const socket = new WebSocket(`${url.replace('http', 'ws')}/hub/user?game=${game}`, { headers: one.headers })
    one.socket = socket
    let isOpen = false
    socket.on('open', () => {
      isOpen = true
      socket.send('{"protocol":"json","version":1}\x1e')
      const ping = setInterval(() => socket.send('{"type":6}\x1e'), 15_000)
      socket.on('close', () => clearInterval(ping))
    })
    socket.once('message', () => void load(one))
    socket.on('message', (data) => {
      for (const frame of String(data).split('\x1e')) hear(one, frame)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (isOpen && !over) cut++
      setTimeout(() => connect(one), againAfterMs)
    })
  }
  for (const one of all) connect(one)
  return {
    heads: () => all.map(({ head }) => head),
    cuts: () => cut,
    close() {
      over = true
      for (const { socket } of all) socket?.terminate()
    },
  }
}
