import { createServer } from 'node:net'
import { expect, test, vi } from 'vitest'
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

test('a system that does not share a port among processes is named before anything is opened, and serves with one', async () => {
  const config = (processes: string) => readConfig({ PORT: '18999', VEXIL_PROCESSES: processes })
  await mustBeFree(config('1'))
  await expect(mustBeFree(config('2'))).rejects.toThrow(
    'VEXIL_PROCESSES must be 1: this system cannot share a port among processes.',
  )
  expect(createServer).toHaveBeenCalledTimes(3)
})
