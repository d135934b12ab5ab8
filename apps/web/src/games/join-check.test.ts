import { expect, test } from 'vitest'
import { missingToJoin } from './join-check.ts'

const game = { inviteCodeRequired: true, organizations: ['Open', 'Student'] }
const full = { team: '3', code: 'quay', division: 'Open' }

test('P5.7 GD-1 a missing team is the first error', () => {
  expect(missingToJoin(game, { team: null, code: '', division: null })).toBe('team')
})

test('P5.5 GD-1 the invite code is asked for only where the game has one', () => {
  expect(missingToJoin(game, { ...full, code: '  ' })).toBe('code')
  expect(missingToJoin({ ...game, inviteCodeRequired: false }, { ...full, code: '' })).toBeUndefined()
})

test('P5.6 GD-1 a division is asked for only where there are divisions', () => {
  expect(missingToJoin(game, { ...full, division: null })).toBe('division')
  expect(missingToJoin({ ...game, organizations: [] }, { ...full, division: null })).toBeUndefined()
  expect(missingToJoin({ ...game, organizations: null }, { ...full, division: null })).toBeUndefined()
  expect(missingToJoin(game, full)).toBeUndefined()
})
