/**
 * The life cycle of a container. Its row is written before the container is created and ended after the container is removed, so that after
 * any failure the next sweep can reconcile both. Times are integer milliseconds since 1970.
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

/** States in order; transitions only go forward. */
export type ContainerState = 'Pending' | 'Running' | 'Ending' | 'Ended'

export const statusOf = (state: ContainerState): ContainerStatus =>
  state === 'Pending' || state === 'Running' ? state : 'Destroyed'

/** Readiness of a running container: its service answers or is not checked, is awaited, or did not answer in time. */
export const readinesses = ['ready', 'waiting', 'late'] as const
export type Readiness = (typeof readinesses)[number]

/** Phases of a start: it waits for its turn, its images are pulled, it is created, or its service is awaited. */
export const startPhases = ['queued', 'pulling', 'creating', 'waiting'] as const
export type StartPhase = (typeof startPhases)[number]

export type EndedBy =
  | 'player'
  | 'administrator'
  | 'expiry'
  | 'limit'
  | 'solve'
  | 'challenge'
  | 'participation'
  | 'storage'
  // Ends that the engine found: see `ContainerEnd` there.
  | 'exit'
  | 'memory'
  | 'evicted'
  | 'engine'
  // The container is no longer on the engine, and the platform did not remove it.
  | 'removed'
  | 'failure'

/** Causes that are shown to a team when its instance has ended; for the others, its members know the cause or had an error. */
export const shownEnds = [
  ...(['expiry', 'limit', 'administrator', 'solve'] as const),
  ...(['storage', 'exit', 'memory', 'evicted', 'engine', 'removed'] as const),
] as const satisfies readonly EndedBy[]

export interface Policy {
  /** Minutes. */
  readonly extensionDuration: number
  readonly renewalWindow: number
}

const minute = 60_000

/** Without practice mode instances end soon after their game, whatever their own end, because the end of a game may change. */
export function stopOf(stopsAt: number, game: Pick<PlayTimes, 'endsAt' | 'practiceMode'>): number {
  return game.practiceMode ? stopsAt : Math.min(stopsAt, game.endsAt + graceAfterGame)
}

// ---- what players do

/** `actedAt`: the last operation of a player on this instance; null: none. @throws ContainerTooSoon within the pause after it */
export function mustHavePaused(actedAt: number | null, now: number): void {
  if (actedAt === null || now - actedAt >= containerPause) return
  throw new ContainerTooSoon({ retryAfter: Math.ceil((actedAt + containerPause - now) / 1000) })
}

export interface StartScene {
  readonly now: number
  readonly actedAt: number | null
  /** Whether this instance has a container that runs or is being started. */
  readonly there: boolean
  readonly image: string
  readonly port: number
  /** The team's other instances in this game, in the order of their start. */
  readonly others: readonly string[]
  /** 0: no limit. */
  readonly limit: number
  readonly autoDestroy: boolean
}

/** Returns the ids of instances that must be ended first, oldest first. @throws ContainerTooSoon, ContainerRunning, ContainerNotCreated (no image or port; the reason is its `cause`), ContainerLimitReached, in this order */
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
  if (image === '') throw Object.assign(new ContainerNotCreated(), { cause: new Error('The challenge has no image') })
  if (port === 0) throw Object.assign(new ContainerNotCreated(), { cause: new Error('The challenge has no port') })
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

export interface StayContext {
  readonly state: ContainerState
  readonly leaseUntil: number
  /** null while Pending. */
  readonly stopsAt: number | null
  readonly game: PlayTimes
  /** null for a test container, which does not depend on challenge and game. */
  readonly team: { readonly status: ParticipationStatus; readonly enabled: boolean } | null
}

/** The reason to end a container now; null: it may stay. */
export function endOf({ state, leaseUntil, stopsAt, game, team }: StayContext, now: number): EndedBy | null {
  if (state === 'Ending' || state === 'Ended') return null
  if (team && team.status !== 'Accepted') return 'participation'
  if (team && !team.enabled) return 'challenge'
  if (state === 'Pending') return leaseUntil < now ? 'failure' : null
  const stop = team ? stopOf(stopsAt ?? 0, game) : (stopsAt ?? 0)
  return stop <= now ? 'expiry' : null
}

/** The engine's state of a container; `missing` also if only networks or secrets remain. */
export type Seen = 'running' | 'ended' | 'missing'

/** The engine is queried before the row is read, so a missing container may have been created since: `look` means to query the engine again. */
export function nextStep(state: ContainerState | null, seen: Seen): 'nothing' | 'look' | 'end' | 'destroy' | 'close' {
  if (state === null || state === 'Ended') return seen === 'missing' ? 'nothing' : 'destroy'
  if (state === 'Ending') return seen === 'missing' ? 'close' : 'destroy'
  if (state === 'Pending') return 'nothing'
  return { running: 'nothing', ended: 'end', missing: 'look' }[seen] as 'nothing' | 'end' | 'look'
}
