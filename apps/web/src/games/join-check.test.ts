import { expect, test } from 'vitest'
import { missingToJoin } from './join-check.ts'

const game = { inviteCodeRequired: true, organizations: ['Open', 'Student'] }
const full = { team: '3', code: 'quay', division: 'Open' }

test('P5.7 GD-1 all missing fields are named, the team first', () => {
  expect(missingToJoin(game, { team: null, code: '', division: null })).toEqual(['team', 'code', 'division'])
})

test('P5.5 GD-1 the invite code is required only where the game has one', () => {
  expect(missingToJoin(game, { ...full, code: '  ' })).toEqual(['code'])
  expect(missingToJoin({ ...game, inviteCodeRequired: false }, { ...full, code: '' })).toEqual([])
})

test('P5.6 GD-1 a division is required only where there are divisions', () => {
  expect(missingToJoin(game, { ...full, division: null })).toEqual(['division'])
  expect(missingToJoin({ ...game, organizations: [] }, { ...full, division: null })).toEqual([])
  expect(missingToJoin({ ...game, organizations: null }, { ...full, division: null })).toEqual([])
  expect(missingToJoin(game, full)).toEqual([])
})
