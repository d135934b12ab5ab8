import type { ChallengeEdit } from '@vexil/contract/challenges'
import { cleanTemplate, mustBeGoodTemplate } from '@vexil/core/flags'
import { phaseOf } from '@vexil/core/phases'
import { CaptureNeedsContainer, ChallengeHasNoFlag, ChallengeTitleMissing, FileNameBlank, GameNotFound } from '@vexil/core/rules'
import { cleanBloodBonus, mustBeGoodCurve } from '@vexil/core/scoring'
import { type ChallengeType, generatesFlags, hasContainer } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { audit, type By } from '../audit.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { addNotice, findClock } from '../games/games.queries.ts'
import { type ChallengeRow, countFlags, lockChallenge } from './challenges.queries.ts'

/**
 * Changes what the edit names; absent or null leaves a field as it is. The listeners of a running game are notified of a challenge that opens and of a hint
 * that was added.
 * @throws GameNotFound, ChallengeNotFound, ChallengeHasNoFlag, CaptureNeedsContainer, FileNameBlank, ChallengeTitleMissing,
 *   TemplateTooSimple, TemplateExpandsTooFar
 */
export async function editChallenge(
  { db, bus, log }: Pick<Deps, 'db' | 'bus' | 'log'>,
  { gameId, challengeId, edit }: { gameId: number; challengeId: number; edit: ChallengeEdit },
  by: By,
): Promise<ChallengeRow> {
  const { challenge, notices } = await inTransaction(db, async (tx) => {
    const old = await lockChallenge(tx, gameId, challengeId)
    await mustBeGoodEdit(tx, old, edit)
    const columns = columnsOf(old, edit)
    mustBeGoodCurve(columns)
    const row = await tx
      .updateTable('challenges')
      .set({ ...columns, ...(columns.enabled && !old.enabled && { enabledAt: sql`clock_timestamp()` }) })
      .where('id', '=', challengeId)
      .returningAll()
      .executeTakeFirstOrThrow()
    return { challenge: row, notices: await announce(tx, old, row) }
  })
  bus.publish('challenge.changed', { gameId, challengeId })
  for (const noticeId of notices) bus.publish('notice.added', { gameId, noticeId })
  audit({ log }, by, `Changed challenge ${challenge.title} (#${challengeId})`)
  return challenge
}

/** In the order that clients know. */
async function mustBeGoodEdit(tx: Tx, old: ChallengeRow, edit: ChallengeEdit): Promise<void> {
  const type = old.type as ChallengeType
  if (edit.isEnabled && !generatesFlags(type) && (await countFlags(tx, old.id)) === 0) throw new ChallengeHasNoFlag()
  if (edit.enableTrafficCapture && !hasContainer(type)) throw new CaptureNeedsContainer()
  if (edit.fileName?.trim() === '') throw new FileNameBlank()
  if (edit.title?.trim() === '') throw new ChallengeTitleMissing()
  if (generatesFlags(type)) mustBeGoodTemplate(edit.flagTemplate ?? null)
}

const columnsOf = (old: ChallengeRow, edit: ChallengeEdit) => ({
  title: edit.title?.trim() ?? old.title,
  content: edit.content ?? old.content,
  flagTemplate: edit.flagTemplate == null ? old.flagTemplate : cleanTemplate(edit.flagTemplate),
  category: edit.category ?? old.category,
  hints: edit.hints ?? old.hints,
  enabled: edit.isEnabled ?? old.enabled,
  fileName: edit.fileName?.trim() ?? old.fileName,
  containerImage: edit.containerImage?.trim() ?? old.containerImage,
  memoryLimit: edit.memoryLimit ?? old.memoryLimit,
  cpuCount: edit.cpuCount ?? old.cpuCount,
  storageLimit: edit.storageLimit ?? old.storageLimit,
  exposePort: edit.containerExposePort ?? old.exposePort,
  network: edit.containerNetwork ?? old.network,
  captureTraffic: hasContainer(old.type as ChallengeType) && (edit.enableTrafficCapture ?? old.captureTraffic),
  originalScore: edit.originalScore ?? old.originalScore,
  minScoreRate: edit.minScoreRate ?? old.minScoreRate,
  difficulty: edit.difficulty ?? old.difficulty,
  bloodBonus: ownBonus(old, edit),
})

function ownBonus(old: ChallengeRow, { bloodBonus, ownBloodBonus }: ChallengeEdit): number | null {
  if (ownBloodBonus === false) return null
  return bloodBonus == null ? old.bloodBonus : cleanBloodBonus(bloodBonus)
}

/** The notices that a change brings with it; their numbers. Only a running game has an audience. */
async function announce(tx: Tx, old: ChallengeRow, row: ChallengeRow): Promise<number[]> {
  const clock = await findClock(tx, row.gameId)
  if (!clock) throw new GameNotFound()
  if (!row.enabled || phaseOf(clock, clock.now) !== 'running') return []
  const made: number[] = []
  if (!old.enabled) made.push((await addNotice(tx, row.gameId, 'NewChallenge', [row.title])).id)
  const known = new Set(old.hints)
  if (row.hints?.some((hint) => !known.has(hint))) made.push((await addNotice(tx, row.gameId, 'NewHint', [row.title])).id)
  return made
}
