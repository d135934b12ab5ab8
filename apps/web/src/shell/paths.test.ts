import { expect, test } from 'vitest'
import { paths, safeFrom, withParts } from './paths.ts'

test('GUARD-3 only a path of this site is followed after signing in', () => {
  expect(safeFrom('/games/3?c=5')).toBe('/games/3?c=5')
  for (const other of [
    '//evil.example',
    'https://evil.example',
    '/\\evil',
    'javascript:alert(1)',
    'games',
    '',
    '/a\tb',
    null,
    undefined,
  ]) {
    expect(safeFrom(other)).toBe('/')
  }
})

test('AB-7 the open challenge is in the address', () => {
  expect(paths.challenges(3, 7)).toBe('/games/3/Challenges?c=7')
  expect(paths.challenges(3)).toBe('/games/3/Challenges')
  expect(paths.sheet(3, 'team')).toBe('/games/3/Challenges?sheet=team')
  expect(paths.joinGame(3, {})).toBe('/games/3?join=')
  expect(paths.joinGame(3, { team: 5, division: 'A', code: 'x' })).toBe('/games/3?join=5&division=A&code=x')
  expect(paths.login('/games/3?c=1')).toBe('/account/Login?from=%2Fgames%2F3%3Fc%3D1')
})

test('parts of an address are set and removed, and the rest stays', () => {
  const query = new URLSearchParams('c=7&sort=points')
  expect(String(withParts(query, { c: null, sheet: 'team' }))).toBe('sort=points&sheet=team')
  expect(String(query)).toBe('c=7&sort=points')
})
