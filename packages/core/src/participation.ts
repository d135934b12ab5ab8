/** Participations: joining, playing, leaving, review, and the lock of the team. */
import { mustBeBeforeDeadline, mustHaveStarted, mustNotHaveEnded, type PlayTimes } from './phases.ts'
import {
  AlreadyTakingPart,
  CannotLeaveGame,
  ChallengeNotFound,
  DivisionFixed,
  DivisionReserved,
  DivisionUnknown,
  GameNotFound,
  InviteCodeWrong,
  MemberLimitReached,
  NotTakingPart,
  NotTeamMember,
  ParticipationNotAccepted,
  ParticipationSuspended,
  TeamLocked,
  TeamNotFound,
  WriteupNotWanted,
} from './rules.ts'
import type { ParticipationStatus } from './vocabulary.ts'

/** Rejected teams may apply again and may leave; so may Unsubmitted ones. */
const isTurnedDown = (status: ParticipationStatus): boolean => status === 'Rejected' || status === 'Unsubmitted'

/** Whether the team is on the board: accepted, and joined before the end. The database applies the same rule (`listBoardTeams`, `record_attempts`). */
export const isListed = (participation: { status: ParticipationStatus; madeAt: number }, endsAt: number): boolean =>
  participation.status === 'Accepted' && participation.madeAt < endsAt

// ---- joining

export interface JoinContext {
  readonly now: number
  /** null: the game does not exist. */
  readonly game:
    | (PlayTimes & {
        readonly inviteCode: string | null
        readonly divisions: readonly string[]
        /** 0: no limit. */
        readonly memberLimit: number
        readonly acceptWithoutReview: boolean
      })
    | null
  readonly inviteCode?: string | null
  readonly division?: string | null
  readonly teamExists: boolean
  readonly isMember: boolean
  /** Status of the caller's participation in this game, with any team; null: none. */
  readonly ownStatus: ParticipationStatus | null
  /** The team's participation in this game; `members`: registered members without the caller. */
  readonly participation: {
    readonly status: ParticipationStatus
    readonly division: string | null
    readonly members: number
    readonly madeAt: number
  } | null
}

export interface JoinOutcome {
  readonly status: ParticipationStatus
  readonly division: string | null
  /** This join accepted the participation: the caller must lock the team and assign its flags. */
  readonly accepted: boolean
}

/**
 * Checks in the order that clients expect.
 * @throws GameNotFound, GameEnded, InviteCodeWrong, DivisionUnknown, TeamNotFound, NotTeamMember, AlreadyTakingPart,
 *   ParticipationSuspended, DivisionFixed, MemberLimitReached
 */
export function mustBeAbleToJoin(context: JoinContext): void {
  const { game, participation } = context
  if (!game) throw new GameNotFound()
  mustNotHaveEnded(game, context.now)
  if (!isBlank(game.inviteCode) && context.inviteCode !== game.inviteCode) throw new InviteCodeWrong()
  if (game.divisions.length > 0 && !game.divisions.includes(context.division ?? '')) throw new DivisionUnknown()
  if (!context.teamExists) throw new TeamNotFound()
  if (!context.isMember) throw new NotTeamMember()
  if (context.ownStatus && !isTurnedDown(context.ownStatus)) throw new AlreadyTakingPart()
  // Automatic acceptance must never lift a suspension.
  if (participation?.status === 'Suspended') throw new ParticipationSuspended()
  if (participation?.status === 'Accepted') mustKeepDivision(game.divisions, participation.division, context.division)
  if (game.memberLimit > 0 && (participation?.members ?? 0) >= game.memberLimit)
    throw new MemberLimitReached({ limit: game.memberLimit })
}

/** An accepted team cannot change its division, unless the game no longer has it. */
function mustKeepDivision(divisions: readonly string[], kept: string | null, wished: string | null | undefined): void {
  if (kept !== null && divisions.includes(kept) && wished !== kept) throw new DivisionFixed({ division: kept })
}

/**
 * The participation after a permitted join. Until acceptance the latest joiner's division applies. A join after the end never changes the board: a
 * participation made before it, which would be listed, waits for a review.
 */
export function joinOutcome(context: JoinContext): JoinOutcome {
  const { game, participation } = context
  if (!game) throw new GameNotFound()
  if (participation?.status === 'Accepted') return { status: 'Accepted', division: participation.division, accepted: false }
  const division = game.divisions.length > 0 && !isBlank(context.division) ? (context.division ?? null) : null
  const wouldBeListed = participation !== null && isListed({ status: 'Accepted', madeAt: participation.madeAt }, game.endsAt)
  const accepted = game.acceptWithoutReview && !(context.now > game.endsAt && wouldBeListed)
  return { status: accepted ? 'Accepted' : 'Pending', division, accepted }
}

/** Divisions as stored: trimmed, without duplicates, in the given order. @throws DivisionReserved for `all` */
export function cleanDivisions(divisions: readonly string[]): string[] {
  const clean = [...new Set(divisions.map((division) => division.trim()).filter((division) => division !== ''))]
  // Key of the board's overall time line.
  if (clean.includes('all')) throw new DivisionReserved({ name: 'all' })
  return clean
}

// ---- leaving

/** `status` null: does not take part. @throws GameNotFound, NotTakingPart, CannotLeaveGame */
export function mustBeAbleToLeave(context: { gameExists: boolean; status: ParticipationStatus | null }): void {
  if (!context.gameExists) throw new GameNotFound()
  if (!context.status) throw new NotTakingPart()
  if (context.status !== 'Pending' && !isTurnedDown(context.status)) throw new CannotLeaveGame()
}

/** Whether a participation is deleted with its writeup: no members and no submissions. The trigger `registrations_last` applies the same rule. */
export const isAbandoned = (participation: { members: number; submissions: number }): boolean =>
  participation.members === 0 && participation.submissions === 0

// ---- review

/** An accepted team keeps its members until the game has ended. */
export const locksTeam = (status: ParticipationStatus): boolean => status === 'Accepted'

// ---- playing

export interface PlayContext {
  readonly now: number
  /** null: the game does not exist. */
  readonly game: PlayTimes | null
  /** Status of the caller's participation; null: none. */
  readonly status: ParticipationStatus | null
  readonly participationId?: number | null
}

type Permitted<S extends PlayContext> = S & { readonly game: PlayTimes } & (S extends {
    readonly participationId: number | null
  }
    ? { readonly participationId: number }
    : unknown)

export interface ChallengeContext extends PlayContext {
  /** null: the game has no such challenge. */
  readonly challenge: { readonly enabled: boolean } | null
}

/** The first four checks of playing, which also apply to writeups. */
function mustTakePart(context: PlayContext): PlayTimes {
  if (!context.game) throw new GameNotFound()
  if (!context.status || context.participationId === null) throw new NotTakingPart()
  if (context.status === 'Suspended') throw new ParticipationSuspended()
  if (context.status !== 'Accepted') throw new ParticipationNotAccepted()
  mustHaveStarted(context.game, context.now)
  return context.game
}

/** For all roles. @throws GameNotFound, NotTakingPart, ParticipationSuspended, ParticipationNotAccepted, GameNotStarted, GameEnded */
export function mustBeAbleToPlay<S extends PlayContext>(context: S): asserts context is Permitted<S> {
  mustNotHaveEnded(mustTakePart(context), context.now)
}

/** Checked before calls on one challenge; a disabled challenge counts as missing. @throws as mustBeAbleToPlay, ChallengeNotFound */
export function mustBeAbleToOpen<S extends ChallengeContext>(
  context: S,
): asserts context is Permitted<S> & { readonly challenge: NonNullable<S['challenge']> } {
  mustBeAbleToPlay(context)
  if (!context.challenge?.enabled) throw new ChallengeNotFound()
}

/** @throws as mustBeAbleToOpen */
export const mustBeAbleToSubmit: typeof mustBeAbleToOpen = mustBeAbleToOpen

/** Also allowed after the end without practice mode. @throws as mustBeAbleToPlay without GameEnded */
export function mustBeAbleToSeeWriteup(context: PlayContext): void {
  mustTakePart(context)
}

/** @throws as mustBeAbleToSeeWriteup, WriteupNotWanted, WriteupDeadlinePassed */
export function mustBeAbleToHandInWriteup(context: PlayContext, writeup: { required: boolean; deadline: number }): void {
  mustTakePart(context)
  if (!writeup.required) throw new WriteupNotWanted()
  mustBeBeforeDeadline(writeup.deadline, context.now)
}

// ---- the lock of a team

export interface LockContext {
  readonly locked: boolean
  /** The team's participations in all games. */
  readonly participations: readonly { readonly status: ParticipationStatus; readonly endsAt: number }[]
}

/** Whether a game that has not ended requires the lock. Rejected and Unsubmitted participations do not. */
const isHeld = (context: LockContext, now: number): boolean =>
  context.participations.some(({ status, endsAt }) => !isTurnedDown(status) && endsAt > now)

/** Checked before a member leaves, the captain changes or the team is disbanded. If a locked team passes, its lock is obsolete and the caller clears it. @throws TeamLocked */
export function mustBeUnlocked(context: LockContext, now: number): void {
  if (context.locked && isHeld(context, now)) throw new TeamLocked()
}

const isBlank = (text: string | null | undefined): boolean => (text ?? '').trim() === ''
