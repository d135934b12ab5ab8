/**
 * TLS connections to instances at `{random name}.{suffix}:{port}`: the platform ends TLS, finds the instance by the name in the handshake (SNI) and
 * passes bytes on, so that plain TCP challenges work through networks that allow few ports.
 */
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { createSecureContext, createServer, type SecureContextOptions, type Server, type TLSSocket } from 'node:tls'
import { tlsEntryLimits, tunnelLimits } from '@vexil/core/limits'
import { ProxyTargetNotFound, RuleError } from '@vexil/core/rules'
import type { Deps } from '../deps.ts'
import { every } from '../every.ts'
import { answerOf } from '../http/error-answer.ts'
import { stopListening } from '../http/stop-listening.ts'
import { openSemaphore } from '../semaphore.ts'
import { StartError } from '../start-error.ts'
import type { End } from './pcap.ts'
import { readProxyHeader } from './proxy-protocol.ts'
import { findByHostName } from './tunnels.queries.ts'
import type { Tunnels } from './tunnels.ts'

export interface TlsEntry {
  /** Listens, with `reusePort` where several processes do. @throws StartError */
  listen(options: { readonly reusePort: boolean }): Promise<void>
  /** Listens no longer; open connections remain. */
  stopListening(): Promise<void>
  close(): Promise<void>
}

interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

/** `use` gets the content of the files when they have changed. */
function openCertificate(files: CertificateFiles, use: (changed: SecureContextOptions) => void): { read(): Promise<void> } {
  let seen = ''
  return {
    async read() {
      const times = (await Promise.all([stat(files.cert), stat(files.key)])).map(({ mtimeMs }) => mtimeMs).join()
      if (times === seen) return
      const [cert, key] = await Promise.all([readFile(files.cert), readFile(files.key)])
      // Throws for a pair that does not match, which is read again at the next turn.
      createSecureContext({ cert, key })
      use({ cert, key })
      seen = times
    },
  }
}

/** The first label of a name below the suffix, in lower case; null for any other name. */
export function labelOf(name: string, suffix: string): string | null {
  const [label, ...rest] = name.toLowerCase().split('.')
  return label && rest.join('.') === suffix ? label : null
}

export interface TlsEntryConfig extends CertificateFiles {
  readonly suffix: string
  readonly host: string
  readonly port: number
  /** Whether a line of the PROXY protocol precedes each connection; null: no. Connections from untrusted addresses are closed. */
  readonly proxyProtocol: { readonly isTrusted: (address: string) => boolean } | null
}

/** Counts handshakes under way, and closes connections above the limit. */
function limitHandshakes(server: Server): void {
  let handshakes = 0
  // Each connection ends its handshake with exactly one of the two later events.
  server.on('connection', (socket) => {
    handshakes++
    if (handshakes > tlsEntryLimits.handshakes) socket.destroy()
  })
  server.on('secureConnection', () => handshakes--)
  server.on('tlsClientError', (_error, socket) => {
    handshakes--
    socket.destroy()
  })
}

/** Listens in front of the TLS server, reads who the client is, and hands the connection over. */
function readClients(server: Server, isTrusted: (address: string) => boolean) {
  /** By address and port of the proxy's end. */
  const clients = new Map<string, End>()
  const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  const pending = new Set<Socket>()
  const front = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy())
    if (pending.size >= tlsEntryLimits.handshakes || !isTrusted(socket.remoteAddress ?? '')) return void socket.destroy()
    pending.add(socket)
    const late = setTimeout(() => socket.destroy(), tlsEntryLimits.handshakeWithin)
    readProxyHeader(socket)
      .then((client) => {
        const key = keyOf(socket)
        if (client) clients.set(key, client)
        socket.on('close', () => clients.delete(key))
        server.emit('connection', socket)
      })
      .catch(() => socket.destroy())
      .finally(() => {
        pending.delete(socket)
        clearTimeout(late)
      })
  })
  return { front, pending, clientOf: (socket: Socket) => clients.get(keyOf(socket)) }
}

const ownAddress = ({ remoteAddress, remotePort }: Socket): End => ({ address: remoteAddress ?? '', port: remotePort ?? 0 })

export function openTlsEntry(deps: Pick<Deps, 'db' | 'log' | 'onError'>, tunnels: Tunnels, config: TlsEntryConfig): TlsEntry {
  const { db, log, onError } = deps
  // Callers have no account to count by; few lookups at once, so that guesses cannot overload the database.
  const semaphore = openSemaphore(tlsEntryLimits.lookups, tlsEntryLimits.waiting)
  /** Also those in their handshake. */
  const open = new Set<Socket>()

  async function connect(client: TLSSocket): Promise<void> {
    const label = labelOf(client.servername || '', config.suffix)
    const found = label === null ? undefined : await semaphore(() => findByHostName(db, label))
    if (!found) throw new ProxyTargetNotFound()
    const admitted = await tunnels.admit(found.id, found)
    if (client.destroyed) return admitted.abandon()
    const container = tunnels.relay(admitted, proxied?.clientOf(client) ?? ownAddress(client))
    // It is not known whether the client has left or only ended its side: the container has some time to send more.
    client.on('end', () => container.setTimeout(tunnelLimits.lingers))
    client.on('close', () => container.destroy())
    container.on('close', () => client.destroySoon())
    client.pipe(container).pipe(client)
  }

  function serve(client: TLSSocket): void {
    // Not before: a connection that ends during its handshake would count until the time limit.
    client.allowHalfOpen = true
    client.on('error', () => client.destroy())
    connect(client).catch((error) => {
      if (!(error instanceof RuleError)) onError(error)
      // Unread bytes would turn the close into a reset, and the text would be lost.
      client.resume().write(`${answerOf(error, 'en_US', '').body.title}\n`)
      client.destroySoon()
    })
  }

  const server = createServer({ handshakeTimeout: tlsEntryLimits.handshakeWithin }, serve)
  server.on('connection', (socket: Socket) => open.add(socket.on('close', () => open.delete(socket))))
  limitHandshakes(server)
  const proxied = config.proxyProtocol && readClients(server, config.proxyProtocol.isTrusted)
  const listening = proxied?.front ?? server
  const certificate = openCertificate(config, (changed) => server.setSecureContext(changed))
  let warned = ''
  /** The previous certificate stays until the files can be read. One warning for each reason. */
  async function renew(): Promise<void> {
    try {
      await certificate.read()
      warned = ''
    } catch (error) {
      const message = `Could not renew the certificate of VEXIL_CONTAINER_TLS: ${(error as Error).message}`
      if (message !== warned) log.write({ level: 'Warning', status: 'Failed', name: 'System', message })
      warned = message
    }
  }
  const renewing = every(tlsEntryLimits.certificateEvery, renew, onError)

  return {
    async listen({ reusePort }) {
      try {
        await certificate.read()
        listening.listen({ host: config.host, port: config.port, reusePort })
        await once(listening, 'listening')
      } catch (error) {
        throw new StartError(`Cannot accept TLS connections to instances: ${(error as Error).message}`)
      }
    },
    async stopListening() {
      if (listening.listening) await stopListening(listening)
    },
    async close() {
      await renewing.close()
      for (const client of [...open, ...(proxied?.pending ?? [])]) client.destroy()
      await new Promise<void>((resolve) => listening.close(() => resolve()))
    },
  }
}
