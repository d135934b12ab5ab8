/** Caches the compressed responses that are the same for all readers of a board, per version. */
import { GameNotFound } from '@vexil/core/rules'
import type { BoardClient } from './board-client.ts'
import type { BoardRequests } from './board-requests.ts'
import { isEarlierBase } from './feed.view.ts'
import { type Body, type Encoding, type Finished, keepBytes } from './response-cache.ts'

export type Form = 'wire' | 'base' | 'tail' | 'start'
export interface BodyRequest<F extends Form> {
  readonly form: F
  readonly params: BoardRequests[F]['params'] & { after?: number }
  readonly version: string
}
/** Costs a copy; the first reader of a version waits for the thread and the compression, which block no other request. */
type FindBody = <F extends Form>(question: BodyRequest<F>, encoding: Encoding) => Promise<Finished>

export function openBoardBodies(boards: Pick<BoardClient, 'request'>): FindBody {
  // Clients load the feed for a version that was pushed to them, and must not receive an older one (decision 0003).
  const bytes = {
    wire: keepBytes({ rest: 20 }),
    base: keepBytes({ rest: 0, serves: isEarlierBase }),
    tail: keepBytes({ rest: 0 }),
    // The start screen is shown only for some seconds, so an older version is acceptable.
    start: keepBytes({ rest: 20 }),
  }
  return ({ form, params, version }, encoding) => {
    const build = async () => {
      const body = await boards.request(form, params)
      if (!body) throw new GameNotFound()
      return { ...body, plain: Buffer.from(body.plain.buffer, body.plain.byteOffset, body.plain.byteLength) } as Body
    }
    return bytes[form](`${params.gameId}.${params.after ?? ''}`, version, build, encoding)
  }
}
