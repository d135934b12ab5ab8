import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answerOf } from '../http/error-answer.ts'
import { isConnectionLost, openClient } from './connections.ts'

const coded = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more })

const lost: [string, unknown][] = [
  ...['57P01', '57P02', '57P03', '57P04', '57P05', '08000', '08003', '08006', '08001', '53300', '53400', '25P03', '25P04'].map(
    (code): [string, unknown] => [code, coded(code)],
  ),
  ...['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ECONNREFUSED', 'ETIMEDOUT', 'ENOTCONN', 'EHOSTUNREACH', 'ENETUNREACH'].map(
    (code): [string, unknown] => [code, coded(code)],
  ),
  ['ENOENT of the socket', coded('ENOENT', { syscall: 'connect' })],
  ['EACCES of the socket', coded('EACCES', { syscall: 'connect' })],
  ['ENOTFOUND of the name', coded('ENOTFOUND', { syscall: 'getaddrinfo' })],
  ['EAI_AGAIN of the name', coded('EAI_AGAIN', { syscall: 'getaddrinfo' })],
  ...[
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Connection terminated',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'Cannot use a pool after calling end on the pool',
    'driver has already been destroyed',
    'Postgres connection has been discarded',
    'Query read timeout',
  ].map((message): [string, unknown] => [message, new Error(message)]),
]

test.each(lost)('%s is a lost connection: 503 with a retry after a second, without internal details', (_name, error) => {
  expect(isConnectionLost(error)).toBe(true)
  const { http, body, retryAfter } = answerOf(error, 'en_US', 'r1')
  expect([http, body.code, retryAfter]).toEqual([503, 'server.unavailable', 1])
})

test.each([
  ['a unique violation', coded('23505')],
  ['a file that is missing', coded('ENOENT', { syscall: 'open' })],
  ['a statement timeout', coded('57014')],
  ['a lock timeout', coded('55P03')],
  ['a full disk', coded('53100')],
  ['an internal error', new TypeError('Connection is not a function')],
  ['a text', 'Connection'],
  ['nothing', undefined],
])('%s is not a lost connection', (_name, error) => {
  expect(isConnectionLost(error)).toBe(false)
})

test('an unreachable server is a lost connection, by port and by socket', async () => {
  const unknownUser = { user: 'unknown', database: 'none' }
  for (const place of [
    { host: '127.0.0.1', port: 1 },
    { host: '/tmp/no such folder', port: 5432 },
  ]) {
    const error = await openClient({ ...unknownUser, ...place }).catch((caught: unknown) => caught)
    expect(isConnectionLost(error), String(error)).toBe(true)
  }
  const refused = await new Promise((resolve) => connect(1, '127.0.0.1').on('error', resolve))
  expect(isConnectionLost(refused)).toBe(true)
})

test('clients and pools are created only here, so that each has its listener', () => {
  const server = join(import.meta.dirname, '..')
  const makers = readdirSync(server, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('test.ts'))
    .filter((path) => /new (pg\.)?(Pool|Client)\(/.test(readFileSync(join(server, path), 'utf8')))
  expect(makers).toEqual(['db/connections.ts'])
})
