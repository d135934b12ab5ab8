/** The first opening of a dynamic challenge assigns the team its flag or file permanently. */
import { createHash, randomInt, randomUUID } from 'node:crypto'
import { challengeSalt, gameSalt, makeFlag, teamHash } from '@vexil/core/flags'
import { mustBeAbleToOpen } from '@vexil/core/participation'
import { AttachmentsExhausted, ChallengeNotFound, GameNotFound } from '@vexil/core/rules'
import {
  type ChallengeCategory,
  type ChallengeType,
  generatesFlags,
  hasAttachmentPerFlag,
  hasContainer,
  hasOwnFlags,
} from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { type Db, inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { fileUrl } from '../files/file-url.ts'
import { findGame } from '../games/games.queries.ts'
import { findPlayerAccessWith } from '../games/player-access.ts'
import { containerInfo, findLastContainer, lastEndOf, startFailureOf, startOf } from './container-info.ts'

/** Columns of the challenge, null if there is none; `mustBeAbleToOpen` then refuses. */
interface Opened {
  privateKey: string
  token: string | null
  title: string
  content: string
  category: ChallengeCategory
  type: ChallengeType
  hints: string[] | null
  flagTemplate: string | null
  originalScore: number
  fileName: string
  assigned: boolean
}

const findOpened = findPlayerAccessWith<Opened>({
  columns: sql`g.private_key, p.token, c.title, c.content, c.category, c.type, c.hints, c.flag_template, c.original_score,
      c.file_name, h.challenge_id is not null as assigned`,
  joins: sql`left join team_flags h on h.participation_id = p.id and h.challenge_id = c.id`,
})

interface File {
  type: string
  fileHash: string | null
  fileName: string | null
  remoteUrl: string | null
  size: number | null
}

async function findFile(db: Db, challengeId: number, participationId: number, type: ChallengeType): Promise<File | undefined> {
  const { rows } = await sql<File>`
    select a.type, a.file_hash, a.file_name, a.remote_url, f.size
    from attachments a
    left join files f on f.hash = a.file_hash
    where a.challenge_id = ${challengeId} and ${
      hasAttachmentPerFlag(type)
        ? sql`a.flag_id = (select flag_id from team_flags where participation_id = ${participationId} and challenge_id = ${challengeId})`
        : sql`a.flag_id is null`
    }`.execute(db)
  return rows[0]
}

interface OpenRequest {
  readonly gameId: number
  readonly challengeId: number
  readonly accountId: string
}

/** Checks access, then assigns the team's flag at the first opening. @throws as mustBeAbleToOpen, AttachmentsExhausted */
export async function enterChallenge(deps: Pick<Deps, 'db' | 'log'>, { gameId, challengeId, accountId }: OpenRequest) {
  const { play, row } = await findOpened(deps.db, { gameId, challengeId, accountId })
  const context = { ...play, challenge: play.challenge && row ? { ...play.challenge, ...row } : null }
  mustBeAbleToOpen(context)
  const { participationId, game, now, challenge } = context
  if (hasOwnFlags(challenge.type) && !challenge.assigned) await assignFlag(deps, challengeId, participationId, challenge)
  return { challenge, participationId, game, now }
}

/** @throws GameNotFound, ChallengeNotFound, as enterChallenge */
export async function openChallenge(deps: Pick<Deps, 'db' | 'log' | 'config'>, request: OpenRequest) {
  const { challengeId } = request
  // Clients expect this error before any error about the caller.
  if (challengeId <= 0) throw (await findGame(deps.db, request.gameId)) ? new ChallengeNotFound() : new GameNotFound()
  const { challenge, participationId, game } = await enterChallenge(deps, request)
  const { type } = challenge
  const file = await findFile(deps.db, challengeId, participationId, type)
  const instance = hasContainer(type) ? await findLastContainer(deps.db, { challengeId, participationId }) : undefined
  const isOpen = instance?.state === 'Pending' || instance?.state === 'Running'
  const running = instance?.state === 'Running' ? containerInfo(instance, game, deps.config) : null
  return {
    originalScore: challenge.originalScore,
    view: {
      id: challengeId,
      title: challenge.title,
      content: challenge.content,
      category: challenge.category,
      hints: challenge.hints,
      type,
      context: {
        closeTime: running?.expectStopAt ?? null,
        instanceEntry: running?.entry || null,
        tlsEntry: running?.tlsEntry ?? null,
        entries: running?.entries ?? [],
        url: file ? urlOf(file, type, challenge.fileName) : null,
        fileSize: file?.size ?? null,
        readiness: isOpen ? instance.readiness : null,
        lastEnd: instance ? lastEndOf(instance) : null,
        start: instance ? startOf(instance) : null,
        startFailure: instance ? startFailureOf(instance) : null,
      },
    },
  }
}

/** Dynamic files share the challenge's common name, so that the name does not reveal the flag. */
function urlOf(file: File, type: ChallengeType, commonName: string): string | null {
  if (file.remoteUrl !== null) return file.remoteUrl
  const name = hasAttachmentPerFlag(type) ? commonName : (file.fileName ?? commonName)
  return fileUrl(file.fileHash ?? '', name)
}

async function assignFlag(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  challengeId: number,
  participationId: number,
  row: Opened,
): Promise<void> {
  try {
    await inTransaction(db, async (tx) => {
      // Locks the challenge before its rows, as a deletion does.
      const stays = await tx.selectFrom('challenges').select('id').where('id', '=', challengeId).forKeyShare().executeTakeFirst()
      if (!stays) throw new ChallengeNotFound()
      // Members that open it concurrently wait here.
      const there = await tx
        .selectFrom('participations')
        .select('id')
        .where('id', '=', participationId)
        .forUpdate()
        .executeTakeFirst()
      if (!there) throw new ChallengeNotFound()
      const assigned = await tx
        .selectFrom('teamFlags')
        .select('flag')
        .where('participationId', '=', participationId)
        .where('challengeId', '=', challengeId)
        .executeTakeFirst()
      if (assigned) return
      const mine = generatesFlags(row.type)
        ? { flag: newFlag(challengeId, row), flagId: null }
        : await takeFreeFlag(tx, challengeId)
      await tx
        .insertInto('teamFlags')
        .values({ participationId, challengeId, ...mine })
        .execute()
    })
  } catch (error) {
    if (error instanceof AttachmentsExhausted) {
      log.write({
        level: 'Warning',
        status: 'Failed',
        name: 'System',
        message: `No dynamic attachment left for ${row.title} (#${challengeId})`,
      })
    }
    throw error
  }
}

/** A random free row; skips rows locked by other transactions. It stays assigned. */
async function takeFreeFlag(tx: Tx, challengeId: number): Promise<{ flag: string; flagId: number }> {
  const { rows } = await sql<{ id: number; flag: string }>`
    update flags set taken_at = clock_timestamp() where id = (
      select id from flags where challenge_id = ${challengeId} and taken_at is null order by random() limit 1 for update skip locked
    ) returning id, flag`.execute(tx)
  const row = rows[0]
  if (!row) throw new AttachmentsExhausted()
  return { flag: row.flag, flagId: row.id }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function newFlag(challengeId: number, { flagTemplate, privateKey, token }: Opened): string {
  return makeFlag(flagTemplate, {
    random: (n) => randomInt(n),
    makeGuid: () => randomUUID(),
    teamHash: () => teamHash(challengeSalt(gameSalt(privateKey, sha256), challengeId, sha256), token ?? '', sha256),
  })
}
