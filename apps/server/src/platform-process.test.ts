import { once } from 'node:events'
import { type AddressInfo, createServer, Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../e2e/platform.ts'
import { readConfig } from './config.ts'
import { mustBeFree } from './platform-process.ts'

vi.mock('node:net', async (original) => {
  const real = await original<typeof import('node:net')>()
  const refused = Object.assign(new Error('listen ENOTSUP'), { code: 'ENOTSUP' })
  const withoutSharing = () => {
    const server = real.createServer()
    const listen = server.listen.bind(server) as (...args: unknown[]) => unknown
    return Object.assign(server, {
      listen(options: { reusePort?: boolean }) {
        if (options.reusePort) process.nextTick(() => server.emit('error', refused))
        else listen(options)
        return server
      },
    })
  }
  return { ...real, createServer: vi.fn(withoutSharing) }
})

test('a system that cannot share a port among processes is reported before anything is opened, and serves with one', async () => {
  const port = await freePort()
  vi.mocked(createServer).mockClear()
  const config = (processes: string) => readConfig({ PORT: String(port), VEXIL_PROCESSES: processes })
  await mustBeFree(config('1'))
  await expect(mustBeFree(config('2'))).rejects.toThrow(
    'VEXIL_PROCESSES must be 1: this system cannot share a port among processes.',
  )
  expect(createServer).toHaveBeenCalledTimes(3)
})

const noAddress = 'HOST is ctf.example.org, which is not an address of this machine.'
test.each([
  ['EACCES', 'This user cannot listen on port 80: set PORT to a port above 1023.'],
  ['EADDRNOTAVAIL', noAddress],
  ['ENOTFOUND', noAddress],
  ['EAI_AGAIN', noAddress],
  ['EMFILE', 'listen EMFILE'],
])('an address that is refused with %s: the start fails with "%s"', async (code, message) => {
  vi.mocked(createServer).mockImplementationOnce(() => {
    const server = new Server()
    const refuse = () => server.emit('error', Object.assign(new Error(`listen ${code}`), { code }))
    return Object.assign(server, {
      listen() {
        process.nextTick(refuse)
        return server
      },
    })
  })
  await expect(mustBeFree(readConfig({ HOST: 'ctf.example.org', PORT: '80' }))).rejects.toMatchObject({ message })
})

describe('a port that is in use', () => {
  const config = (processes: string, port: number) => readConfig({ PORT: String(port), VEXIL_PROCESSES: processes })
  let other: Server
  let port: number
  beforeEach(async () => {
    other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    port = (other.address() as AddressInfo).port
    vi.mocked(createServer).mockClear()
    vi.useFakeTimers({ toFake: ['performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
    other.close()
  })
  const tries = () => vi.mocked(createServer).mock.calls.length
  /** Not `vi.waitFor`, which moves the fake clock. */
  const triedMoreOftenThan = async (times: number) => {
    while (tries() <= times) await sleep(10)
  }
  const inUse = () => `Port ${port} on 127.0.0.1 is in use by another program: stop it, or set PORT to another port.`

  test('is tried once with one process', async () => {
    await expect(mustBeFree(config('1', port))).rejects.toThrow(inUse())
    expect(tries()).toBe(1)
  })

  test('is awaited below five seconds when processes of a killed run may still hold it', async () => {
    const failed = vi.fn()
    const checking = mustBeFree(config('2', port)).catch(failed)
    vi.advanceTimersByTime(4_999)
    await triedMoreOftenThan(2)
    expect(failed).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    await checking
    expect(failed.mock.calls).toEqual([[expect.objectContaining({ message: inUse() })]])
  })

  test('is taken as soon as it is released', async () => {
    const checking = mustBeFree(config('2', port)).catch((error: Error) => error.message)
    await triedMoreOftenThan(1)
    other.close()
    // The exclusive check passes; sharing the port is tried next.
    expect(await checking).toContain('VEXIL_PROCESSES must be 1')
  })
})
