import { hubLimits } from '@vexil/core/limits'
import { expect, test } from 'vitest'
import { openHubTokens } from './hub-tokens.ts'

let now = 1_800_000_000_000
const clock = () => now
const tokens = openHubTokens(Buffer.from('secret'), clock)

test('a token is accepted by every node with the same secret, only for its hub and game', () => {
  const { id, token } = tokens.make('/hub/user', '7')
  const other = openHubTokens(Buffer.from('secret'), clock)
  expect(id).toMatch(/^[\w-]{22}$/)
  expect(token).toMatch(/^[\w-]{22}\.[a-z0-9]+\.[\w-]{22}$/)
  expect(other.isValid(token, '/hub/user', '7')).toBe(true)
  expect(other.isValid(token, '/hub/monitor', '7')).toBe(false)
  expect(other.isValid(token, '/hub/user', '8')).toBe(false)
  expect(other.isValid(token, '/hub/user', '')).toBe(false)
  expect(openHubTokens(Buffer.from('another'), clock).isValid(token, '/hub/user', '7')).toBe(false)
})

test('a modified or invalid token is refused', () => {
  const { token } = tokens.make('/hub/user', '7')
  for (let at = 0; at < token.length; at++) {
    const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
    expect(tokens.isValid(changed, '/hub/user', '7'), `position ${at}`).toBe(false)
  }
  for (const none of ['', '..', 'a.b.c', `${token}.x`.slice(1)]) expect(tokens.isValid(none, '/hub/user', '7')).toBe(false)
})

test('a token is valid for exactly 15 seconds', () => {
  expect(hubLimits.tokenLife).toBe(15_000)
  const { token } = tokens.make('/hub/user', '7')
  now += hubLimits.tokenLife
  expect(tokens.isValid(token, '/hub/user', '7')).toBe(true)
  now += 1
  expect(tokens.isValid(token, '/hub/user', '7')).toBe(false)
  // A token may be dated at most its lifetime in the future, by another clock.
  now -= 2 * hubLimits.tokenLife + 1
  expect(tokens.isValid(token, '/hub/user', '7')).toBe(true)
  now -= 1
  expect(tokens.isValid(token, '/hub/user', '7')).toBe(false)
})
