import { expect, test, vi } from 'vitest'
import type { Deps } from './deps.ts'
import { checkOutside } from './outside-checks.ts'

async function check(probe: () => Promise<unknown>) {
  const log = { write: vi.fn() }
  const printLine = vi.fn()
  const config = {
    publicUrl: 'http://localhost',
    trustedProxies: [],
    containerCapture: false,
    containerWeb: null,
    containerTls: null,
  }
  const others = { mailer: { check: async () => undefined }, captcha: { provider: 'None' } }
  checkOutside({ ...others, config, log, engine: { kind: 'Docker', probe } } as unknown as Deps, printLine)
  await vi.waitFor(() => expect(log.write).toHaveBeenCalled())
  return { printed: printLine.mock.calls.flat(), logged: log.write.mock.calls.map(([{ message }]) => message) }
}

test.each(['in place', 'Not proven: a chain is missing'])(
  'the start prints and logs what the engine enforces: %s',
  async (isolation) => {
    const line = `Docker 28 leaves the storage limit to the platform. Isolation: ${isolation}`
    const warning = isolation === 'in place' ? [] : [`Containers may not be isolated. ${isolation}`]
    const { printed, logged } = await check(async () => ({ version: '28', limitsStorage: false, isolation }))
    expect([printed, logged]).toEqual([[line], [line, ...warning]])
  },
)

test('the start prints and logs that the engine does not answer', async () => {
  const line = 'The container engine does not answer: no socket'
  const { printed, logged } = await check(() => Promise.reject(new Error('no socket')))
  expect([printed, logged]).toEqual([[line], [line]])
})
