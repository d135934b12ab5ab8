/** A mail server for tests: STARTTLS with a self-signed certificate, a login, and refusals on demand. */
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'

/** How long a mail may take to arrive, in ms. */
const PATIENCE = 10_000

export interface ReceivedMail {
  readonly envelope: { readonly from: string; readonly to: string }
  /** By lower-case name, decoded. */
  readonly headers: Record<string, string>
  readonly text: string
  readonly html: string
  readonly encrypted: boolean
  readonly user: string | undefined
}

export interface MailServer {
  readonly port: number
  readonly received: ReceivedMail[]
  /** Open connections. */
  connections(): number
  /** The first mail to this address that was not returned yet. */
  next(to: string): Promise<ReceivedMail>
  stop(): Promise<void>
}

interface Options {
  readonly port?: number
  readonly login?: { readonly user: string; readonly password: string }
  /** The answer to the recipient or to the whole mail; null accepts it. */
  readonly answer?: (to: string) => { code: number; message: string } | null
  /** The answer to the sender. */
  readonly answerSender?: (from: string) => { code: number; message: string } | null
  /** Answers the mail itself only after this time. */
  readonly delayMs?: number
}

export async function startMailServer({
  port = 0,
  login,
  answer = () => null,
  answerSender = () => null,
  delayMs = 0,
}: Options = {}): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const delivered = new Set<ReceivedMail>()
  const server = new SMTPServer({
    logger: false,
    // The platform keeps its connection open; a server that stops does not wait for it.
    closeTimeout: 100,
    authOptional: !login,
    ...(!login && { disabledCommands: ['AUTH'] }),
    onAuth({ username, password }, _session, callback) {
      if (username === login?.user && password === login?.password) return callback(null, { user: username })
      callback(Object.assign(new Error('5.7.8 Authentication credentials invalid'), { responseCode: 535 }))
    },
    onMailFrom({ address }, _session, callback) {
      const refusal = answerSender(address)
      callback(refusal && Object.assign(new Error(refusal.message), { responseCode: refusal.code }))
    },
    onRcptTo({ address }, _session, callback) {
      const refusal = answer(address)
      callback(refusal && Object.assign(new Error(refusal.message), { responseCode: refusal.code }))
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          ...readMail(Buffer.concat(chunks).toString('latin1')),
          envelope: { from: mailFrom ? mailFrom.address : '', to: rcptTo[0]?.address ?? '' },
          encrypted: session.secure,
          user: session.user as string | undefined,
        })
        setTimeout(callback, delayMs)
      })
    },
  })
  // The tests include clients that disconnect in the middle of a session.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    connections: () => server.connections.size,
    async next(to) {
      for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(50)) {
        const mail = received.find((one) => one.envelope.to === to && !delivered.has(one))
        if (!mail) continue
        delivered.add(mail)
        return mail
      }
      throw new Error(`no mail to ${to}`)
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The link in a mail, with its two values as clients read them. */
export function linkIn({ text }: Pick<ReceivedMail, 'text'>): { address: string; path: string; token: string; email: string } {
  const address = /https?:\/\/\S+/.exec(text)?.[0] ?? ''
  const { pathname, searchParams } = new URL(address)
  return { address, path: pathname, token: searchParams.get('token') ?? '', email: searchParams.get('email') ?? '' }
}

// ---- reading a mail

const quoted = (text: string) =>
  Buffer.from(
    text
      .replaceAll(/=\r?\n/g, '')
      .replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )

function words(value: string): string {
  return value
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      (kind.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : quoted(text.replaceAll('_', ' '))).toString('utf8'),
    )
}

function split(raw: string): { headers: Record<string, string>; body: string } {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), words(line.slice(line.indexOf(':') + 1).trim())]),
  )
  return { headers, body: raw.slice(end + 4) }
}

function readMail(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html'> {
  const { headers, body } = split(raw)
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] as string
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => split(part.replace(/^\r\n/, '')))
  const read = (type: string) => {
    const part = parts.find((one) => one.headers['content-type']?.startsWith(type))
    const encoding = part?.headers['content-transfer-encoding']
    const bytes =
      encoding === 'base64'
        ? Buffer.from(part?.body ?? '', 'base64')
        : encoding === 'quoted-printable'
          ? quoted(part?.body ?? '')
          : Buffer.from(part?.body ?? '', 'latin1')
    return bytes.toString('utf8').replaceAll('\r\n', '\n')
  }
  return { headers, text: read('text/plain'), html: read('text/html') }
}
