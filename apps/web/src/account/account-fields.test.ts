import { expect, test } from 'vitest'
import { checkAccount } from './account-fields.tsx'

const good = { email: 'ann@example.org', userName: 'ann', password: 'secret', again: 'secret' }
/** The fields that are refused. */
const wrong = (part: Partial<typeof good>) =>
  Object.entries(checkAccount({ ...good, ...part }))
    .filter(([, text]) => text !== undefined)
    .map(([name]) => name)

test('P5.3 REG-1 an account needs an address, a name of 3 to 15 characters, a password of at least 6 and its repeat', () => {
  expect(wrong({})).toEqual([])
  expect(wrong({ email: 'ann' })).toEqual(['email'])
  expect(wrong({ email: ' ann@example.org ', userName: '  ann  ' })).toEqual([])
  expect(wrong({ userName: 'an ' })).toEqual(['userName'])
  expect([wrong({ userName: 'a'.repeat(15) }), wrong({ userName: 'a'.repeat(16) })]).toEqual([[], ['userName']])
  expect(wrong({ password: 'short', again: 'short' })).toEqual(['password'])
  // Blanks of a password count.
  expect(wrong({ password: 'short ', again: 'short ' })).toEqual([])
  expect(wrong({ again: 'Secret' })).toEqual(['again'])
})
