/** What the thread of the boards makes for all readers of a board, kept packed until the board moves. */
import { GameNotFound } from '@vexil/core/rules'
import type { Asks } from './board-asks.ts'
import type { BoardClient } from './board-client.ts'
import { isEarlierBase } from './feed.view.ts'
import { type Body, type Encoding, type Finished, keepBytes } from './response-cache.ts'

export type Form = 'wire' | 'base' | 'tail' | 'start'
export interface BodyQuestion<F extends Form> {
  readonly form: F
  readonly ask: Asks[F]['ask'] & { after?: number }
  readonly version: string
}
/** Costs the copy; the first reader of a version waits for the thread and for the packing, neither of which holds others up. */
type FindBody = <F extends Form>(question: BodyQuestion<F>, encoding: Encoding) => Promise<Finished>

export function openBoardBodies(boards: Pick<BoardClient, 'ask'>): FindBody {
  // A client loads the feed because of a version that was pushed to it, and must not get an older one (decision 0003).
  const bytes = {
    wire: keepBytes({ rest: 20 }),
    base: keepBytes({ rest: 0, serves: isEarlierBase }),
    tail: keepBytes({ rest: 0 }),
    // What is shown for some seconds alone.
    start: keepBytes({ rest: 20 }),
  }
  return ({ form, ask, version }, encoding) => {
    const build = async () => {
      const body = await boards.ask(form, ask)
      if (!body) throw new GameNotFound()
      return { ...body, plain: Buffer.from(body.plain.buffer, body.plain.byteOffset, body.plain.byteLength) } as Body
    }
    return bytes[form](`${ask.gameId}.${ask.after ?? ''}`, version, build, encoding)
  }
}
