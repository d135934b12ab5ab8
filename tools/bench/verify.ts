/** Checks that the answers of the platform are right after a run. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Feed, Scoreboard } from '@vexil/contract/scoreboard'
import type { BoardColumn, BoardRow } from '@vexil/core/scoreboard'
import { sql } from 'kysely'
import type { Database } from '../../apps/server/src/db/database.ts'
import { itemView } from '../../apps/server/src/scoreboard/scoreboard.view.ts'
import { type Platform, startPlatform } from '../../e2e/platform.ts'
import { environment } from './databases.ts'
import { openOnce, type Target } from './target.ts'

/** The web's own code (apps/web/src/api/board.ts), whose types need those of a browser. */
interface WebBoard {
  openFeed(feed: unknown): object
  addTail(state: object, tail: unknown): { readonly rows: readonly BoardRow[]; readonly columns: readonly BoardColumn[] } | null
}

/** The longest time that an outdated body is cached (response-cache.ts), plus time to create the new one. */
const restMs = 20_000

/** Whether the rows and columns that a browser draws from feed and tail are equal to those of the board in the API. */
async function isDrawnAlike({ url }: Platform, game: number): Promise<boolean> {
  const web: WebBoard = await import(new URL('../../apps/web/src/api/board.ts', import.meta.url).href)
  const get = async (form: string) => (await fetch(`${url}/api/game/${game}/${form}`)).json()
  const [wire, feed] = [(await get('scoreboard')) as Scoreboard, (await get('scoreboard/feed')) as Feed]
  const drawn = web.addTail(web.openFeed(feed), await get(`scoreboard/feed?after=${feed.head}`))
  if (!drawn) return false
  const columns = Object.values(wire.challenges).flatMap((list) => list ?? [])
  return (
    isDeepStrictEqual(JSON.parse(JSON.stringify(drawn.rows.map(itemView))), wire.items) &&
    isDeepStrictEqual(
      drawn.columns.map(({ id, title, value, solved, bloods }) => [id, title, value, solved, bloods.map(({ team }) => team.id)]),
      columns.map(({ id, title, score, solved, bloods }) => [id, title, score, solved, bloods.map((blood) => blood.id)]),
    )
  )
}

/** Retries: a body that is slow to create is cached for some seconds. */
async function isSoon(ask: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + restMs; ; await sleep(1000)) {
    if (await ask()) return true
    if (performance.now() > end) return false
  }
}

/** Number of answers in the database. */
export async function countStored({ db }: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from submissions`.execute(db)
  return rows[0]?.count ?? 0
}

/** Compares every form of the board on both nodes, and the number of stored answers with that of acknowledged ones. */
export async function verify(
  { platform, seeded, stored: { acknowledged, cutOff } }: Pick<Target, 'platform' | 'seeded' | 'stored'>,
  url: string,
  database: Database,
  before: number,
): Promise<void> {
  const stored = (await countStored(database)) - before
  const other = await startPlatform({ env: environment(url) })
  try {
    // The first request after a new base is due gets the previous one while the new one is created.
    await openOnce(Number(new URL(platform.url).port), `/api/game/${seeded.game}/scoreboard/feed`)
    await sleep(2000)
    const forms = ['scoreboard', 'scoreboard/feed', 'scoreboard/feed?after=0']
    // The tail of the second node starts at the end of its base.
    const base = (await (await fetch(`${other.url}/api/game/${seeded.game}/scoreboard/feed`)).json()) as { head: number }
    forms.push(`scoreboard/feed?after=${base.head}`)
    let different = 0
    const areSame = async (form: string) => {
      const [one, two] = await Promise.all(
        [platform, other].map(async ({ url }) =>
          Buffer.from(await (await fetch(`${url}/api/game/${seeded.game}/${form}`)).arrayBuffer()),
        ),
      )
      return one?.equals(two as Buffer) === true
    }
    for (const form of forms) {
      if (await isSoon(() => areSame(form))) continue
      different++
      console.log(`DIFFERENT: ${form}`)
    }
    if (!(await isSoon(() => isDrawnAlike(platform, seeded.game)))) {
      different++
      console.log('DIFFERENT: what a browser draws from feed and tail')
    }
    forms.push('browser')
    const lost = stored < acknowledged || stored > acknowledged + cutOff
    console.log(
      `\n${forms.length - different} of ${forms.length} forms of the board are right: those of a second node that drew them from nothing, and what a browser draws. ${acknowledged} answers came, ${stored} are stored (up to ${cutOff} were cut off by the generator)${lost ? ': WRONG' : ''}.`,
    )
    if (different > 0 || lost) process.exitCode = 1
  } finally {
    await other.stop()
  }
}
