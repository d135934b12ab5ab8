import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPlaces, openReserve, watchUpload } from './upload-watch.ts'

const server = createServer((incoming, answer) => void handle(incoming).then((how) => answer.end(how)))
let handle: (incoming: IncomingMessage) => Promise<string> = async () => ''
let port = 0
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  port = (server.address() as AddressInfo).port
})
afterAll(() => void server.close())

/** Sends so many bytes every 20 ms until all are sent, then the end; resolves with the answer. */
function send(bytes: number, times: number, { ends = true } = {}): Promise<string> {
  return new Promise((resolve) => {
    const sent = request({ port, method: 'POST' }, async (answer) => resolve((await answer.toArray()).join('')))
    sent.on('error', () => resolve('cut'))
    void (async () => {
      for (let i = 0; i < times; i++) {
        sent.write(Buffer.alloc(bytes))
        await sleep(20)
      }
      if (ends) sent.end()
    })()
  })
}

const watched =
  (pace: { leastBytes: number; totalMs?: number; read?: boolean }) =>
  async (incoming: IncomingMessage): Promise<string> => {
    const { broken, stop } = watchUpload(incoming, { grace: 200, totalMs: 10_000, ...pace })
    const whole = new Promise<string>((resolve) => incoming.on('end', () => resolve('whole')))
    if (pace.read === false) incoming.pause()
    else incoming.resume()
    const how = await Promise.race([whole, broken, sleep(700, 'still')]).catch(({ code }) => code as string)
    stop()
    incoming.resume()
    return how
  }

describe('an upload', () => {
  test.each([
    ['that is fast enough arrives', { leastBytes: 2_000 }, [1_000, 25], 'whole'],
    ['that stalls from the beginning is broken off', { leastBytes: 2_000 }, [1_000, 1], 'request.too_slow'],
    ['that stalls after a fast beginning is broken off', { leastBytes: 2_000 }, [50_000, 4], 'request.too_slow'],
    ['that takes too long is broken off, however fast', { leastBytes: 0, totalMs: 250 }, [50_000, 30], 'request.too_slow'],
    ['that the platform itself does not read is not too slow', { leastBytes: 2_000, read: false }, [1, 1], 'still'],
  ] as const)('%s', async (_, pace, [bytes, times], expected) => {
    handle = watched(pace)
    expect(await send(bytes, times, { ends: expected === 'whole' })).toBe(expected)
  })

  test('whose sender leaves is broken off at once', async () => {
    const begun = Promise.withResolvers<void>()
    const how = new Promise<string>((resolve) => {
      handle = async (incoming) => {
        begun.resolve()
        const { broken } = watchUpload(incoming, { grace: 60_000, leastBytes: 1, totalMs: 60_000 })
        incoming.resume()
        resolve(await broken.catch(({ code }) => code as string))
        return ''
      }
    })
    const sent = request({ port, method: 'POST' })
    sent.on('error', () => undefined)
    sent.write('a')
    await begun.promise
    sent.destroy()
    expect(await how).toBe('request.malformed')
  })
})

test('places belong to an account and are given back', () => {
  const enter = openPlaces()
  const [first] = [enter('a', 2), enter('a', 2), enter('b', 2)]
  expect(() => enter('a', 2)).toThrow(expect.objectContaining({ code: 'request.too_many' }))
  first?.()
  expect(() => enter('a', 2)).not.toThrow()
})

test('memory is bounded over all uploads and is given back once', () => {
  const reserve = openReserve(100)
  const [one, two] = [reserve(), reserve()]
  one.add(60)
  expect(() => two.add(41)).toThrow(expect.objectContaining({ code: 'server.unavailable' }))
  two.add(40)
  one.free()
  one.free()
  expect(() => two.add(60)).not.toThrow()
  expect(() => two.add(1)).toThrow()
})
