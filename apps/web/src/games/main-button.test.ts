import { expect, test } from 'vitest'
import { isFormOpenedBy, mainButton, otherButtons, type Standing } from './main-button.ts'

const base: Standing = { phase: 'running', practice: false, signedIn: true, hasTeam: true, status: 'Unsubmitted' }
const button = (part: Partial<Standing>) => {
  const kind = mainButton({ ...base, ...part })
  return [kind, isFormOpenedBy[kind]]
}

test('P2.27 every row of the main button', () => {
  expect(button({ phase: 'ended' })).toEqual(['ended', false])
  expect(button({ phase: 'ended', signedIn: false })).toEqual(['ended', false])
  expect(button({ phase: 'ended', status: 'Accepted' })).toEqual(['ended', false])
  expect(button({ signedIn: false })).toEqual(['signIn', true])
  expect(button({ phase: 'ended', practice: true, signedIn: false })).toEqual(['signIn', true])
  expect(button({})).toEqual(['join', true])
  expect(button({ phase: 'before' })).toEqual(['join', true])
  expect(button({ phase: 'ended', practice: true })).toEqual(['joinPractice', true])
  expect(button({ hasTeam: false })).toEqual(['noTeam', false])
  expect(button({ status: 'Pending' })).toEqual(['pending', false])
  expect(button({ status: 'Accepted' })).toEqual(['approved', false])
  expect(button({ status: 'Rejected' })).toEqual(['again', true])
  expect(button({ status: 'Suspended' })).toEqual(['banned', false])
})

test('P2.27 challenges open for accepted teams while the game runs, and after it in practice', () => {
  const others = (part: Partial<Standing>) => otherButtons({ ...base, status: 'Accepted', ...part })
  expect(others({})).toEqual({ challenges: true, scoreboard: true, leave: false })
  expect(others({ phase: 'before' })).toEqual({ challenges: false, scoreboard: false, leave: false })
  expect(others({ phase: 'ended' }).challenges).toBe(false)
  expect(others({ phase: 'ended', practice: true }).challenges).toBe(true)
  expect(others({ status: 'Suspended' }).challenges).toBe(false)
})

test('GD-4 only pending and rejected teams can leave', () => {
  const leaves = (status: Standing['status']) => otherButtons({ ...base, status }).leave
  expect((['Pending', 'Rejected', 'Accepted', 'Suspended', 'Unsubmitted'] as const).map(leaves)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})
