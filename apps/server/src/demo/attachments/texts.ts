import { createHash, createHmac } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { seededRandom } from '../random.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest()

// ---- Roll Call

const alphabet =
  'Alfa Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliett Kilo Lima Mike November Oscar Papa Quebec Romeo Sierra Tango Uniform Victor Whiskey Xray Yankee Zulu'.split(
    ' ',
  )
const ports = [
  'Genoa',
  'Tromsø',
  'Dalian',
  'Nagasaki',
  'Lisbon',
  'Riga',
  'Busan',
  'Valparaíso',
  'Aden',
  'Halifax',
  'Turku',
  'Izmir',
]

/** One ship per letter, named by the signal alphabet; the watch changes between two words. */
export function rollCall(words: readonly string[]): Buffer {
  const random = seededRandom(11)
  let minute = 6 * 60
  const lines = words.map((word) =>
    [...word]
      .map((letter) => {
        minute += 1 + random.below(9)
        const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
        const ship = alphabet[letter.charCodeAt(0) - 97]!
        return `${time}  ${ship.padEnd(10)} ${random.likely(0.5) ? 'to' : 'from'} ${random.pick(ports)}`
      })
      .join('\n'),
  )
  return Buffer.from(`Harbour office, roll of the day\n\n${lines.join('\n\n-- change of watch --\n\n')}\n`)
}

// ---- Two Keepers

const p = 1833028328440255299584764478327509930474618685037762326620121184314278522140755774328271297248823n
const q = 1749846854304665243574473517311689868741810430277062471563648578318728632425070555497870218519547n

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  for (let [square, left] = [base % modulus, exponent]; left > 0n; left >>= 1n, square = (square * square) % modulus) {
    if (left & 1n) result = (result * square) % modulus
  }
  return result
}

/** One text encrypted with one modulus and two coprime exponents. */
export function twoKeepers(flag: string): Buffer {
  const n = p * q
  const text = BigInt(`0x${Buffer.from(flag).toString('hex')}`)
  const lines = [`n  = ${n}`, 'e1 = 65537', `c1 = ${power(text, 65_537n, n)}`, 'e2 = 257', `c2 = ${power(text, 257n, n)}`]
  return Buffer.from(`${lines.join('\n')}\n`)
}

// ---- Salted Rope

const page = (flag: string) =>
  `Fourth day out. The rope that we soaked in brine holds better than the dry one, and nobody on board can say why. The cook claims that salt makes fibres stubborn. The carpenter claims that the cook does. We tied the boat with it tonight and it did not move a hand's breadth. If anybody should find this page: what we agreed on is ${flag} and nothing else. The wind has turned to the north, the stars are out, and the watch is quiet. I shall sleep now.`

/** A page of a diary encrypted with a short repeating key, as hex. The key depends on the flag, so each team has another. */
export function saltedRope(flag: string): Buffer {
  const digest = sha256(`rope ${flag}`)
  const key = digest.subarray(1, 7 + (digest[0]! % 5))
  const text = Buffer.from(page(flag))
  const hidden = text.map((byte, at) => byte ^ key[at % key.length]!)
  return Buffer.from(
    `${Buffer.from(hidden)
      .toString('hex')
      .replaceAll(/(.{64})/g, '$1\n')}\n`,
  )
}

// ---- Ferry Ticket

const words =
  'amber anchor ballast beacon berth bilge bollard bosun bowline buoy cabin canvas capstan channel chart compass copper coral current davit deck delta dinghy drift ebb eddy ensign fathom fender fjord flag fog gale galley gangway gull halyard harbour hatch hawser heron hull island jetty keel kelp knot lagoon lantern ledger lighthouse lock lookout marina mast mooring north oar oyster packet pebble pennant pier pilot plank pontoon quay rigging rope rudder sail salt sextant shoal signal skipper spray squall star stern storm strait swell tide timber tug undertow vane voyage wake wave wharf winch wind'.split(
    ' ',
  )

const base64 = (value: object | Buffer) =>
  (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))).toString('base64url')

const booth = `import { createHmac } from 'node:crypto'

// Two words from words.txt with a hyphen between: we have to be able to remember it.
const secret = process.env.BOOTH_SECRET

const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')

export function ticket(seat) {
  const text = part({ alg: 'HS256', typ: 'JWT' }) + '.' + part(seat)
  return text + '.' + createHmac('sha256', secret).update(text).digest('base64url')
}

// The way on deck: the word of the day is the secret, an underscore in the place of the hyphen.
`

/** A signed ticket whose secret is two words of a short list. */
export function ferryTicket(secret: string): Promise<Buffer> {
  const signed = `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64({ seat: '12C', deck: 'lower', from: 'East Pier' })}`
  const ticket = `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  const zip = new ZipFile()
  // A fixed time, without a time zone: the bytes are always the same.
  const options = { mtime: new Date(2026, 0, 1), forceDosTimestamp: true }
  for (const [name, text] of [
    ['booth.mjs', booth],
    ['ticket.txt', `${ticket}\n`],
    ['words.txt', `${words.join('\n')}\n`],
  ] as const)
    zip.addBuffer(Buffer.from(text), name, options)
  zip.end()
  return buffer(zip.outputStream)
}

// ---- Brass Sextant

export function brassSextant(flag: string): Buffer {
  const dial = [...Buffer.from(flag)].map((byte, at) => ((byte * 5 + at * 7) & 255) ^ 0x2a)
  return Buffer.from(`// node sextant.mjs "what you read off"
const dial = [${dial.join(', ')}]

function turn(degrees, notch) {
  let angle = degrees
  for (let i = 0; i < 4; i++) angle += degrees
  return ((angle + notch * 7) & 255) ^ 42
}

const reading = Buffer.from(process.argv[2] ?? '')
const fits = reading.length === dial.length && dial.every((mark, notch) => turn(reading[notch], notch) === mark)
console.log(fits ? 'The horizon is level.' : 'The ship is somewhere else.')
`)
}

// ---- Foghorn UART

const bitTime = 1 / 9600

/** A serial line recorded by a logic analyser: a row per change of level. 9600 baud, 8 bits, no parity, one stop bit. */
export function foghorn(text: string): Buffer {
  const rows = ['seconds,level', '0.000000,1']
  let level = 1
  let time = 0.0125
  const random = seededRandom(17)
  for (const byte of Buffer.from(text)) {
    for (const bit of [0, ...Array.from({ length: 8 }, (_, at) => (byte >> at) & 1), 1]) {
      if (bit !== level) rows.push(`${time.toFixed(6)},${bit}`)
      level = bit
      time += bitTime
    }
    time += random.below(20) * bitTime
  }
  return Buffer.from(`${rows.join('\n')}\n`)
}

// ---- Shortest Strait

const side = 48

/** A square of depths from 1 to 9. */
export function strait(): { readonly file: Buffer; readonly grid: readonly (readonly number[])[] } {
  const random = seededRandom(4726)
  const grid = Array.from({ length: side }, () => Array.from({ length: side }, () => 1 + random.below(9)))
  return { file: Buffer.from(`${grid.map((row) => row.join('')).join('\n')}\n`), grid }
}

// ---- Unlearned Route

export function unlearnedRoute(flag: string): Buffer {
  const random = seededRandom(2718)
  const input = [...Buffer.from(flag)]
  const size = input.length
  // Lower times upper triangular with unit diagonals: always invertible in integers.
  const lower = input.map((_, i) => input.map((_, j) => (i === j ? 1 : j < i ? random.below(3) - 1 : 0)))
  const upper = input.map((_, i) => input.map((_, j) => (i === j ? 1 : j > i ? random.below(3) - 1 : 0)))
  const weights = lower.map((row) =>
    Array.from({ length: size }, (_, j) => row.reduce((sum, value, k) => sum + value * upper[k]![j]!, 0)),
  )
  const output = weights.map((row) => row.reduce((sum, value, k) => sum + value * input[k]!, 0))
  const rows = weights.map((row) => `    [${row.join(', ')}]`).join(',\n')
  return Buffer.from(`{\n  "weights": [\n${rows}\n  ],\n  "output": [${output.join(', ')}]\n}\n`)
}
