import * as contract from '@vexil/contract/scoreboard'
import { wireTime } from '@vexil/contract/wire'
import { mustBeAbleToPlay } from '@vexil/core/participation'
import { mustHaveStarted } from '@vexil/core/phases'
import { BoardNotDrawn, GameNotFound, GameUnknown, RuleError } from '@vexil/core/rules'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { openChallenge } from '../challenges/open-challenge.ts'
import type { Deps } from '../deps.ts'
import { disposition } from '../files/delivery.ts'
import { sheetFileName } from '../files/file-names.ts'
import { sheetType } from '../files/sheet.ts'
import { findGame } from '../games/games.queries.ts'
import { varyBy } from '../http/compress.ts'
import { isHeld } from '../http/conditional.ts'
import { encodingOf } from '../http/encoding.ts'
import { type Http, route } from '../http/route.ts'
import { type Asks, type BoardState, tailVersion, versionOf } from './board-asks.ts'
import type { BoardClient } from './board-client.ts'
import { findPlayer, listPracticeSolves } from './details.queries.ts'
import { baseVersion, isEarlierBase, tailFrom } from './feed.view.ts'
import { joinGzip, joinPlain } from './gzip-concat.ts'
import { openDetails } from './own-details.ts'
import { type Body, keepBytes } from './response-cache.ts'
import { itemView } from './scoreboard.view.ts'

export function scoreboardRoutes(http: Http, deps: Deps & { readonly boards: BoardClient }): void {
  const { db, log, versions, report, boards } = deps

  // A client loads the feed because of a version that was pushed to it, and must not get an older one (decision 0003).
  const bytes = {
    wire: keepBytes({ rest: 20 }),
    base: keepBytes({ rest: 0, serves: isEarlierBase }),
    tail: keepBytes({ rest: 0 }),
    // What is shown for some seconds alone.
    start: keepBytes({ rest: 20 }),
  }

  async function shown(gameId: number): Promise<BoardState> {
    const state = await boards.state(gameId)
    if (!state) throw new GameNotFound()
    mustHaveStarted(state.game, versions.now())
    return state
  }

  type Form = 'wire' | 'base' | 'tail' | 'start'
  /** Costs the copy; the first reader of a version waits for the thread and for the packing, neither of which holds others up. */
  async function send<F extends Form>(
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    form: F,
    { ask, version }: { ask: Asks[F]['ask'] & { after?: number }; version: string },
  ): Promise<void> {
    const encoding = encodingOf(request.headers['accept-encoding'], ['br', 'gzip'])
    const build = async () => {
      const body = await boards.ask(form, ask)
      if (!body) throw new GameNotFound()
      return { ...body, plain: Buffer.from(body.plain.buffer, body.plain.byteOffset, body.plain.byteLength) } as Body
    }
    const finished = await bytes[form](`${ask.gameId}.${ask.after ?? ''}`, version, build, encoding)
    varyBy(reply.header('cache-control', 'no-cache'), 'Accept-Encoding')
    if (isHeld(request, reply, finished.tag)) reply.send()
    else {
      if (encoding !== 'identity') reply.header('content-encoding', encoding)
      reply.type('application/json; charset=utf-8').send(finished.bytes)
    }
  }

  route(http, contract.scoreboard, async ({ params, request, reply }) => {
    const state = await shown(params.id)
    await send({ request, reply }, 'wire', { ask: { gameId: params.id }, version: versionOf(state) })
  })

  route(http, contract.feed, async ({ params, query, request, reply }) => {
    const state = await shown(params.id)
    if (query.after === undefined)
      return send({ request, reply }, 'base', { ask: { gameId: params.id }, version: baseVersion(state) })
    const after = tailFrom(state.head, query.after)
    await send({ request, reply }, 'tail', { ask: { gameId: params.id, after }, version: tailVersion(state, after) })
  })

  route(http, contract.boardStart, async ({ params, query, request, reply }) => {
    const state = await shown(params.id)
    const gameId = params.id
    if (query.team === undefined) return send({ request, reply }, 'start', { ask: { gameId }, version: versionOf(state) })
    const row = await boards.ask('startRow', { gameId, teamId: query.team })
    if (!row) throw new GameNotFound()
    reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8').send(Buffer.from(row.plain))
  })

  route(http, contract.scoreboardSheet, async ({ params, language, reply }) => {
    const game = await findGame(db, params.id)
    if (!game) throw new GameUnknown()
    mustHaveStarted({ startsAt: game.startsAt.getTime(), endsAt: game.endsAt.getTime() }, versions.now())
    const time = new Date(versions.now())
    const sheet = await drawSheet({ gameId: params.id, hasDivisions: game.divisions.length > 0, language, time })
    reply
      .type(sheetType)
      .header('content-disposition', disposition('attachment', sheetFileName(game.title, 'Scoreboard', time)))
      .send(sheet)
  })

  async function drawSheet(asked: Asks['sheet']['ask']): Promise<Buffer> {
    try {
      await shown(asked.gameId)
      const sheet = await boards.ask('sheet', asked)
      if (!sheet) throw new GameNotFound()
      return Buffer.from(sheet)
    } catch (error) {
      if (error instanceof RuleError) throw error
      report(error)
      const message = `Could not create the sheet of game #${asked.gameId}: ${String(error)}`
      log.write({ level: 'Error', status: 'Failed', name: 'System', message })
      throw new BoardNotDrawn()
    }
  }

  const detailsOf = openDetails(boards.ask)

  route(http, contract.gameDetails, async ({ params, actor, request, reply }) => {
    const player = await findPlayer(db, params.id, actor.id)
    mustBeAbleToPlay(player)
    const state = await shown(params.id)
    const { game, teamCount } = state
    const participationId = player.participationId as number
    const details = await detailsOf({ gameId: params.id, participationId, version: versionOf(state) })
    if (!details) throw new GameNotFound()
    const { shared, row } = details
    // Nothing was solved after the end before it.
    const isOver = player.now >= game.endsAt
    const unlisted = () => itemView({ team: player.team, rank: 0, divisionRank: null, points: 0, lastAt: null, solves: [] })
    const own = {
      teamToken: player.teamToken,
      writeupRequired: player.writeupRequired,
      writeupDeadline: wireTime(player.writeupDeadline),
      practiceSolves: isOver ? await listPracticeSolves(db, participationId, game.endsAt) : [],
      containerCountLimit: player.containerLimit,
      participationId,
      teamCount,
    }
    const ownMembers = `"rank":${row ?? JSON.stringify(unlisted())},${JSON.stringify(own).slice(1)}`
    // Not brotli: its streams cannot be joined.
    const encoding = encodingOf(request.headers['accept-encoding'], ['gzip'])
    varyBy(reply, 'Accept-Encoding')
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    const join = encoding === 'gzip' ? joinGzip : joinPlain
    reply.type('application/json; charset=utf-8').send(join(shared, ownMembers))
  })

  route(http, contract.challengeDetail, async ({ params, actor }) => {
    const opened = await openChallenge(deps, { gameId: params.id, challengeId: params.cid, accountId: actor.id })
    const state = await boards.state(params.id)
    return { ...opened.view, score: state?.scores.get(params.cid) ?? opened.originalScore }
  })
}
