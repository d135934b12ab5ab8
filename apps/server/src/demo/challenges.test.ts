/** Each challenge is solved here with nothing but what a player gets: its text and its attachment. */
import { createHmac } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { demoChallenges } from './challenges.ts'

const challenge = (title: string) => demoChallenges.find((one) => one.title === title)!
const fileOf = async (title: string) => await challenge(title).file!.bytes()
const textOf = async (title: string) => (await fileOf(title)).toString()
const flagOf = (title: string) => challenge(title).flags[0]

test('the attachments have the same bytes every time', async () => {
  for (const { file } of demoChallenges) if (file) expect(await file.bytes()).toEqual(await file.bytes())
})

test('Roll Call', async () => {
  const text = await textOf('Roll Call')
  const times = [...text.matchAll(/^\d\d:\d\d/gm)].map(String)
  expect(times).toEqual(times.toSorted())
  const words = text
    .split('-- change of watch --')
    .map((watch) => [...watch.matchAll(/^\d\d:\d\d {2}(\w)/gm)].map(([, letter]) => letter!.toLowerCase()).join(''))
  expect(`tide{${words.join('_')}}`).toBe(flagOf('Roll Call'))
})

test('Two Keepers', async () => {
  const [n, e1, c1, e2, c2] = [...(await textOf('Two Keepers')).matchAll(/= (\d+)/g)].map(([, number]) => BigInt(number!)) as [
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
  ]
  const [a, b] = bezout(e1, e2)
  const message = (power(c1, a, n) * power(c2, b, n)) % n
  expect(Buffer.from(message.toString(16), 'hex').toString()).toBe(flagOf('Two Keepers'))
})

function bezout(x: bigint, y: bigint): [bigint, bigint] {
  if (y === 0n) return [1n, 0n]
  const [a, b] = bezout(y, x % y)
  return [b, a - (x / y) * b]
}

function power(base: bigint, exponent: bigint, n: bigint): bigint {
  if (exponent < 0n) return power(((bezout(base, n)[0] % n) + n) % n, -exponent, n)
  if (exponent === 0n) return 1n
  const half = power(base, exponent / 2n, n)
  return exponent % 2n === 0n ? (half * half) % n : (half * half * base) % n
}

test('Salted Rope, for every team', () => {
  const { flags, eachFile } = challenge('Salted Rope')
  for (const flag of flags) {
    const bytes = Buffer.from(eachFile!.bytes(flag).toString().replaceAll('\n', ''), 'hex')
    expect(breakRope(bytes)).toContain(flag)
  }
})

/** Tries the known beginning of a flag at every position and keeps results that are readable as a whole. */
function breakRope(bytes: Buffer): string[] {
  const crib = Buffer.from('tide{brine_holds_')
  const found: string[] = []
  for (let length = 6; length <= 10; length++) {
    for (let at = 0; at + crib.length <= bytes.length; at++) {
      const key = Buffer.alloc(length)
      for (let step = 0; step < length; step++) key[(at + step) % length] = bytes[at + step]! ^ crib[step]!
      const text = Buffer.from(bytes.map((byte, place) => byte ^ key[place % length]!)).toString('latin1')
      if (/^[ -~]+$/.test(text)) found.push(...(text.match(/tide\{[a-z0-9_]+\}/) ?? []))
    }
  }
  return found
}

test('Ferry Ticket', async () => {
  const files = unzip(await fileOf('Ferry Ticket'))
  const words = files.get('words.txt')!.trim().split('\n')
  const ticket = files.get('ticket.txt')!.trim()
  const text = ticket.slice(0, ticket.lastIndexOf('.'))
  const secret = words
    .flatMap((first) => words.map((second) => `${first}-${second}`))
    .find((pair) => createHmac('sha256', pair).update(text).digest('base64url') === ticket.slice(text.length + 1))
  expect(`tide{${secret!.replace('-', '_')}}`).toBe(flagOf('Ferry Ticket'))
})

function unzip(bytes: Buffer): Map<string, string> {
  const files = new Map<string, string>()
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50; ) {
    const [packed, name, extra] = [bytes.readUInt32LE(at + 18), bytes.readUInt16LE(at + 26), bytes.readUInt16LE(at + 28)]
    const start = at + 30 + name + extra
    files.set(bytes.toString('utf8', at + 30, at + 30 + name), inflateRawSync(bytes.subarray(start, start + packed)).toString())
    at = start + packed
  }
  return files
}

test('Brass Sextant', async () => {
  const dial = /dial = \[([\d, ]+)\]/
    .exec(await textOf('Brass Sextant'))![1]!
    .split(', ')
    .map(Number)
  const reading = dial.map((mark, notch) => ((((mark ^ 42) - notch * 7) & 255) * 205) & 255)
  expect(Buffer.from(reading).toString()).toBe(flagOf('Brass Sextant'))
})

test('Wet Logbook', async () => {
  const { data, info } = await sharp(await fileOf('Wet Logbook'))
    .raw()
    .toBuffer({ resolveWithObject: true })
  const letters: number[] = []
  for (let at = 0; letters.at(-1) !== 0; at += 8) {
    letters.push(
      Array.from({ length: 8 }, (_, bit) => data[(at + bit) * info.channels]! & 1).reduce((sum, bit) => sum * 2 + bit, 0),
    )
  }
  expect(Buffer.from(letters.slice(0, -1)).toString()).toBe(flagOf('Wet Logbook'))
})

test('Last Packets', async () => {
  const bytes = await fileOf('Last Packets')
  const letters: number[] = []
  const times: number[] = []
  expect(bytes.readUInt32LE(20)).toBe(1)
  for (let at = 24; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at + 8)
    times.push(bytes.readUInt32LE(at) * 1e6 + bytes.readUInt32LE(at + 4))
    const packet = bytes.subarray(at + 16, at + 16 + length)
    const header = Array.from({ length: 10 }, (_, word) => packet.readUInt16BE(14 + 2 * word))
    // In one's complement arithmetic, the words of a header with a correct checksum have the sum 0.
    expect(header.reduce((sum, word) => sum + word, 0) % 0xffff).toBe(0)
    // Lengths: captured, original, of IP, of UDP. Ports: of the sender, of the recipient.
    const lengths = [length, bytes.readUInt32LE(at + 12), 14 + header[1]!, 34 + packet.readUInt16BE(38)]
    expect(lengths).toEqual(Array(4).fill(packet.length))
    const port = packet.readUInt16BE(36)
    expect([packet.readUInt16BE(34), [4242, 5353].includes(port)]).toEqual([40_000, true])
    if (port === 4242) letters[packet[42]!] = packet[43]!
    at += 16 + length
  }
  expect(times[0]).toBeGreaterThan(1.7e15)
  for (const [at, time] of times.slice(1).entries()) expect(time - times[at]!).toBeGreaterThanOrEqual(10_000)
  expect(Buffer.from(letters).toString()).toBe(flagOf('Last Packets'))
})

test('Foghorn UART', async () => {
  const rows = (await textOf('Foghorn UART'))
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => row.split(',').map(Number) as [number, number])
  const levelAt = (time: number) => rows.findLast(([since]) => since <= time)![1]
  const bit = 1 / 9600
  const letters: number[] = []
  let free = 0
  for (const [time, level] of rows) {
    if (level === 1 || time < free) continue
    letters.push(Array.from({ length: 8 }, (_, at) => levelAt(time + (1.5 + at) * bit) << at).reduce((sum, one) => sum + one, 0))
    free = time + 9.5 * bit
  }
  expect(Buffer.from(letters).toString()).toContain(flagOf('Foghorn UART'))
})

test('Shortest Strait, its example and its hint are correct', async () => {
  const chart = (await textOf('Shortest Strait'))
    .trim()
    .split('\n')
    .map((row) => [...row].map(Number))
  const example = [...challenge('Shortest Strait').content.matchAll(/^\d \d \d \d$/gm)].map(([row]) => row.split(' ').map(Number))
  const everywhere = [
    [0, 1],
    [1, 0],
    [0, -1],
    [-1, 0],
  ] as const
  expect(leastTime(example, everywhere)).toBe(29)
  expect(`tide{${leastTime(chart, everywhere)}}`).toBe(flagOf('Shortest Strait'))
  expect(leastTime(chart, everywhere.slice(0, 2))).toBeGreaterThan(leastTime(chart, everywhere))
})

function leastTime(chart: readonly (readonly number[])[], steps: readonly (readonly [number, number])[]): number {
  const times = chart.map((row) => row.map(() => Number.POSITIVE_INFINITY))
  const open: [number, number, number][] = [[0, 0, chart[0]![0]!]]
  while (open.length > 0) {
    const [x, y, time] = open.pop()!
    if (time >= times[y]![x]!) continue
    times[y]![x] = time
    for (const [dx, dy] of steps) {
      const square = chart[y + dy]?.[x + dx]
      if (square !== undefined) open.push([x + dx, y + dy, time + square])
    }
    open.sort((a, b) => b[2] - a[2])
  }
  return times.at(-1)!.at(-1)!
}

test('読まれない航路', async () => {
  const { weights, output } = JSON.parse(await textOf('読まれない航路')) as { weights: number[][]; output: number[] }
  expect(Buffer.from(solve(weights, output)).toString()).toBe(flagOf('読まれない航路'))
})

/** Gaussian elimination with partial pivoting. */
function solve(weights: readonly (readonly number[])[], output: readonly number[]): number[] {
  const rows = weights.map((row, at) => [...row, output[at]!])
  for (const [at] of rows.entries()) {
    const pivot = rows.slice(at).reduce((best, row) => (Math.abs(row[at]!) > Math.abs(best[at]!) ? row : best))
    rows.splice(rows.indexOf(pivot), 1)
    rows.splice(at, 0, pivot)
    for (const row of rows) {
      const share = row === pivot ? 0 : row[at]! / pivot[at]!
      if (share !== 0) for (const [column] of row.entries()) row[column] = row[column]! - share * pivot[column]!
    }
  }
  return rows.map((row, at) => Math.round(row.at(-1)! / row[at]!))
}

test('Postcard', async () => {
  const { exif } = await sharp(await fileOf('Postcard')).metadata()
  // The coordinates of the Tower of Hercules, 43°23′9″ N 8°24′23″ W, as rational numbers.
  const numbers = new Uint32Array(exif!.length - 3).map((_, at) => exif!.readUInt32LE(at))
  for (const wanted of [
    [43, 1, 0, 0, 0, 23],
    [8, 1, 0, 0, 0, 24],
  ]) {
    const [degrees, , , , , minutes] = wanted as [number, number, number, number, number, number]
    expect(numbers.some((_, at) => numbers[at] === degrees && numbers[at + 4] === 1 && numbers[at + 8] === minutes)).toBe(true)
  }
})

test('Bilge Pump requires a container', () => {
  expect(demoChallenges.filter(({ container }) => container).map(({ title, type }) => [title, type])).toEqual([
    ['Bilge Pump', 'DynamicContainer'],
  ])
})
