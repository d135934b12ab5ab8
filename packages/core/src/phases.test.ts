import { describe, expect, test } from 'vitest'
import {
  countsForScore,
  mustBeBeforeDeadline,
  mustBeProperTimes,
  mustHaveStarted,
  mustNotHaveEnded,
  phaseOf,
  writeupDeadlineAfter,
} from './phases.ts'
import { GameNotStarted } from './rules.ts'

const startsAt = Date.parse('2026-05-01T09:00:00Z')
const endsAt = Date.parse('2026-05-01T18:00:00Z')
const game = { startsAt, endsAt, practiceMode: false }

describe('phases of a game', () => {
  test.each([
    [startsAt - 1, 'before', true],
    [startsAt, 'running', true],
    [endsAt - 1, 'running', true],
    [endsAt, 'running', false],
    [endsAt + 1, 'ended', false],
  ] as const)('P4.11 P4.20 at %d the game is %s, and an answer at that time counts: %s', (now, phase, counts) => {
    expect(phaseOf(game, now)).toBe(phase)
    expect(countsForScore(game, now)).toBe(counts)
  })

  test('P4.11 P8.7 a game that has not started gives its start', () => {
    expect(() => mustHaveStarted(game, startsAt)).not.toThrow()
    try {
      mustHaveStarted(game, startsAt - 1)
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(GameNotStarted)
      expect((error as GameNotStarted).data).toEqual({ startsAt: '2026-05-01T09:00:00+00:00' })
    }
  })

  test('P4.12 P8.8 an ended game is closed, unless in practice mode', () => {
    expect(() => mustNotHaveEnded(game, endsAt)).not.toThrow()
    expect(() => mustNotHaveEnded(game, endsAt + 1)).toThrow('game.ended')
    expect(() => mustNotHaveEnded({ ...game, practiceMode: true }, endsAt + 1)).not.toThrow()
  })

  test('P3.9 the end must be after the start', () => {
    expect(() => mustBeProperTimes(game)).not.toThrow()
    for (const end of [startsAt, startsAt - 1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => mustBeProperTimes({ startsAt, endsAt: end })).toThrow('game.times_invalid')
  })

  test('P4.24 P5.12 P8.17 a writeup at the deadline is in time, a millisecond later it is late', () => {
    expect(() => mustBeBeforeDeadline(endsAt, endsAt)).not.toThrow()
    expect(() => mustBeBeforeDeadline(endsAt, endsAt + 1)).toThrow('writeup.deadline_passed')
  })

  test('P9.11 a deadline of 24 hours is a day after the end', () => {
    expect(writeupDeadlineAfter(endsAt, 24)).toBe(Date.parse('2026-05-02T18:00:00Z'))
    // An instant is a whole number of milliseconds.
    expect(writeupDeadlineAfter(endsAt, 1 / 7)).toBe(endsAt + 514_286)
  })
})

test('the refusal after a deadline gives the deadline', () => {
  expect(() => mustBeBeforeDeadline(startsAt, startsAt)).not.toThrow()
  for (const [deadline, named] of [
    [startsAt, '2026-05-01T09:00:00+00:00'],
    [startsAt + 120, '2026-05-01T09:00:00.120+00:00'],
  ] as const)
    expect(() => mustBeBeforeDeadline(deadline, deadline + 1)).toThrow(expect.objectContaining({ data: { deadline: named } }))
})
