import * as contract from '@vexil/contract/scoreboard'
import { wireTime } from '@vexil/contract/wire'
import { mustBeAbleToPlay } from '@vexil/core/participation'
import { mustHaveStarted } from '@vexil/core/phases'
import { BoardNotDrawn, GameNotFound, GameUnknown, RuleError } from '@vexil/core/rules'
import { rowOf, scoreNow } from '@vexil/core/scoreboard'
import type { Language } from '@vexil/core/vocabulary'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { openChallenge } from '../challenges/open-challenge.ts'
import type { Deps } from '../deps.ts'
import { disposition } from '../files/delivery.ts'
import { sheetFileName } from '../files/file-names.ts'
import { sheetStream, sheetType } from '../files/sheet.ts'
import { findGame } from '../games/games.queries.ts'
import { varyBy } from '../http/compress.ts'
import { isHeld } from '../http/conditional.ts'
import { encodingOf } from '../http/encoding.ts'
import { type Http, route } from '../http/route.ts'
import { boardSheet } from './board-sheet.ts'
import { findPlayer, listBoardPeople, listPracticeSolves } from './details.queries.ts'
import { feedView } from './feed.view.ts'
import { keepBytes } from './finished-bytes.ts'
import { joinGzip, joinPlain, makeShared, type SharedPart } from './joined-bytes.ts'
import type { Boards, KeptBoard } from './keep-board.ts'
import { challengesView, itemView, scoreboardView } from './scoreboard.view.ts'

export function scoreboardRoutes(http: Http, deps: Deps & { readonly boards: Boards }): void {
  const { db, log, versions, report, boards } = deps

  // A client loads the feed because of a version that was pushed to it, and must not get an older one (decision 0003).
  const bytes = { wire: keepBytes(20), feed: keepBytes(0) }

  async function shown(gameId: number): Promise<KeptBoard> {
    const kept = await boards.get(gameId)
    if (!kept) throw new GameNotFound()
    mustHaveStarted(kept.game, versions.now())
    return kept
  }

  async function send(request: FastifyRequest, reply: FastifyReply, form: 'wire' | 'feed', kept: KeptBoard): Promise<void> {
    const { epoch, head, roster } = kept.log
    const encoding = encodingOf(request.headers['accept-encoding'], ['br', 'gzip'])
    const version = `${epoch}.${head}.${roster}`
    const finished = await bytes[form](
      kept.game.id,
      version,
      () => (form === 'wire' ? scoreboardView(kept) : feedView(kept)),
      encoding,
    )
    varyBy(reply.header('cache-control', 'no-cache'), 'Accept-Encoding')
    if (isHeld(request, reply, finished.tag)) reply.send()
    else {
      if (encoding !== 'identity') reply.header('content-encoding', encoding)
      reply.type('application/json; charset=utf-8').send(finished.bytes)
    }
  }

  route(http, contract.scoreboard, async ({ params, request, reply }) => send(request, reply, 'wire', await shown(params.id)))
  route(http, contract.feed, async ({ params, request, reply }) => send(request, reply, 'feed', await shown(params.id)))

  route(http, contract.scoreboardSheet, async ({ params, language, reply }) => {
    const game = await findGame(db, params.id)
    if (!game) throw new GameUnknown()
    mustHaveStarted({ startsAt: game.startsAt.getTime(), endsAt: game.endsAt.getTime() }, versions.now())
    const sheet = await drawSheet(params.id, { hasDivisions: game.divisions.length > 0, language })
    const time = new Date(versions.now())
    reply
      .type(sheetType)
      .header('content-disposition', disposition('attachment', sheetFileName(game.title, 'Scoreboard', time)))
      .send(sheetStream({ ...sheet, time }))
  })

  async function drawSheet(gameId: number, options: { hasDivisions: boolean; language: Language }) {
    try {
      const people = await listBoardPeople(db, gameId)
      return boardSheet(await shown(gameId), { people, ...options })
    } catch (error) {
      if (error instanceof RuleError) throw error
      report(error)
      const message = `The sheet of game #${gameId} could not be made: ${String(error)}`
      log.write({ level: 'Error', status: 'Failed', name: 'System', message })
      throw new BoardNotDrawn()
    }
  }

  const shared = new Map<number, SharedPart>()
  /** The challenges of a game as everybody sees them. Made once for each version of the board. */
  function sharedDetails(kept: KeptBoard): SharedPart {
    const { epoch, head, roster } = kept.log
    const version = `${epoch}.${head}.${roster}`
    const known = shared.get(kept.game.id)
    if (known?.version === version) return known
    const made = makeShared(version, challengesView(kept))
    shared.delete(kept.game.id)
    shared.set(kept.game.id, made)
    if (shared.size > 64) shared.delete(shared.keys().next().value as number)
    return made
  }

  route(http, contract.gameDetails, async ({ params, actor, request, reply }) => {
    const player = await findPlayer(db, params.id, actor.id)
    mustBeAbleToPlay(player)
    const kept = await shown(params.id)
    const participationId = player.participationId as number
    const row = rowOf(kept.board, participationId)
    // Nothing was solved after the end before it.
    const isOver = player.now >= kept.game.endsAt
    const own = {
      rank: itemView(row ?? { team: player.team, rank: 0, divisionRank: null, points: 0, lastAt: null, solves: [] }),
      teamToken: player.teamToken,
      writeupRequired: player.writeupRequired,
      writeupDeadline: wireTime(player.writeupDeadline),
      practiceSolves: isOver ? await listPracticeSolves(db, participationId, kept.game.endsAt) : [],
      containerCountLimit: player.containerLimit,
      participationId,
      teamCount: kept.board.rows.size,
    }
    // Not brotli: its streams cannot be joined.
    const encoding = encodingOf(request.headers['accept-encoding'], ['gzip'])
    varyBy(reply, 'Accept-Encoding')
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    const join = encoding === 'gzip' ? joinGzip : joinPlain
    reply.type('application/json; charset=utf-8').send(join(sharedDetails(kept), own))
  })

  route(http, contract.challengeDetail, async ({ params, actor }) => {
    const opened = await openChallenge(deps, { gameId: params.id, challengeId: params.cid, accountId: actor.id })
    const kept = await boards.get(params.id)
    return { ...opened.view, score: (kept && scoreNow(kept.board, params.cid)) ?? opened.originalScore }
  })
}
