import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cookieName } from '../../apps/server/src/http/session-cookie.ts'
import { settingsOf } from './proxy.ts'

const sample = readFileSync(join(import.meta.dirname, '../../deploy/haproxy.cfg'), 'utf8')
const nodes = [1, 2, 3].map((at) => `http://127.0.0.1:900${at}`)

test('of the sample only ports and addresses are replaced, and TLS is left out', () => {
  const lines = new Set(sample.split('\n'))
  const added = settingsOf(sample, 8000, nodes)
    .split('\n')
    .filter((line) => !lines.has(line))
  expect(added).toEqual([
    '    bind 127.0.0.1:8000',
    '    server first 127.0.0.1:9001',
    '    server second 127.0.0.1:9002',
    '    server third 127.0.0.1:9003',
  ])
  expect(() => settingsOf(sample, 8000, [...nodes, 'http://127.0.0.1:9004'])).toThrow('deploy/haproxy.cfg has no line')
})

test('the sample pins a session by its cookie, checks readiness each second, and never sends a request twice', () => {
  expect(sample).toContain(`set-var(txn.pin) req.cook(${cookieName})`)
  expect(sample).toMatch(/option httpchk GET \/healthz\/ready\n.*\n.*check inter 1s/)
  expect([...sample.matchAll(/retry-on (.*)/g)].map(([, when]) => when)).toEqual(['conn-failure'])
})
