import { gameFieldsOf } from '@vexil/contract/game-fields'
import type { GameEdit } from '@vexil/contract/games'
import { parseInstant } from '@vexil/contract/wire'
import { defaultBloodBonus, gameDefaults } from '@vexil/core/limits'
import { cleanDivisions } from '@vexil/core/participation'
import { mustBeProperTimes } from '@vexil/core/phases'
import { GameNotFound, GameTimesMissing } from '@vexil/core/rules'
import { cleanBloodBonus } from '@vexil/core/scoring'
import { type Actor, audit } from '../audit.ts'
import { lockLogs } from '../db/lock-logs.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { releaseLater } from '../files/files.queries.ts'
import { makeGameKeys } from './game-keys.ts'
import { findGame, type GameRow, gameColumns } from './games.queries.ts'

type Parts = Pick<Deps, 'db' | 'bus' | 'log'>

const timeOf = (text: string | undefined): Date | null => (text === undefined ? null : parseInstant(text))

/** Columns of an edit, absent fields with their defaults; without divisions and times. */
const columnsOf = (edit: GameEdit) => ({
  title: edit.title.trim(),
  ...gameFieldsOf(edit),
  inviteCode: edit.inviteCode?.trim() ? edit.inviteCode : null,
  memberLimit: edit.teamMemberCountLimit ?? gameDefaults.memberLimit,
  containerLimit: edit.containerCountLimit ?? gameDefaults.containerLimit,
  bloodBonus: cleanBloodBonus(edit.bloodBonus ?? defaultBloodBonus),
})

/** Creates a game with its key pair. @throws GameTimesMissing, GameTimesInvalid, DivisionReserved */
export async function createGame(deps: Parts & Pick<Deps, 'secrets'>, edit: GameEdit, by: Actor): Promise<GameRow> {
  const [startsAt, endsAt] = [timeOf(edit.start), timeOf(edit.end)]
  if (!startsAt || !endsAt) throw new GameTimesMissing()
  mustBeProperTimes({ startsAt: startsAt.getTime(), endsAt: endsAt.getTime() })
  const game = await deps.db
    .insertInto('games')
    .values({
      ...columnsOf(edit),
      startsAt,
      endsAt,
      writeupDeadline: timeOf(edit.writeupDeadline) ?? endsAt,
      divisions: cleanDivisions(edit.organizations ?? []),
      ...makeGameKeys(deps.secrets.key),
    })
    .returning(gameColumns)
    .executeTakeFirstOrThrow()
  deps.bus.publish('game.changed', { gameId: game.id })
  audit(deps, by, `Created game ${game.title} (#${game.id})`)
  return game
}

/** Replaces a game; absent divisions and times remain. @throws GameNotFound, GameTimesInvalid, DivisionReserved */
export async function updateGame(deps: Parts, id: number, edit: GameEdit, by: Actor): Promise<GameRow> {
  const game = await inTransaction(deps.db, async (tx) => {
    await lockLogs(tx, { gameId: id })
    const old = await findGame(tx, id)
    if (!old) throw new GameNotFound()
    const startsAt = timeOf(edit.start) ?? old.startsAt
    const endsAt = timeOf(edit.end) ?? old.endsAt
    mustBeProperTimes({ startsAt: startsAt.getTime(), endsAt: endsAt.getTime() })
    return tx
      .updateTable('games')
      .set({
        ...columnsOf(edit),
        startsAt,
        endsAt,
        writeupDeadline: timeOf(edit.writeupDeadline) ?? old.writeupDeadline,
        divisions: edit.organizations ? cleanDivisions(edit.organizations) : old.divisions,
      })
      .where('id', '=', id)
      .returning(gameColumns)
      .executeTakeFirstOrThrow()
  })
  deps.bus.publish('game.changed', { gameId: id })
  audit(deps, by, `Changed game ${game.title} (#${id})`)
  return game
}

/** Rows of a game per statement, so that none takes as long as a statement may. */
const atOnce = 5_000

/** Until none is left: what the concurrent deletion of a challenge deletes at the same time is missing from the number of deleted rows. */
async function deleteInParts(tx: Tx, table: 'submissions' | 'gameEvents', gameId: number): Promise<void> {
  const rows = tx.selectFrom(table).select('id').where('gameId', '=', gameId)
  while (await rows.limit(1).executeTakeFirst()) await tx.deleteFrom(table).where('id', 'in', rows.limit(atOnce)).execute()
}

/** Deletes a game with all its data; its files are released within seconds (files/release-file.ts). @throws GameNotFound */
export async function deleteGame(deps: Parts, id: number, by: Actor): Promise<void> {
  const title = await inTransaction(deps.db, async (tx) => {
    await lockLogs(tx, { gameId: id })
    const game = await findGame(tx, id)
    if (!game) throw new GameNotFound()
    const files = await tx
      .selectFrom('attachments')
      .innerJoin('challenges', 'challenges.id', 'attachments.challengeId')
      .select('attachments.fileHash')
      .where('challenges.gameId', '=', id)
      .execute()
    await releaseLater(
      tx,
      [game.posterHash, ...files.map(({ fileHash }) => fileHash)].flatMap((hash) => hash ?? []),
    )
    await deleteInParts(tx, 'submissions', id)
    await deleteInParts(tx, 'gameEvents', id)
    await tx.deleteFrom('games').where('id', '=', id).execute()
    return game.title
  })
  deps.bus.publish('game.changed', { gameId: id })
  audit(deps, by, `Deleted game ${title} (#${id})`)
}
