/** Phases of games and deadlines. Times are integer milliseconds since 1970. */
import { GameEnded, GameNotStarted, GameTimesInvalid, WriteupDeadlinePassed } from './rules.ts'

export type Phase = 'before' | 'running' | 'ended'

export interface GameTimes {
  readonly startsAt: number
  readonly endsAt: number
}

export interface PlayTimes extends GameTimes {
  /** Challenges stay open after the end, without scoring. */
  readonly practiceMode: boolean
}

/** A game is running from its first to its last millisecond, both included. */
export function phaseOf(game: GameTimes, now: number): Phase {
  if (now < game.startsAt) return 'before'
  return now > game.endsAt ? 'ended' : 'running'
}

/** An answer counts if it arrived strictly before the end, so not in the last millisecond of a running game. */
export const countsForScore = (game: Pick<GameTimes, 'endsAt'>, arrivedAt: number): boolean => arrivedAt < game.endsAt

/** @throws GameNotStarted */
export function mustHaveStarted(game: GameTimes, now: number): void {
  if (now < game.startsAt) throw new GameNotStarted({ startsAt: instant(game.startsAt) })
}

/** Practice mode keeps a game open after its end. @throws GameEnded */
export function mustNotHaveEnded(game: PlayTimes, now: number): void {
  if (!game.practiceMode && now > game.endsAt) throw new GameEnded()
}

/** The deadline itself is in time. @throws WriteupDeadlinePassed */
export function mustBeBeforeDeadline(deadline: number, now: number): void {
  if (now > deadline) throw new WriteupDeadlinePassed({ deadline: instant(deadline) })
}

/** @throws GameTimesInvalid if the end is not after the start, or a time is not an integer */
export function mustBeProperTimes(game: GameTimes): void {
  const proper = Number.isSafeInteger(game.startsAt) && Number.isSafeInteger(game.endsAt) && game.startsAt < game.endsAt
  if (!proper) throw new GameTimesInvalid()
}

/** Forms use hours after the end; the stored form is the instant. */
export const writeupDeadlineAfter = (endsAt: number, hours: number): number => endsAt + Math.round(hours * 3_600_000)

/** ISO 8601 in UTC with the offset `+00:00`, as existing clients expect; a zero fraction is omitted. */
export function instant(time: Date | number): string {
  const iso = new Date(time).toISOString()
  return iso.endsWith('.000Z') ? `${iso.slice(0, -5)}+00:00` : `${iso.slice(0, -1)}+00:00`
}
