import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { databaseLocation, systemProgram } from './embedded-place.ts'

test.runIf(existsSync('/usr/sbin/useradd'))('system programs are found outside of the PATH', () => {
  expect(systemProgram('useradd')).toBe('/usr/sbin/useradd')
})

test('a program in none of these folders is left to the PATH', () => {
  expect(systemProgram('no-such-program')).toBe('no-such-program')
})

test('the data folder of a platform that is not started as root has the database, and is closed to other users', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'vexil-place-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755)
  const made = join(folder, 'not/there/yet')
  expect([databaseLocation(folder, null), databaseLocation(made, null)]).toEqual([folder, made])
  expect([folder, made].map((one) => statSync(one).mode & 0o777)).toEqual([0o700, 0o700])
})
