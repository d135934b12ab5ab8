/** Each challenge is solved here with its text alone. */
import { challengeCategories } from '@vexil/core/vocabulary'
import { expect, test } from 'vitest'
import { allDemoChallenges, hardChallenges, quickChallenge } from './text-challenges.ts'

const find = (title: string) => allDemoChallenges.find((one) => one.title === title)!
/** The n-th code block of the text. */
const shown = (title: string, at = 0) => [...find(title).content.matchAll(/```\w+\n([\s\S]*?)\n```/g)][at]![1]!
const numbers = (text: string) => [...text.matchAll(/-?\d+/g)].map(([number]) => Number(number))
const text = (bytes: readonly number[]) => String.fromCharCode(...bytes)
const unbase = (coded: string) => Buffer.from(coded, 'base64').toString()
const backwards = (line: string) => [...line].reverse().join('')

const lamp: Record<string, string> = {
  '.-': 'a',
  '-.-.': 'c',
  '-..': 'd',
  '.': 'e',
  '..-.': 'f',
  '....': 'h',
  '..': 'i',
  '-.-': 'k',
  '.-..': 'l',
  '---': 'o',
  '.--.': 'p',
  '.-.': 'r',
  '...': 's',
  '-': 't',
  '/': '_',
}

const solutions: Record<string, () => string> = {
  'Welcome Aboard': () => unbase(shown('Welcome Aboard')),
  'Morse Lamp': () =>
    `tide{${shown('Morse Lamp')
      .split(' ')
      .map((sign) => lamp[sign])
      .join('')}}`,
  'Thirteen Steps': () =>
    shown('Thirteen Steps').replace(/[a-z]/g, (sign) => String.fromCharCode(((sign.charCodeAt(0) - 84) % 26) + 97)),
  'Rail Fence': () => {
    const coded = shown('Rail Fence')
    const places = [[0], [1, 3], [2]].flatMap((rail) => [...coded].flatMap((_, at) => (rail.includes(at % 4) ? at : [])))
    return [...coded].map((_, place) => coded[places.indexOf(place)]).join('')
  },
  'Cookie Jar': () => JSON.parse(unbase(shown('Cookie Jar').split('.')[1]!)).note,
  'Percent Tide': () => decodeURIComponent(decodeURIComponent(shown('Percent Tide').split('q=')[1]!)),
  'Stack of Crates': () =>
    shown('Stack of Crates')
      .split('\n')
      .map((word) => backwards(Buffer.from(word.slice(2), 'hex').toString()))
      .join('')
      .replaceAll('\0', ''),
  'Off by One': () =>
    text(
      shown('Off by One')
        .split(' ')
        .map((byte) => Number.parseInt(byte, 16) - 1),
    ),
  'Mirror Lagoon': () => backwards(text(numbers(shown('Mirror Lagoon', 1)).map((code) => code ^ 0x2a))),
  'Winding Stairs': () => text(numbers(shown('Winding Stairs', 1)).map((code, at) => ((code ^ at) - 3 * at + 256) % 256)),
  'Block Zero': () => Buffer.from(shown('Block Zero').slice(2), 'hex').toString(),
  'Call Data': () => {
    const [, , length, padded] = shown('Call Data').split('\n')
    return Buffer.from(padded!, 'hex').toString().slice(0, Number.parseInt(length!, 16))
  },
  'Deep Link': () => unbase(backwards(shown('Deep Link').split('ticket=')[1]!)),
  'Escaped Strings': () => JSON.parse(`"${/>(.*)</.exec(shown('Escaped Strings'))![1]}"`),
  'Blind Harbour': () => text([...shown('Blind Harbour').matchAll(/=(\d+)--/g)].map(([, code]) => Number(code))),
  'Open Ports': () => text(numbers(shown('Open Ports')).map((port) => port - 7000)),
  'Token Soup': () => {
    const known = new Map(
      shown('Token Soup')
        .split('\n')
        .map((line) => line.split(': ') as [string, string]),
    )
    return shown('Token Soup', 1)
      .split(' ')
      .map((id) => known.get(id))
      .join('')
  },
  'First of Its Name': () => 'tide{pharos}',
  'Twin Primes': () => {
    const [n, e, c] = [...shown('Twin Primes').matchAll(/= (\d+)/g)].map(([, value]) => BigInt(value!)) as [
      bigint,
      bigint,
      bigint,
    ]
    let a = root(n)
    while (root(a * a - n) ** 2n !== a * a - n) a++
    const b = root(a * a - n)
    const message = power(c, inverse(e, (a - b - 1n) * (a + b - 1n)), n)
    return Buffer.from(message.toString(16), 'hex').toString()
  },
  'Tide Tables': () => {
    const modulus = 65537n
    const levels = numbers(shown('Tide Tables')).map(BigInt)
    const [x0, x1, x2] = levels as [bigint, bigint, bigint]
    const a = ((((x2 - x1) * inverse((x1 - x0 + modulus) % modulus, modulus)) % modulus) + modulus) % modulus
    const next = (x: bigint) => (((a * x + x1 - a * x0) % modulus) + modulus) % modulus
    const later = [next(levels.at(-1)!)]
    const sums = numbers(shown('Tide Tables', 1))
    while (later.length < sums.length) later.push(next(later.at(-1)!))
    return text(sums.map((sum, at) => sum - Number(later[at])))
  },
}

function root(n: bigint): bigint {
  if (n < 2n) return n
  let x = 1n << BigInt((n.toString(2).length >> 1) + 1)
  for (;;) {
    const y = (x + n / x) >> 1n
    if (y >= x) return x
    x = y
  }
}
function inverse(a: bigint, n: bigint): bigint {
  let [r, s, x, y] = [n, a % n, 0n, 1n]
  while (s !== 0n) {
    const q = r / s
    ;[r, s, x, y] = [s, r - q * s, y, x - q * y]
  }
  return ((x % n) + n) % n
}
function power(base: bigint, exponent: bigint, n: bigint): bigint {
  if (exponent === 0n) return 1n
  const half = power((base * base) % n, exponent >> 1n, n)
  return exponent & 1n ? (half * base) % n : half
}

test.each(Object.keys(solutions))('%s', (title) => {
  expect(find(title).flags).toContain(solutions[title]!())
})

test('the demo has more than 24 challenges with different titles in all categories, two of them hard, and one for a minute', () => {
  expect(allDemoChallenges.length).toBeGreaterThanOrEqual(24)
  expect(new Set(allDemoChallenges.map(({ title }) => title)).size).toBe(allDemoChallenges.length)
  expect(new Set(allDemoChallenges.map(({ category }) => category))).toEqual(new Set(challengeCategories))
  expect(hardChallenges.map((title) => find(title).minutes > 240)).toEqual([true, true])
  expect(find(quickChallenge).minutes).toBe(1)
  // The first twelve are solved in challenges.test.ts.
  expect(allDemoChallenges.slice(12).map(({ title }) => title)).toEqual(Object.keys(solutions))
})
