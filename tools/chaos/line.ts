/** A TCP line to a service that can be cut, slowed down or made to send garbage. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

/** `slow`: what a client sends arrives 200 ms later. `refused` and `reset` also end open connections. `silent`: nothing arrives. `garbage`: every answer is garbage. */
export type Manner = 'open' | 'slow' | 'refused' | 'reset' | 'silent' | 'garbage'

export interface Line {
  readonly port: number
  set(manner: Manner): Promise<void>
  close(): Promise<void>
}

const slowBy = 200
const nonsense = '\0\u0001 no protocol \r\n\r\n<html>'

export async function openLine(to: NetConnectOpts): Promise<Line> {
  const sockets = new Set<Socket>()
  const clients = new Set<Socket>()
  let manner: Manner = 'open'
  const server = createServer((client) => {
    if (manner === 'reset') return void client.resetAndDestroy()
    clients.add(client.once('close', () => clients.delete(client)))
    const service = connect(to)
    const end = () => {
      client.destroy()
      service.destroy()
    }
    for (const socket of [client, service]) {
      sockets.add(socket)
      socket.on('error', end).on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    client.on('data', (bytes) => {
      if (manner === 'silent') return
      if (manner === 'garbage') return void client.write(nonsense)
      if (manner === 'open') return void service.write(bytes)
      setTimeout(() => service.writable && service.write(bytes), slowBy)
    })
    service.on('data', (bytes) => manner !== 'silent' && client.writable && client.write(bytes))
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const cut = async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const port = await listen(0)
  return {
    port,
    async set(wanted) {
      if (wanted === 'refused' && server.listening) await cut()
      else if (wanted === 'reset') for (const client of clients) client.resetAndDestroy()
      else if (manner === 'silent' || manner === 'garbage') for (const socket of sockets) socket.destroy()
      manner = wanted
      if (wanted !== 'refused' && !server.listening) await listen(port)
    },
    close: async () => void (server.listening && (await cut())),
  }
}
