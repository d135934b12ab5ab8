/** Joining a connection, and its removal afterwards. The rest is in proxy.db.test.ts. */
import { once } from 'node:events'
import { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { tunnelLimits } from '@vexil/core/limits'
import { ProxyNodeStopping, ProxyOff } from '@vexil/core/rules'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Deps } from '../deps.ts'
import { openInProcessBus } from '../ports/bus/in-process.ts'
import type { TunnelOptions } from './tunnel.ts'
import { openTunnels, type Tunnels } from './tunnels.ts'

/** Resolves when the platform's time limit for its captures is over. */
const late = vi.hoisted(() => ({ promise: Promise.resolve(), given: [] as unknown[] }))
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>()
  const setTimeout = (...given: unknown[]) => {
    late.given = given
    return late.promise
  }
  return { ...real, setTimeout }
})
const joined = vi.hoisted((): TunnelOptions[] => [])
const ended = vi.hoisted(() => vi.fn())
const dial = vi.hoisted(() => vi.fn())
vi.mock('./tunnel.ts', () => ({
  dial,
  openTunnel: (options: TunnelOptions) => {
    joined.push(options)
    return { end: ended, held: () => 7 }
  },
}))
const rows = vi.hoisted(() => ({ isReachable: vi.fn(), enterTunnel: vi.fn(), leaveTunnel: vi.fn(), renewTunnels: vi.fn() }))
vi.mock('./tunnels.queries.ts', () => rows)
const capture = vi.hoisted(() => ({ write: vi.fn(), close: vi.fn(async () => {}) }))
vi.mock('./capture.ts', () => ({ openCapture: () => ({ ...capture }) }))

const config = { dataDir: '/nowhere', containerCapture: true, proxyIdleMinutes: 3, proxyTotalMinutes: 45 }
const openThem = () => openTunnels({ bus: openInProcessBus(() => undefined), config } as unknown as Deps)
const admitted = (container = new Socket()) => ({
  id: 'connection',
  containerId: 'container',
  container,
  target: { host: '127.0.0.1', port: 1, capture: null },
  abandon: () => undefined,
})
const client = {} as Parameters<Tunnels['join']>[0]
const from = { address: '192.0.2.1', port: 2 }

test('P7.100 a connection has the configured limits for idle and total time, and ends with the platform', async () => {
  const tunnels = openThem()
  tunnels.join(client, admitted(), from, () => undefined)
  const [joinedOne] = joined.splice(0)
  expect(joinedOne).toMatchObject({ idleMs: 180_000, totalMs: 2_700_000 })
  expect(tunnels.count()).toBe(1)
  await tunnels.close()
  expect(ended.mock.calls).toEqual([[1001]])
})

test('a connection gets the size of unfinished messages of its container and of the whole process', async () => {
  const tunnels = openThem()
  for (const [id, containerId] of [
    ['first', 'container'],
    ['second', 'container'],
    ['third', 'another'],
  ] as const)
    tunnels.join(client, { ...admitted(), id, containerId }, from, () => undefined)
  expect(joined.splice(0).map(({ heldTogether }) => heldTogether())).toEqual([
    { container: 14, all: 21 },
    { container: 14, all: 21 },
    { container: 7, all: 21 },
  ])
  await tunnels.close()
})

test.each([
  ['without an engine', 'None', 'PlatformProxy'],
  ['while the ports of containers are published', 'Docker', 'Default'],
])('%s the proxy is off', async (_, kind, containerPorts) => {
  const deps = { bus: openInProcessBus(() => undefined), engine: { kind }, config: { ...config, containerPorts } }
  const tunnels = openTunnels(deps as unknown as Deps)
  for (const ask of [tunnels.find, tunnels.admit])
    await expect(ask('container', { test: false, name: null })).rejects.toThrow(ProxyOff)
  await tunnels.close()
})

test('a node that drains accepts no connection, and waits for the end of the open ones', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const tunnels = openThem()
  for (const id of ['first', 'second']) tunnels.join(client, { ...admitted(), id }, from, () => undefined)
  const [first, second] = joined.splice(0)
  const order: string[] = []
  const drained = tunnels.drain(600_000).then(() => order.push('drained'))
  await expect(tunnels.admit('container', { test: false, name: null })).rejects.toThrow(ProxyNodeStopping)
  ended.mockClear()
  first?.closed({ in: 0, out: 0 })
  await turn()
  order.push('one left')
  second?.closed({ in: 0, out: 0 })
  await drained
  expect([order, vi.getTimerCount()]).toEqual([['one left', 'drained'], 0])
  vi.useRealTimers()
  await tunnels.close()
  expect(ended).not.toHaveBeenCalled()
})

test('a connection that does not end while the node drains is closed afterwards', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const tunnels = openThem()
    tunnels.join(client, admitted(), from, () => undefined)
    joined.splice(0)
    ended.mockClear()
    const drained = tunnels.drain(5_000)
    vi.advanceTimersByTime(5_000)
    await drained
    expect([tunnels.count(), ended.mock.calls]).toEqual([1, []])
    await tunnels.close()
    expect(ended.mock.calls).toEqual([[1001]])
  } finally {
    vi.useRealTimers()
  }
})

test('a node that drains without connections, or without time for them, does not wait, and still refuses', async () => {
  const tunnels = openThem()
  await tunnels.drain(600_000)
  await expect(tunnels.admit('container', { test: false, name: null })).rejects.toThrow(ProxyNodeStopping)
  tunnels.join(client, admitted(), from, () => undefined)
  joined.splice(0)
  await tunnels.drain(0)
  await tunnels.close()
})

test('a closed connection is removed', async () => {
  const tunnels = openThem()
  const log = vi.fn()
  tunnels.join(client, admitted(), from, log)
  joined.splice(0)[0]?.closed({ in: 1, out: 2 })
  expect(log.mock.calls).toEqual([[{ in: 1, out: 2 }]])
  ended.mockClear()
  await tunnels.close()
  expect(ended).not.toHaveBeenCalled()
})

test('a relayed connection has the same limits, and is removed when it closes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const tunnels = openThem()
  const [silent, long] = [admitted().container, admitted().container]
  tunnels.relay(admitted(silent), from)
  expect(silent.timeout).toBe(180_000)
  silent.emit('timeout')
  await once(silent, 'close')
  expect(vi.getTimerCount()).toBe(0)
  tunnels.relay(admitted(long), from)
  vi.advanceTimersByTime(2_699_999)
  expect(long.destroyed).toBe(false)
  vi.advanceTimersByTime(1)
  expect(long.destroyed).toBe(true)
  await once(long, 'close')
  vi.useRealTimers()
  const destroys = [silent, long].map((container) => vi.spyOn(container, 'destroy'))
  await tunnels.close()
  for (const destroy of destroys) expect(destroy).not.toHaveBeenCalled()
})

describe('counted connections', () => {
  let tunnels: Tunnels
  let sockets: Socket[]
  const reported = vi.fn()
  const bus = openInProcessBus(reported)
  const engine = { kind: 'Docker', reaches: (host: string) => host === '100.64.0.2' }
  const target = { host: '100.64.0.2', port: 7000, capture: null }
  const changed = async () => {
    bus.publish('instance.changed', { gameId: 1, challengeId: 2, participationId: 3 })
    await settled()
  }
  const settled = async () => {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
  }
  const idOf = (call: number): string => rows.enterTunnel.mock.calls[call]![1]
  const left = () => rows.leaveTunnel.mock.calls.map(([, id]) => id)

  beforeEach(async () => {
    await bus.close()
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    vi.clearAllMocks()
    sockets = []
    rows.isReachable.mockResolvedValue(true)
    rows.enterTunnel.mockResolvedValue(target)
    rows.leaveTunnel.mockResolvedValue(undefined)
    rows.renewTunnels.mockImplementation(async (_db, given: ReadonlyMap<string, string>) => new Set(given.keys()))
    dial.mockImplementation(async () => {
      sockets.push(new Socket())
      return sockets.at(-1)
    })
    const deps = { bus, engine, config: { ...config, containerPorts: 'PlatformProxy' }, onError: reported }
    tunnels = openTunnels(deps as unknown as Deps)
  })
  afterEach(async () => {
    await tunnels.close()
    joined.length = 0
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })
  const admit = (id = 'container') => tunnels.admit(id, { test: false, name: null })
  const join = async (id?: string) => {
    const admitted = await admit(id)
    tunnels.join(client, admitted, from, () => undefined)
    return admitted
  }

  test('check their containers once in ten seconds, and again when an instance changes', async () => {
    const find = (id: string, test = false) => tunnels.find(id, { test, name: null })
    const checks = () => rows.isReachable.mock.calls.splice(0).map(([, id, { test }]) => `${id} ${test}`)
    await Promise.all([find('one'), find('one'), find('one', true)])
    expect(checks()).toEqual(['one false', 'one true'])
    vi.advanceTimersByTime(tunnelLimits.knownFor - 1)
    await find('one')
    expect(checks()).toEqual([])
    vi.advanceTimersByTime(1)
    await find('one')
    await changed()
    await find('one')
    expect(checks()).toEqual(['one false', 'one false'])
    rows.isReachable.mockResolvedValue(false)
    await expect(find('guess')).rejects.toMatchObject({ code: 'proxy.not_found' })
    await expect(find('guess')).rejects.toMatchObject({ code: 'proxy.not_found' })
    expect(checks()).toEqual(['guess false'])
  })

  test('keep no memory of expired guesses', async () => {
    const forgotten = vi.spyOn(Map.prototype, 'delete')
    for (const id of ['one', 'two']) await tunnels.find(id, { test: false, name: null })
    vi.advanceTimersByTime(tunnelLimits.knownFor / 2)
    await tunnels.find('three', { test: false, name: null })
    vi.advanceTimersByTime(tunnelLimits.knownFor / 2)
    forgotten.mockClear()
    await tunnels.find('four', { test: false, name: null })
    expect(forgotten.mock.calls.flat()).toEqual(['false one ', 'false two '])
    forgotten.mockRestore()
  })

  test('are checked again at once after the database was unavailable', async () => {
    rows.isReachable.mockRejectedValueOnce(new Error('no connection'))
    await expect(tunnels.find('one', { test: false, name: null })).rejects.toThrow('no connection')
    await tunnels.find('one', { test: false, name: null })
    expect(rows.isReachable).toHaveBeenCalledTimes(2)
  })

  test.each([
    ['is refused', () => rows.enterTunnel.mockRejectedValueOnce(new Error('too many')), 'too many', 0, 0],
    [
      'has an address of another network',
      () => rows.enterTunnel.mockResolvedValueOnce({ ...target, host: '10.0.0.1' }),
      'rule',
      1,
      0,
    ],
    ['does not answer', () => dial.mockRejectedValueOnce(new Error('ECONNREFUSED')), 'ECONNREFUSED', 1, 1],
  ])('are not counted when the container %s', async (_what, given, message, released, dialled) => {
    given()
    const error = await admit().catch((reason) => reason)
    if (message === 'rule') expect(error).toMatchObject({ code: 'proxy.address_unknown' })
    else expect(error).toMatchObject({ message })
    expect([left(), dial.mock.calls.length]).toEqual([[idOf(0)].slice(0, released), dialled])
    await changed()
    expect(rows.renewTunnels).not.toHaveBeenCalled()
  })

  test('are released once: when abandoned, when closed, or with the platform', async () => {
    const abandoned = await admit()
    abandoned.abandon()
    abandoned.abandon()
    expect([sockets[0]!.destroyed, left()]).toEqual([true, [idOf(0)]])
    await join()
    joined[0]!.closed({ in: 0, out: 0 })
    expect(left()).toEqual([idOf(0), idOf(1)])
    await join()
    await admit()
    await tunnels.close()
    expect(left()).toEqual([0, 1, 2, 3].map(idOf))
    expect(ended.mock.calls).toEqual([[1001]])
  })

  test('require a reachable container', async () => {
    rows.isReachable.mockResolvedValue(false)
    await expect(admit()).rejects.toMatchObject({ code: 'proxy.not_found' })
    expect(rows.enterTunnel).not.toHaveBeenCalled()
  })

  test('that are relayed are released at their end, and end with their container', async () => {
    const [first, second, third] = [await admit('one'), await admit('one'), await admit('one')]
    for (const one of [first, second]) tunnels.relay(one, from)
    third.container.destroy()
    await once(third.container, 'close')
    // The connection ended between the dial and this call.
    tunnels.relay(third, from)
    expect(left()).toEqual([third.id])
    rows.renewTunnels.mockResolvedValueOnce(new Set([second.id]))
    await changed()
    expect([first.container.destroyed, second.container.destroyed]).toEqual([true, false])
    expect(left()).toEqual([third.id, first.id])
    second.container.destroy()
    await once(second.container, 'close')
    expect(left()).toEqual([third.id, first.id, second.id])
  })

  test.each(['join', 'carry'] as const)(
    'that are captured have their capture closed; a failure is reported (%s)',
    async (kind) => {
      const facts = { Challenge: 'Task', ChallengeId: 1 }
      rows.enterTunnel.mockResolvedValueOnce({ ...target, capture: { facts, participationId: 2 } })
      capture.close.mockRejectedValueOnce(new Error('disk full'))
      const admitted = await admit()
      if (kind === 'join') {
        tunnels.join(client, admitted, from, () => undefined)
        joined[0]!.passed?.('in', Buffer.from('hello'))
        expect(capture.write.mock.calls).toEqual([['in', Buffer.from('hello')]])
        joined[0]!.closed({ in: 0, out: 0 })
      } else {
        tunnels.relay(admitted, from).destroy()
        await once(admitted.container, 'close')
      }
      await settled()
      expect(reported.mock.calls).toEqual([[new Error('disk full')]])
      expect(left()).toEqual([admitted.id])
    },
  )

  describe('that are captured', () => {
    const captured = { ...target, capture: { facts: { ChallengeId: 1 }, participationId: 2 } }
    async function closeWith(count: number) {
      for (let i = 0; i < count; i++) {
        rows.enterTunnel.mockResolvedValueOnce(captured)
        tunnels.join(client, await admit(), from, () => undefined)
      }
      const order: string[] = []
      return { order, closing: tunnels.close().then(() => order.push('closed')) }
    }

    test('end before the platform does, with all captures complete', async () => {
      late.promise = new Promise(() => undefined)
      const written = Promise.withResolvers<void>()
      capture.close.mockReturnValueOnce(written.promise)
      const { order, closing } = await closeWith(2)
      for (const one of joined.slice(-2)) one.closed({ in: 0, out: 0 })
      await settled()
      order.push('written')
      written.resolve()
      await closing
      expect(order).toEqual(['written', 'closed'])
    })

    test('and do not end in time do not keep the platform', async () => {
      const over = Promise.withResolvers<void>()
      late.promise = over.promise
      const { order, closing } = await closeWith(1)
      await settled()
      order.push('late')
      over.resolve()
      await closing
      expect([order, late.given]).toEqual([
        ['late', 'closed'],
        [1_000, undefined, { ref: false }],
      ])
      joined.at(-1)!.closed({ in: 0, out: 0 })
    })
  })

  test('are reported when they cannot be released, and others continue', async () => {
    rows.leaveTunnel.mockRejectedValueOnce(new Error('no connection'))
    ;(await admit()).abandon()
    await settled()
    expect(reported.mock.calls).toEqual([[new Error('no connection')]])
  })

  test('have their leases renewed, and end with 1001 when their container has ended; others stay', async () => {
    const [one, other] = [await join('one'), await join('other')]
    const waiting = await admit('one')
    rows.renewTunnels.mockResolvedValueOnce(new Set([other.id]))
    vi.advanceTimersByTime(tunnelLimits.lease / 3)
    await settled()
    expect(rows.renewTunnels.mock.calls.map(([, given]) => [...given])).toEqual([
      [
        [one.id, 'one'],
        [other.id, 'other'],
        [waiting.id, 'one'],
      ],
    ])
    // Only joined connections are closed.
    expect(ended.mock.calls).toEqual([[1001]])
    await changed()
    expect(rows.renewTunnels).toHaveBeenCalledTimes(2)
    expect(ended).toHaveBeenCalledTimes(1)
  })

  test('that end during a renewal are released again after it', async () => {
    const [one, other] = [await join('one'), await join('other')]
    const answer = Promise.withResolvers<ReadonlySet<string>>()
    rows.renewTunnels.mockReturnValueOnce(answer.promise)
    await changed()
    joined[0]!.closed({ in: 0, out: 0 })
    expect(left()).toEqual([one.id])
    answer.resolve(new Set([one.id, other.id]))
    await settled()
    expect(left()).toEqual([one.id, one.id])
    expect(ended).not.toHaveBeenCalled()
  })

  test('are renewed again after a failure', async () => {
    await join()
    rows.renewTunnels.mockRejectedValueOnce(new Error('no connection'))
    await changed()
    expect(reported.mock.calls).toEqual([[new Error('no connection')]])
    await changed()
    expect(rows.renewTunnels).toHaveBeenCalledTimes(2)
    expect(ended).not.toHaveBeenCalled()
  })

  test('are released at shutdown only after pending renewals complete', async () => {
    const { id } = await join()
    const answer = Promise.withResolvers<ReadonlySet<string>>()
    rows.renewTunnels.mockReturnValueOnce(answer.promise)
    await changed()
    const closing = tunnels.close()
    await settled()
    expect(left()).toEqual([])
    answer.resolve(new Set([id]))
    await closing
    expect(left()).toEqual([id])
  })
})
