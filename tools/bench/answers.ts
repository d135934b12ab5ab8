/** Answers to challenges of a seeded game, as requests. */
import { request } from './load.ts'
import type { Seeded } from './seed.ts'

/** One answer. */
export interface Sent {
  readonly cookie: string
  readonly participation: number
  readonly challenge: number
  readonly flag: string
}

/** A sequence of requests, and the answer that each of them contains. */
export interface Answers {
  readonly next: () => Buffer
  readonly sentAs: (bytes: Buffer) => Sent
}

const shareOfRight = 0.3

function answersOf(seeded: Seeded, following: () => Sent): Answers {
  const sent = new WeakMap<Buffer, Sent>()
  return {
    next() {
      const one = following()
      const path = `/api/game/${seeded.game}/challenges/${one.challenge}`
      const bytes = request('POST', path, { cookie: one.cookie }, JSON.stringify({ flag: one.flag }))
      sent.set(bytes, one)
      return bytes
    },
    sentAs: (bytes) => sent.get(bytes) as Sent,
  }
}

/** Wrong answers, all different, and right ones (three of ten), from each team in turn on a challenge that it has not solved. */
export function mixedAnswers(seeded: Seeded): Answers {
  const open = seeded.actors.map(({ solved }) => {
    const done = new Set(solved)
    return seeded.challenges.filter(({ id }) => !done.has(id))
  })
  let turn = 0
  return answersOf(seeded, () => {
    const at = turn++ % seeded.actors.length
    const { id: participation, headers } = seeded.actors[at] as Seeded['actors'][number]
    const right = turn % 10 < shareOfRight * 10 ? open[at]?.pop() : undefined
    const challenge = right?.id ?? (seeded.challenges[turn % seeded.challenges.length]?.id as number)
    return { cookie: headers.cookie, participation, challenge, flag: right?.flag ?? `flag{wrong_${turn}}` }
  })
}

/** Right answers only, each by a team that has not solved the challenge. */
export function rightAnswers(seeded: Seeded): Answers {
  const left = seeded.actors.flatMap(({ id: participation, headers, solved }) => {
    const done = new Set(solved)
    return seeded.challenges
      .filter(({ id }) => !done.has(id))
      .map(({ id: challenge, flag }): Sent => ({ cookie: headers.cookie, participation, challenge, flag }))
  })
  // A step that is coprime to the length visits each answer once, and consecutive answers are of different teams.
  let step = Math.floor(left.length * 0.618)
  while (gcd(step, left.length) !== 1) step++
  let at = 0
  return answersOf(seeded, () => {
    at = (at + step) % left.length
    return left[at] as Sent
  })
}
const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))

/** The request for the verdict of an answer that was stored (status 200, its number as the body). */
export function askVerdict(seeded: Seeded, { cookie, challenge }: Sent, number: string): Buffer {
  return request('GET', `/api/game/${seeded.game}/challenges/${challenge}/status/${number}`, { cookie })
}
