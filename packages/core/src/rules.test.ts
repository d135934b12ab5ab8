import { describe, expect, test } from 'vitest'
import * as exported from './rules.ts'
import { GameEnded, GameNotStarted, type RuleCode, type RuleData, RuleError } from './rules.ts'

const classes = Object.values(exported).filter((one) => 'code' in one) as { code: string; name: string }[]

describe('rules', () => {
  test('every rule has a unique code of the form subject.what_happened', () => {
    const codes = classes.map(({ code }) => code)
    expect(codes.length).toBeGreaterThan(100)
    expect(new Set(codes).size).toBe(codes.length)
    for (const code of codes) expect(code).toMatch(/^[a-z]+\.[a-z_]+$/)
  })

  test('a refusal and a fault have different classes, and a refusal has its code and data', () => {
    const refusal = new GameNotStarted({ startsAt: '2026-05-01T09:00:00.000Z' })
    expect(refusal).toBeInstanceOf(RuleError)
    expect(refusal.name).toBe('RuleError')
    expect([refusal.code, refusal.message, refusal.data]).toEqual([
      'game.not_started',
      'game.not_started',
      { startsAt: '2026-05-01T09:00:00.000Z' },
    ])
    expect(new GameEnded()).not.toBeInstanceOf(GameNotStarted)
    expect(new GameEnded().data).toBeUndefined()
  })

  test('the compiler knows codes and their data', () => {
    const code: RuleCode = 'game.ended'
    const data: RuleData<'participation.member_limit'> = { limit: 2 }
    // @ts-expect-error no such rule
    const unknown: RuleCode = 'game.endless'
    // @ts-expect-error the data is missing
    expect(() => new GameNotStarted()).not.toThrow()
    expect([code, data.limit, unknown]).toBeTruthy()
  })
})
