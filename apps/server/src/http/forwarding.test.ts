import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { watchForwarding } from './forwarding.ts'

async function anApplication(trustProxy: string[] | false) {
  let at = 0
  const warnings: string[] = []
  const app = fastify({ trustProxy })
  const forwarding = watchForwarding(
    app,
    (peer) => warnings.push(peer),
    () => at,
  )
  app.get('/', async () => '')
  await app.ready()
  return {
    forwarding,
    warnings,
    pass: (hours: number) => {
      at += hours * 3_600_000
    },
    ask: (remoteAddress: string, forwarded?: string) =>
      app.inject({ url: '/', remoteAddress, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } }),
  }
}

test('an untrusted peer that forwards is reported, with a warning once an hour', async () => {
  const { ask, forwarding, warnings, pass } = await anApplication(['10.0.0.1'])
  await ask('10.0.0.2')
  expect([forwarding.untrusted(), warnings]).toEqual([null, []])
  for (let i = 0; i < 5; i++) await ask('10.0.0.2', '192.0.2.1')
  expect([forwarding.untrusted(), warnings]).toEqual(['10.0.0.2', ['10.0.0.2']])
  pass(0.9)
  await ask('::ffff:10.0.0.3', '192.0.2.1, 192.0.2.2')
  expect([forwarding.untrusted(), warnings]).toEqual(['10.0.0.3', ['10.0.0.2']])
  // The next warning is possible as soon as an hour has passed.
  pass(0.1)
  await ask('10.0.0.3', '192.0.2.1')
  expect(warnings).toEqual(['10.0.0.2', '10.0.0.3'])
})

test('a trusted proxy causes no warning, and without a configured proxy none is trusted', async () => {
  const trusting = await anApplication(['10.0.0.0/8'])
  await trusting.ask('10.0.0.1', '192.0.2.1')
  await trusting.ask('10.0.0.1', '192.0.2.1, 192.0.2.2')
  expect([trusting.forwarding.untrusted(), trusting.warnings]).toEqual([null, []])
  const untrusting = await anApplication(false)
  await untrusting.ask('10.0.0.1', '192.0.2.1')
  expect(untrusting.forwarding.untrusted()).toBe('10.0.0.1')
})

test('the warning ends after a day without such requests', async () => {
  const { ask, forwarding, pass } = await anApplication(['10.0.0.1'])
  pass(5)
  await ask('10.0.0.2', '192.0.2.1')
  pass(23.9)
  expect(forwarding.untrusted()).toBe('10.0.0.2')
  pass(0.1)
  expect(forwarding.untrusted()).toBeNull()
})
