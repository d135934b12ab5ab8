import { hubLimits } from '@vexil/core/limits'
import { expect, test, vi } from 'vitest'
import { type ConnectionSlot, openConnectionSlots } from './connection-slots.ts'

const visitor = (key: string) => ({ actor: null, key })
const player = (id: string) => ({ actor: { id, userName: id, role: 'User' as const }, key: id })

function takeAll(
  slots: ReturnType<typeof openConnectionSlots>,
  who: Parameters<typeof slots.take>[0],
  { shake = true } = {},
): ConnectionSlot[] {
  const taken: ConnectionSlot[] = []
  for (let slot = slots.take(who); slot && taken.length < 10_000; slot = slots.take(who)) {
    if (shake) slot.handshakeDone()
    taken.push(slot)
  }
  return taken
}

test.each([
  ['an account', player('anna'), player('bert'), hubLimits.perAccount, hubLimits.pendingHandshakesPerAccount],
  ['an address', visitor('10.0.0.1'), visitor('10.0.0.2'), hubLimits.perAddress, hubLimits.pendingHandshakesPerAddress],
])(
  '%s has a limit of connections, a lower one before the handshake, and another caller is unaffected',
  (_name, who, other, most, pending) => {
    const slots = openConnectionSlots()
    const waiting = takeAll(slots, who, { shake: false })
    expect(waiting).toHaveLength(pending)
    expect(slots.take(other)).not.toBeNull()
    for (const slot of waiting) slot.handshakeDone()
    expect(waiting.length + takeAll(slots, who).length).toBe(most)
  },
)

test('a released slot is available again, once', () => {
  const slots = openConnectionSlots()
  const taken = takeAll(slots, player('anna'))
  taken[0]?.leave()
  taken[0]?.leave()
  expect(takeAll(slots, player('anna'))).toHaveLength(1)
  for (const slot of taken) slot.leave()
  expect(takeAll(slots, player('anna'))).toHaveLength(hubLimits.perAccount - 1)
})

test('a connection that ends before its handshake releases its pending slot', () => {
  const slots = openConnectionSlots()
  const waiting = takeAll(slots, player('anna'), { shake: false })
  for (const slot of waiting) slot.leave()
  expect(takeAll(slots, player('anna'), { shake: false })).toHaveLength(hubLimits.pendingHandshakesPerAccount)
})

test('a repeated handshake, or an end after it, releases the pending slot only once', () => {
  for (const end of [(slot: ConnectionSlot) => slot.handshakeDone(), (slot: ConnectionSlot) => slot.leave()]) {
    const slots = openConnectionSlots()
    const [first] = takeAll(slots, player('anna'), { shake: false }) as [ConnectionSlot]
    first.handshakeDone()
    end(first)
    expect(takeAll(slots, player('anna'), { shake: false })).toHaveLength(1)
  }
})

test('connections that end before their handshake release their pending slots while another is open', () => {
  const slots = openConnectionSlots()
  slots.take(player('anna'))?.handshakeDone()
  for (let round = 0; round < 3; round++) {
    const waiting = takeAll(slots, player('anna'), { shake: false })
    expect(waiting).toHaveLength(hubLimits.pendingHandshakesPerAccount)
    for (const slot of waiting) slot.leave()
  }
})

test('nothing is kept of a caller without connections', () => {
  const set = vi.spyOn(Map.prototype, 'set')
  try {
    const slot = openConnectionSlots().take(player('anna'))
    const counts = set.mock.contexts[set.mock.calls.findIndex(([key]) => key === 'anna')] as Map<string, unknown>
    expect(counts.size).toBe(1)
    slot?.leave()
    expect(counts.size).toBe(0)
  } finally {
    set.mockRestore()
  }
})
