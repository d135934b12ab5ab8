/** The thread that computes the boards and builds response bodies, so that large boards never block requests. It has two separate database connections. Started by board-channel.ts. */
import { type MessagePort, parentPort, type Transferable, workerData } from 'node:worker_threads'
import { coalesce } from '../coalesce.ts'
import type { DatabaseSource } from '../db/client-settings.ts'
import { openReader } from '../db/database.ts'
import { codeOf } from '../start-error.ts'
import { openBoardKeeper } from './board-keeper.ts'
import { type BoardRequests, type BoardState, openRequestHandlers, stateOf } from './board-requests.ts'
import { listBoardPeople } from './details.queries.ts'
import type { Change } from './kept-board.ts'

export type ToThread =
  | {
      [W in keyof BoardRequests]: {
        readonly kind: 'request'
        readonly id: number
        readonly what: W
        readonly params: BoardRequests[W]['params']
      }
    }[keyof BoardRequests]
  | { readonly kind: 'hint'; readonly gameId: number }
  | { readonly kind: 'keep'; readonly games: readonly number[] }
  | { readonly kind: 'close' }

export type FromThread =
  | { readonly kind: 'answer'; readonly id: number; readonly value: BoardRequests[keyof BoardRequests]['answer'] | null }
  | { readonly kind: 'failed'; readonly id: number | null; readonly message: string; readonly code: string }
  | { readonly kind: 'changed'; readonly state: BoardState; readonly change: Change }
  | { readonly kind: 'removed'; readonly gameId: number }
  | { readonly kind: 'drew'; readonly ms: number }
  | { readonly kind: 'checked'; readonly boards: number; readonly startedAt: number }

/** The bytes of bodies and the columns of standings are transferred, not copied. */
function bytesIn(message: FromThread): Transferable[] {
  const value = message.kind === 'answer' ? message.value : null
  if (value && 'board' in value) return value.board ? Object.values(value.board.standings).map(({ buffer }) => buffer) : []
  const bytes = value instanceof Uint8Array ? value : value && 'plain' in value ? value.plain : null
  return bytes && bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer as ArrayBuffer] : []
}

function run(port: MessagePort, source: DatabaseSource): void {
  const reader = openReader(source, { size: 2, name: 'vexil boards' })
  // One queue preserves the order: no older response overtakes a state.
  const send = coalesce<FromThread>((messages) => port.postMessage(messages, messages.flatMap(bytesIn)))
  const fail = (id: number | null) => (error: unknown) =>
    send({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error), code: codeOf(error) })
  const boards = openBoardKeeper({
    db: reader.db,
    changed: (kept, change) => send({ kind: 'changed', state: stateOf(kept), change }),
    removed: (gameId) => send({ kind: 'removed', gameId }),
    onError: fail(null),
    drew: (ms) => send({ kind: 'drew', ms }),
    checked: (boards, startedAt) => send({ kind: 'checked', boards, startedAt }),
  })
  const handlers = openRequestHandlers(boards, (gameId) => listBoardPeople(reader.db, gameId))
  const receive = (message: ToThread) => {
    switch (message.kind) {
      case 'request': {
        const { id, what, params } = message
        const handle = handlers[what] as (
          params: BoardRequests[typeof what]['params'],
        ) => Promise<BoardRequests[typeof what]['answer'] | null>
        handle(params).then((value) => send({ kind: 'answer', id, value }), fail(id))
        break
      }
      case 'hint':
        boards.refresh(message.gameId).catch(fail(null))
        break
      case 'keep':
        boards.keep(message.games)
        break
      case 'close':
        boards.close()
        reader.close().finally(() => port.close())
    }
  }
  port.on('message', (messages: ToThread[]) => messages.forEach(receive))
}

run(parentPort as MessagePort, (workerData as { source: DatabaseSource }).source)
