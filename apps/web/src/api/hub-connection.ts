/** A connection to a hub: negotiation, then the part of the SignalR JSON protocol that a receiver needs. */

/** Ends every message; several may share a frame, and one may span frames. */
const end = '\x1e'
const handshake = `{"protocol":"json","version":1}${end}`
const ping = `{"type":6}${end}`
/** Ping interval: the hub closes silent connections. */
const pingMs = 15_000
const closed = 'The hub closed the connection.'

interface Message {
  /** 1 invokes a target, 6 is a ping, 7 closes the connection; the hub sends listeners nothing else. */
  readonly type?: number
  readonly target?: string
  readonly arguments?: readonly unknown[]
  readonly error?: string
  readonly allowReconnect?: boolean
}

interface Options {
  /** Path of the hub with its query. */
  readonly address: string
  /** Silence in ms after which the connection counts as dead. */
  readonly silentMs: number
  readonly onMessage: (target: string, message: unknown) => void
  /** Called once when the other side closes it or it goes silent. `refused`: the hub forbids another connection. */
  readonly onClose: (refused: boolean) => void
}

async function negotiate({ address, silentMs }: Options): Promise<URL> {
  const url = new URL(address, location.href)
  const negotiation = new URL(url)
  negotiation.pathname += '/negotiate'
  negotiation.searchParams.set('negotiateVersion', '1')
  const answer = await fetch(negotiation, { method: 'POST', signal: AbortSignal.timeout(silentMs) })
  if (!answer.ok) throw new Error(`The hub answered ${answer.status}.`)
  const { connectionToken } = (await answer.json()) as { connectionToken: string }
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  url.searchParams.set('id', connectionToken)
  return url
}

/** Resolves after the handshake to a function that closes the connection; rejects when the hub is unreachable or refuses. */
export async function openHub(options: Options): Promise<() => void> {
  const { silentMs, onMessage, onClose } = options
  const socket = new WebSocket(await negotiate(options))
  return new Promise((resolve, reject) => {
    let handshakeDone = false
    let over = false
    let rest = ''
    let silence: ReturnType<typeof setTimeout>
    const pings = setInterval(() => socket.readyState === WebSocket.OPEN && socket.send(ping), pingMs)
    const stop = () => {
      over = true
      clearInterval(pings)
      clearTimeout(silence)
      socket.close()
    }
    const lose = (reason: string, refused = false) => {
      if (over) return
      stop()
      if (handshakeDone) onClose(refused)
      else reject(new Error(reason))
    }
    const listen = () => {
      clearTimeout(silence)
      silence = setTimeout(() => lose('Nothing came from the hub.'), silentMs)
    }
    const receive = ({ type, target, arguments: [message] = [], error, allowReconnect }: Message) => {
      if (error !== undefined || type === 7) return lose(error ?? closed, allowReconnect === false)
      if (type === 1 && target !== undefined) onMessage(target, message)
      if (handshakeDone) return
      handshakeDone = true
      resolve(stop)
    }
    listen()
    socket.onopen = () => socket.send(handshake)
    socket.onclose = () => lose(closed)
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      listen()
      const messages = (rest + data).split(end)
      rest = messages.pop() ?? ''
      for (const message of messages) if (!over) receive(JSON.parse(message) as Message)
    }
  })
}
