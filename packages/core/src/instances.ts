/**
 * The life of a container. A row is written before its container is made and ended after that is gone, so that no order of failures leaves one
 * without the other for longer than a sweep. Times are integer milliseconds since 1970.
 *
 *     Pending ──started──▶ Running ──┐
 *        │                           ├──ending──▶ Ending ──destroyed──▶ Ended
 *        └───────────────────────────┘
 */
import { containerPause, graceAfterGame } from './limits.ts'
import type { PlayTimes } from './phases.ts'
import {
  ContainerLimitReached,
  ContainerNotCreated,
  ContainerNotRunning,
  ContainerRunning,
  ContainerTooEarlyToExtend,
  ContainerTooSoon,
} from './rules.ts'
import type { ContainerStatus, ParticipationStatus } from './vocabulary.ts'

/** In order; never back. */
export type ContainerState = 'Pending' | 'Running' | 'Ending' | 'Ended'

/** As clients know it: what is ending is over for them. */
export const statusOf = (state: ContainerState): ContainerStatus =>
  state === 'Pending' || state === 'Running' ? state : 'Destroyed'

/** Why a container ended. */
export type EndedBy =
  | 'player'
  | 'administrator'
  | 'expiry'
  | 'limit'
  | 'solve'
  | 'challenge'
  | 'participation'
  | 'storage'
  | 'crash'
  | 'failure'

export interface Policy {
  /** Minutes. */
  readonly extensionDuration: number
  readonly renewalWindow: number
}

const minute = 60_000

/** Without practice mode instances end soon after their game, whatever was promised before: the end of a game may move. */
export function stopOf(stopsAt: number, game: Pick<PlayTimes, 'endsAt' | 'practiceMode'>): number {
  return game.practiceMode ? stopsAt : Math.min(stopsAt, game.endsAt + graceAfterGame)
}

// ---- what players do

/** @throws ContainerTooSoon less than the pause after a player's last operation on this instance; null = there was none */
export function mustHavePaused(actedAt: number | null, now: number): void {
  if (actedAt === null || now - actedAt >= containerPause) return
  throw new ContainerTooSoon({ retryAfter: Math.ceil((actedAt + containerPause - now) / 1000) })
}

export interface StartScene {
  readonly now: number
  /** A player's last operation on this instance. */
  readonly actedAt: number | null
  /** Does this instance have a container that runs or is being started? */
  readonly there: boolean
  readonly image: string
  readonly port: number
  /** The team's other instances in this game, the one started first at the beginning. */
  readonly others: readonly string[]
  /** 0 = none */
  readonly limit: number
  readonly autoDestroy: boolean
}

/**
 * May this instance be started? The ids of instances that must give way first, the oldest first; usually none.
 * @throws ContainerTooSoon, ContainerRunning, ContainerNotCreated (no image or port), ContainerLimitReached, in this order
 */
export function mustBeAbleToStart({
  now,
  actedAt,
  there,
  image,
  port,
  others,
  limit,
  autoDestroy,
}: StartScene): readonly string[] {
  mustHavePaused(actedAt, now)
  if (there) throw new ContainerRunning()
  if (image === '' || port === 0) throw new ContainerNotCreated()
  if (limit === 0 || others.length < limit) return []
  if (!autoDestroy) throw new ContainerLimitReached({ limit })
  return others.slice(0, others.length - limit + 1)
}

/** The new end of a running instance. @throws ContainerNotRunning, ContainerTooEarlyToExtend */
export function extended(
  instance: { readonly state: ContainerState; readonly stopsAt: number } | null,
  game: PlayTimes,
  { extensionDuration, renewalWindow }: Policy,
  now: number,
): number {
  if (instance?.state !== 'Running') throw new ContainerNotRunning()
  const left = stopOf(instance.stopsAt, game) - now
  if (left <= 0) throw new ContainerNotRunning()
  if (left > renewalWindow * minute) throw new ContainerTooEarlyToExtend({ renewalWindow })
  return instance.stopsAt + extensionDuration * minute
}

// ---- what the platform does

/** What decides whether a container may stay. */
export interface StayScene {
  readonly state: ContainerState
  readonly leaseUntil: number
  /** null while it is Pending */
  readonly stopsAt: number | null
  readonly game: PlayTimes
  /** A test container lives whatever becomes of challenge and game, and has no participation. */
  readonly team: { readonly status: ParticipationStatus; readonly enabled: boolean } | null
}

/** Why a container must end now; null: it may stay. */
export function endOf({ state, leaseUntil, stopsAt, game, team }: StayScene, now: number): EndedBy | null {
  if (state === 'Ending' || state === 'Ended') return null
  if (team && team.status !== 'Accepted') return 'participation'
  if (team && !team.enabled) return 'challenge'
  if (state === 'Pending') return leaseUntil < now ? 'failure' : null
  const stop = team ? stopOf(stopsAt ?? 0, game) : (stopsAt ?? 0)
  return stop <= now ? 'expiry' : null
}

/** What the engine has of a container; `missing` also for networks and secrets that are left without one. */
export type Seen = 'running' | 'ended' | 'missing'

/**
 * What a row and the engine's answer about it call for. The engine was asked before the row was read, so what it does not know may have been
 * made since: `look` means to ask the engine again, about this one.
 */
export function nextStep(state: ContainerState | null, seen: Seen): 'nothing' | 'look' | 'end' | 'destroy' | 'close' {
  if (state === null || state === 'Ended') return seen === 'missing' ? 'nothing' : 'destroy'
  if (state === 'Ending') return seen === 'missing' ? 'close' : 'destroy'
  if (state === 'Pending') return 'nothing'
  return { running: 'nothing', ended: 'end', missing: 'look' }[seen] as 'nothing' | 'end' | 'look'
}
