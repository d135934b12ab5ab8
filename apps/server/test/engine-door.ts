/** Stands between the platform and the engine's socket, and can be shut: the engine goes on, and the platform does not reach it. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface EngineDoor {
  /** `unix:///path`, for VEXIL_DOCKER_HOST. */
  readonly host: string
  /** `open`; `refusing` ends every connection; `silent` takes new ones and never answers. Open connections are ended by each change. */
  turn(state: 'open' | 'refusing' | 'silent'): void
  close(): void
}

export async function openEngineDoor(engine: string): Promise<EngineDoor> {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-door-'))
  const path = join(folder, 'engine.sock')
  const sockets = new Set<Socket>()
  let state: Parameters<EngineDoor['turn']>[0] = 'open'
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    return socket
  }
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    keep(socket)
    if (state === 'refusing') socket.destroy()
    if (state !== 'open') return
    const inner = keep(connect({ path: engine.replace('unix://', ''), allowHalfOpen: true }))
    socket.pipe(inner).pipe(socket)
    socket.on('close', () => inner.destroy())
    inner.on('close', () => socket.destroy())
  }).listen(path)
  await once(server, 'listening')
  return {
    host: `unix://${path}`,
    turn(next) {
      state = next
      end()
    },
    close() {
      server.close()
      end()
      rmSync(folder, { recursive: true })
    },
  }
}
