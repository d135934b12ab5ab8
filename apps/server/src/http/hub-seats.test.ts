import { hubLimits } from '@vexil/core/limits'
import { expect, test } from 'vitest'
import { openHubSeats, type Seat } from './hub-seats.ts'

const visitor = (key: string) => ({ actor: null, key })
const player = (id: string) => ({ actor: { id, userName: id, role: 'User' as const }, key: id })

function takeAll(seats: ReturnType<typeof openHubSeats>, who: Parameters<typeof seats.take>[0], { shake = true } = {}): Seat[] {
  const taken: Seat[] = []
  for (let seat = seats.take(who); seat && taken.length < 10_000; seat = seats.take(who)) {
    if (shake) seat.shaken()
    taken.push(seat)
  }
  return taken
}

test.each([
  ['an account', player('anna'), player('bert'), hubLimits.perAccount, hubLimits.unshakenPerAccount],
  ['an address', visitor('10.0.0.1'), visitor('10.0.0.2'), hubLimits.perAddress, hubLimits.unshakenPerAddress],
])(
  '%s holds so many connections, fewer before their handshake, and takes none from a neighbour',
  (_name, who, other, most, unshaken) => {
    const seats = openHubSeats()
    const waiting = takeAll(seats, who, { shake: false })
    expect(waiting).toHaveLength(unshaken)
    expect(seats.take(other)).not.toBeNull()
    for (const seat of waiting) seat.shaken()
    expect(waiting.length + takeAll(seats, who).length).toBe(most)
  },
)

test('a seat that was given back is free again, once', () => {
  const seats = openHubSeats()
  const taken = takeAll(seats, player('anna'))
  taken[0]?.leave()
  taken[0]?.leave()
  expect(takeAll(seats, player('anna'))).toHaveLength(1)
  for (const seat of taken) seat.leave()
  expect(takeAll(seats, player('anna'))).toHaveLength(hubLimits.perAccount - 1)
})

test('a connection that ends before its handshake frees its place among the waiting', () => {
  const seats = openHubSeats()
  const waiting = takeAll(seats, player('anna'), { shake: false })
  for (const seat of waiting) seat.leave()
  expect(takeAll(seats, player('anna'), { shake: false })).toHaveLength(hubLimits.unshakenPerAccount)
})

test('a handshake counts once: said twice, or before its connection ends, it frees one place among the waiting', () => {
  for (const end of [(seat: Seat) => seat.shaken(), (seat: Seat) => seat.leave()]) {
    const seats = openHubSeats()
    const [first] = takeAll(seats, player('anna'), { shake: false }) as [Seat]
    first.shaken()
    end(first)
    expect(takeAll(seats, player('anna'), { shake: false })).toHaveLength(1)
  }
})

test('connections that end before their handshake free their places while another one listens', () => {
  const seats = openHubSeats()
  seats.take(player('anna'))?.shaken()
  for (let round = 0; round < 3; round++) {
    const waiting = takeAll(seats, player('anna'), { shake: false })
    expect(waiting).toHaveLength(hubLimits.unshakenPerAccount)
    for (const seat of waiting) seat.leave()
  }
})
