import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { systemProgram } from './embedded-place.ts'

test.runIf(existsSync('/usr/sbin/useradd'))('system programs are found outside of the PATH', () => {
  expect(systemProgram('useradd')).toBe('/usr/sbin/useradd')
})

test('a program in none of these folders is left to the PATH', () => {
  expect(systemProgram('no-such-program')).toBe('no-such-program')
})
