/** The thread that computes the boards and builds response bodies, so that large boards never block requests. It has two separate database connections. Started by board-channel.ts. */
import { type MessagePort, parentPort, type Transferable, workerData } from 'node:worker_threads'
import { coalesce } from '../coalesce.ts'
import type { DatabaseSource } from '../db/client-settings.ts'
import { openReader } from '../db/database.ts'
import { codeOf } from '../start-error.ts'
import { type Asks, type BoardState, openAsks, stateOf } from './board-asks.ts'
import { openBoardKeeper } from './board-keeper.ts'
import { listBoardPeople } from './details.queries.ts'
import type { Change } from './kept-board.ts'

export type ToThread =
  | {
      [W in keyof Asks]: { readonly kind: 'ask'; readonly id: number; readonly what: W; readonly ask: Asks[W]['ask'] }
    }[keyof Asks]
  | { readonly kind: 'hint'; readonly gameId: number }
  | { readonly kind: 'keep'; readonly games: readonly number[] }
  | { readonly kind: 'close' }

export type FromThread =
  | { readonly kind: 'answer'; readonly id: number; readonly value: Asks[keyof Asks]['answer'] | null }
  | { readonly kind: 'failed'; readonly id: number | null; readonly message: string; readonly code: string }
  | { readonly kind: 'changed'; readonly state: BoardState; readonly change: Change }
  | { readonly kind: 'removed'; readonly gameId: number }
  | { readonly kind: 'drew'; readonly ms: number }
  | { readonly kind: 'checked'; readonly boards: number; readonly begun: number }

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
  const say = coalesce<FromThread>((messages) => port.postMessage(messages, messages.flatMap(bytesIn)))
  const fail = (id: number | null) => (error: unknown) =>
    say({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error), code: codeOf(error) })
  const boards = openBoardKeeper({
    db: reader.db,
    changed: (kept, change) => say({ kind: 'changed', state: stateOf(kept), change }),
    removed: (gameId) => say({ kind: 'removed', gameId }),
    onError: fail(null),
    drew: (ms) => say({ kind: 'drew', ms }),
    checked: (boards, begun) => say({ kind: 'checked', boards, begun }),
  })
  const asks = openAsks(boards, (gameId) => listBoardPeople(reader.db, gameId))
  const hear = (message: ToThread) => {
    switch (message.kind) {
      case 'ask': {
        const { id, what, ask } = message
        const asked = asks[what] as (ask: Asks[typeof what]['ask']) => Promise<Asks[typeof what]['answer'] | null>
        asked(ask).then((value) => say({ kind: 'answer', id, value }), fail(id))
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
  port.on('message', (messages: ToThread[]) => messages.forEach(hear))
}

run(parentPort as MessagePort, (workerData as { source: DatabaseSource }).source)
