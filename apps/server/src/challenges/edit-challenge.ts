import { isDeepStrictEqual } from 'node:util'
import { type ChallengeField, challengeFieldNames, challengeFields } from '@vexil/contract/challenge-fields'
import type { ChallengeEdit } from '@vexil/contract/challenges'
import { mustBeGoodContainers } from '@vexil/core/containers'
import { cleanTemplate, mustBeGoodTemplate } from '@vexil/core/flags'
import { checkLimits } from '@vexil/core/limits'
import { phaseOf } from '@vexil/core/phases'
import {
  CaptureNeedsContainer,
  ChallengeHasNoFlag,
  ChallengeTitleMissing,
  CheckTooOften,
  FileNameBlank,
  GameNotFound,
} from '@vexil/core/rules'
import { cleanBloodBonus, mustBeGoodCurve } from '@vexil/core/scoring'
import { type ChallengeType, generatesFlags, hasContainer } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { type Actor, audit } from '../audit.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { addNotice, findClock } from '../games/games.queries.ts'
import { type ChallengeRow, countFlags, lockChallenge } from './challenges.queries.ts'
import { severalOf } from './challenges.view.ts'

/**
 * Absent or null leaves a field unchanged. Notifies the listeners of a running game of an opened challenge or new hint.
 * @throws GameNotFound, ChallengeNotFound, ChallengeHasNoFlag, CaptureNeedsContainer, FileNameBlank, ChallengeTitleMissing, CheckTooOften, TemplateTooSimple,
 * TemplateExpandsTooFar, ChallengeNameRepeated, ChallengePortRepeated
 */
export async function editChallenge(
  { db, bus, log }: Pick<Deps, 'db' | 'bus' | 'log'>,
  { gameId, challengeId, edit }: { gameId: number; challengeId: number; edit: ChallengeEdit },
  by: Actor,
): Promise<ChallengeRow> {
  const { challenge, notices } = await inTransaction(db, async (tx) => {
    const old = await lockChallenge(tx, gameId, challengeId)
    await mustBeGoodEdit(tx, old, edit)
    const columns = columnsOf(old, edit)
    mustBeGoodCurve(columns)
    const { additionalContainers: additional, namedPorts } = several(edit, old)
    mustBeGoodContainers({ port: columns.exposePort, namedPorts, additional })
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

/** Checks in the order that clients expect. */
async function mustBeGoodEdit(tx: Tx, old: ChallengeRow, edit: ChallengeEdit): Promise<void> {
  const type = old.type as ChallengeType
  if (edit.isEnabled && !generatesFlags(type) && (await countFlags(tx, old.id)) === 0) throw new ChallengeHasNoFlag()
  if (edit.enableTrafficCapture && !hasContainer(type)) throw new CaptureNeedsContainer()
  if (edit.fileName?.trim() === '') throw new FileNameBlank()
  if (edit.title?.trim() === '') throw new ChallengeTitleMissing()
  const { checkMinutes } = edit
  if (checkMinutes && checkMinutes < checkLimits.minutesMin) throw new CheckTooOften({ min: checkLimits.minutesMin })
  if (generatesFlags(type)) mustBeGoodTemplate(edit.flagTemplate ?? null)
}

/** The containers and ports in addition to the first ones, after the edit. */
const several = ({ additionalContainers, namedPorts }: ChallengeEdit, old: ChallengeRow) => ({
  additionalContainers: additionalContainers ?? severalOf(old).additionalContainers,
  namedPorts: namedPorts ?? severalOf(old).namedPorts,
})

type Columns = Omit<ChallengeRow, 'id' | 'gameId' | 'type' | 'enabledAt'>
type OtherField = Exclude<keyof ChallengeEdit, ChallengeField>

/** Columns of the fields missing from challenge-fields.ts; the type requires every field of the edit in one of the two. */
const otherColumns: { readonly [F in OtherField]-?: (edit: ChallengeEdit, old: ChallengeRow) => Partial<Columns> } = {
  title: ({ title }, old) => ({ title: title?.trim() ?? old.title }),
  flagTemplate: ({ flagTemplate }, old) => ({
    flagTemplate: flagTemplate == null ? old.flagTemplate : cleanTemplate(flagTemplate),
  }),
  category: ({ category }, old) => ({ category: category ?? old.category }),
  hints: ({ hints }, old) => ({ hints: hints ?? old.hints }),
  isEnabled: ({ isEnabled }, old) => ({ enabled: isEnabled ?? old.enabled }),
  bloodBonus: (edit, old) => ({ bloodBonus: ownBonus(old, edit) }),
  ownBloodBonus: (edit, old) => ({ bloodBonus: ownBonus(old, edit) }),
  // As text: the driver would convert them to arrays of PostgreSQL.
  additionalContainers: (edit, old) => ({ additionalContainers: JSON.stringify(several(edit, old).additionalContainers) }),
  namedPorts: (edit, old) => ({ namedPorts: JSON.stringify(several(edit, old).namedPorts) }),
}

function columnsOf(old: ChallengeRow, edit: ChallengeEdit): Columns {
  const fields = challengeFieldNames.map((name) => {
    const { column, kind } = challengeFields[name]
    const value = edit[name]
    return [column, (kind === 'line' && typeof value === 'string' ? value.trim() : value) ?? old[column]]
  })
  const columns: Columns = Object.assign(Object.fromEntries(fields), ...Object.values(otherColumns).map((of) => of(edit, old)))
  const checkedFields = ['containerImage', 'exposePort', 'readyTimeout', 'readyText'] as const
  const isCheckedAgain =
    checkedFields.some((name) => columns[name] !== old[name]) || !isDeepStrictEqual(several(edit, old), severalOf(old))
  return {
    ...columns,
    silentSince: isCheckedAgain ? null : old.silentSince,
    captureTraffic: hasContainer(old.type as ChallengeType) && columns.captureTraffic,
  }
}

function ownBonus(old: ChallengeRow, { bloodBonus, ownBloodBonus }: ChallengeEdit): number | null {
  if (ownBloodBonus === false) return null
  return bloodBonus == null ? old.bloodBonus : cleanBloodBonus(bloodBonus)
}

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
