/** Permissions in a team. Callers check the lock (participation.ts) where the order of checks requires it. */

import { type LockContext, mustBeUnlocked } from './participation.ts'
import {
  AlreadyCaptain,
  CaptainCannotKickSelf,
  CaptainCannotLeave,
  MemberUnknown,
  NewCaptainNotMember,
  NewCaptainOwnsTeam,
  NewCaptainUnknown,
  NotCaptain,
  NotTeamMember,
  TeamAlreadyOwned,
  TeamHasSubmissions,
  TeamRenamedTooSoon,
} from './rules.ts'

export interface TeamContext extends LockContext {
  readonly captainId: string
  readonly memberIds: readonly string[]
}

/** @throws NotCaptain */
export function mustBeCaptain(team: Pick<TeamContext, 'captainId'>, userId: string): void {
  if (team.captainId !== userId) throw new NotCaptain()
}

/** @throws NotTeamMember */
export function mustBeTeamMember(team: Pick<TeamContext, 'memberIds'>, userId: string): void {
  if (!team.memberIds.includes(userId)) throw new NotTeamMember()
}

/** @throws TeamAlreadyOwned */
export function mustOwnNoTeam(ownedTeams: number): void {
  if (ownedTeams > 0) throw new TeamAlreadyOwned()
}

/** @throws NotTeamMember, TeamLocked, CaptainCannotLeave */
export function mustBeAbleToLeaveTeam(team: TeamContext, userId: string, now: number): void {
  mustBeTeamMember(team, userId)
  mustBeUnlocked(team, now)
  if (team.captainId === userId) throw new CaptainCannotLeave()
}

/** @throws NotCaptain, TeamLocked, MemberUnknown, CaptainCannotKickSelf */
export function mustBeAbleToKick(team: TeamContext, userId: string, kickedId: string, now: number): void {
  mustBeCaptain(team, userId)
  mustBeUnlocked(team, now)
  if (!team.memberIds.includes(kickedId)) throw new MemberUnknown()
  if (kickedId === userId) throw new CaptainCannotKickSelf()
}

/** Milliseconds. */
const renamePause = 60_000

/**
 * For a team that takes part in a game, since each name is sent to every open board. `renamedAt`: when its name was last changed, null if it never was.
 * @throws TeamRenamedTooSoon
 */
export function mustBeAbleToRename(renamedAt: number | null, now: number): void {
  const wait = renamedAt === null ? 0 : renamedAt + renamePause - now
  if (wait > 0) throw new TeamRenamedTooSoon({ retryAfter: Math.ceil(wait / 1000) })
}

/** `heir` null: the user does not exist. @throws NotCaptain, TeamLocked, NewCaptainUnknown, AlreadyCaptain, NewCaptainNotMember, NewCaptainOwnsTeam */
export function mustBeAbleToTransfer(
  team: TeamContext,
  userId: string,
  heir: { readonly id: string; readonly ownedTeams: number } | null,
  now: number,
): void {
  mustBeCaptain(team, userId)
  mustBeUnlocked(team, now)
  if (!heir) throw new NewCaptainUnknown()
  if (heir.id === userId) throw new AlreadyCaptain()
  if (!team.memberIds.includes(heir.id)) throw new NewCaptainNotMember()
  if (heir.ownedTeams > 0) throw new NewCaptainOwnsTeam()
}

/** `hasResults`: submissions in a started game, which would be deleted. @throws NotCaptain, TeamLocked, TeamHasSubmissions */
export function mustBeAbleToDisband(team: TeamContext & { readonly hasResults: boolean }, userId: string, now: number): void {
  mustBeCaptain(team, userId)
  mustBeUnlocked(team, now)
  if (team.hasResults) throw new TeamHasSubmissions()
}
