import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { systemProgram } from './embedded-place.ts'

test.runIf(existsSync('/usr/sbin/useradd'))('programs of administration are found where the PATH does not lead', () => {
  expect(systemProgram('useradd')).toBe('/usr/sbin/useradd')
})

test('a program that is in none of these folders is left to the PATH', () => {
  expect(systemProgram('no-such-program')).toBe('no-such-program')
})
