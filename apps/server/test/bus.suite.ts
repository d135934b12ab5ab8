/** Tests that every bus must pass. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { Bus } from '../src/ports/bus/bus.ts'

interface Opened {
  readonly bus: Bus
  /** The bus of another node; the same bus if there is only one node. */
  readonly other: Bus
  /** The reported faults. */
  readonly faults: unknown[]
}

export function busSuite(open: () => Promise<Opened>): void {
  test('an event reaches all nodes, once each, with its data', async () => {
    const { bus, other } = await open()
    const received: unknown[] = []
    for (const node of new Set([bus, other])) node.subscribe('submission.judged', (event) => received.push(event))
    const events = [
      { gameId: 1, submissionId: 2, solve: null },
      { gameId: 1, submissionId: 3, solve: 7 },
    ]
    for (const event of events) bus.publish('submission.judged', event)
    const nodes = new Set([bus, other]).size
    await vi.waitFor(() => expect(received).toHaveLength(events.length * nodes), 5000)
    await turn()
    expect(received).toHaveLength(events.length * nodes)
    for (const event of events) expect(received).toContainEqual(event)
    await bus.close()
    await other.close()
  })

  test('a listener receives one kind of event, in the order of publication', async () => {
    const { bus, other } = await open()
    const received: number[] = []
    let others = 0
    other.subscribe('game.changed', ({ gameId }) => received.push(gameId))
    other.subscribe('notice.changed', () => others++)
    for (let gameId = 1; gameId <= 300; gameId++) bus.publish('game.changed', { gameId })
    await vi.waitFor(() => expect(received).toHaveLength(300), 5000)
    expect(received).toEqual(Array.from({ length: 300 }, (_, i) => i + 1))
    expect(others).toBe(0)
    await bus.close()
    await other.close()
  })

  test('publishing does not wait for listeners', async () => {
    const { bus, other } = await open()
    let received = false
    bus.subscribe('settings.changed', () => {
      received = true
    })
    bus.publish('settings.changed', {})
    expect(received).toBe(false)
    await vi.waitFor(() => expect(received).toBe(true), 5000)
    await bus.close()
    await other.close()
  })

  test('an error in a listener is reported and does not affect others', async () => {
    const { bus, other, faults } = await open()
    const fault = new Error('of a listener')
    const received: number[] = []
    bus.subscribe('game.changed', () => {
      throw fault
    })
    bus.subscribe('game.changed', ({ gameId }) => received.push(gameId))
    bus.publish('game.changed', { gameId: 5 })
    bus.publish('game.changed', { gameId: 6 })
    await vi.waitFor(() => expect(received).toEqual([5, 6]), 5000)
    expect(faults).toEqual([fault, fault])
    await bus.close()
    await other.close()
  })

  test('a removed listener receives nothing more, and no listener does after the end', async () => {
    const { bus, other } = await open()
    const received: string[] = []
    const leave = bus.subscribe('team.changed', () => received.push('left'))
    bus.subscribe('team.changed', () => received.push('stayed'))
    leave()
    bus.publish('team.changed', { teamId: 1 })
    await vi.waitFor(() => expect(received).toEqual(['stayed']), 5000)
    await bus.close()
    bus.publish('team.changed', { teamId: 2 })
    await turn()
    await turn()
    expect(received).toEqual(['stayed'])
    if (other !== bus) await other.close()
  })
}
