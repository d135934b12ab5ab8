/** Challenges of `npm run demo` in addition to those of the set-up page: each is solved with its text alone. */
import type { ChallengeCategory } from '@vexil/core/vocabulary'
import { type DemoChallenge, demoChallenges } from './challenges.ts'

/** The one that a visitor solves within a minute. */
export const quickChallenge = 'Welcome Aboard'
/** No simulated team solves these. */
export const hardChallenges: readonly string[] = ['Twin Primes', 'Tide Tables']

const bytesOf = (flag: string) => [...Buffer.from(flag)]
const hex = (values: readonly number[]) => values.map((value) => value.toString(16).padStart(2, '0')).join(' ')
const base64 = (text: string, form: 'base64' | 'base64url' = 'base64') => Buffer.from(text).toString(form)
const block = (text: string) => `\`\`\`text\n${text}\n\`\`\``
const reversed = (text: string) => [...text].reverse().join('')

const morse: Readonly<Record<string, string>> = {
  ...{ a: '.-', b: '-...', c: '-.-.', d: '-..', e: '.', f: '..-.', g: '--.', h: '....', i: '..', j: '.---', k: '-.-', l: '.-..' },
  ...{ m: '--', n: '-.', o: '---', p: '.--.', q: '--.-', r: '.-.', s: '...', t: '-', u: '..-', v: '...-', w: '.--', x: '-..-' },
  ...{ y: '-.--', z: '--..', _: '/' },
}

const shift = (text: string, by: number) =>
  text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + by) % 26) + 97))

/** The letters at 0, 4, 8 …, then the odd ones, then 2, 6, 10 …: a fence of three rails. */
const fenced = (text: string) =>
  [[0], [1, 3], [2]].map((rail) => [...text].filter((_, at) => rail.includes(at % 4)).join('')).join('')

/** Groups of four bytes, each as a number whose lowest byte comes first. */
const words = (flag: string) =>
  Array.from(
    { length: Math.ceil(flag.length / 4) },
    (_, at) =>
      `0x${reversed(flag.slice(at * 4, at * 4 + 4).padEnd(4, '\0')).replace(/[\s\S]/g, (sign) => hex([sign.charCodeAt(0)]))}`,
  )

/** Two primes that are close together, and so found by Fermat's method. */
const primes = [1000000000000000000000000000057n, 1000000000000000000000000000099n] as const
const exponent = 65537n

function power(base: bigint, times: bigint, modulus: bigint): bigint {
  let [result, square, left] = [1n, base % modulus, times]
  for (; left > 0n; left >>= 1n, square = (square * square) % modulus) if (left & 1n) result = (result * square) % modulus
  return result
}

/** x → a·x + c modulo a prime; the flag is added to the values after the published ones. */
const tides = { a: 48271, c: 1013, modulus: 65537, first: 4711 }
function tideTable(count: number): number[] {
  const levels = [tides.first]
  while (levels.length < count) levels.push((tides.a * (levels.at(-1) as number) + tides.c) % tides.modulus)
  return levels
}

interface Short {
  readonly title: string
  readonly category: ChallengeCategory
  readonly minutes: number
  readonly flag: string
  readonly content: (flag: string) => string
  readonly hint?: string
}

const short: readonly Short[] = [
  {
    title: quickChallenge,
    category: 'Misc',
    minutes: 1,
    flag: 'tide{welcome_aboard}',
    content: (flag) => `The first one takes a minute. Someone has written the flag in Base64:

${block(base64(flag))}

Decode it (every browser can: \`atob('…')\` in the console) and submit what comes out.`,
  },
  {
    title: 'Morse Lamp',
    category: 'Misc',
    minutes: 4,
    flag: 'tide{keep_clear_of_the_rocks}',
    content: (flag) => `A lamp blinks behind the fog. A slash separates words.

${block([...flag.slice(5, -1)].map((letter) => morse[letter]).join(' '))}

Submit \`tide{the_words_with_underscores}\`.`,
  },
  {
    title: 'Thirteen Steps',
    category: 'Crypto',
    minutes: 3,
    flag: 'tide{an_old_roman_trick}',
    content: (flag) =>
      `The crew of Caesar always takes the same number of steps, and writes down where it ends:\n\n${block(shift(flag, 13))}`,
  },
  {
    title: 'Rail Fence',
    category: 'Crypto',
    minutes: 9,
    flag: 'tide{up_and_down_the_fence}',
    content: (flag) =>
      `The letters ran up and down a fence with three rails, and were read rail by rail:\n\n${block(fenced(flag))}`,
    hint: 'The top rail has every fourth letter.',
  },
  {
    title: 'Cookie Jar',
    category: 'Web',
    minutes: 6,
    flag: 'tide{signed_is_not_secret}',
    content: (flag) => `A shop stores this cookie in the browser. Its signature is fine; what does it say?

${block(
  [
    { alg: 'HS256', typ: 'JWT' },
    { user: 'guest', note: flag },
  ]
    .map((part) => base64(JSON.stringify(part), 'base64url'))
    .join('.'),
)}`,
  },
  {
    title: 'Percent Tide',
    category: 'Web',
    minutes: 5,
    flag: 'tide{encoded_twice}',
    content: (flag) => {
      const once = bytesOf(flag)
        .map((byte) => `%${hex([byte])}`)
        .join('')
      return `A proxy encoded this address, and the next one encoded it again:\n\n${block(`/search?q=${once.replaceAll('%', '%25')}`)}`
    },
  },
  {
    title: 'Stack of Crates',
    category: 'Pwn',
    minutes: 8,
    flag: 'tide{little_end_first}',
    content: (flag) =>
      `\`printf\` was handed a text of the visitor and printed the stack, 32 bits at a time:\n\n${block(words(flag).join('\n'))}`,
    hint: 'x86 stores the lowest byte first.',
  },
  {
    title: 'Off by One',
    category: 'Pwn',
    minutes: 5,
    flag: 'tide{one_byte_too_far}',
    content: (flag) =>
      `The dump of a buffer. Its writer counted every byte one too far.\n\n${block(hex(bytesOf(flag).map((byte) => byte + 1)))}`,
  },
  {
    title: 'Mirror Lagoon',
    category: 'Reverse',
    minutes: 6,
    flag: 'tide{seen_from_below}',
    content: (flag) => `\`\`\`js
const mirror = (text) => [...text].reverse().map((sign) => sign.charCodeAt(0) ^ 0x2a)
\`\`\`

It returned:

${block([...reversed(flag)].map((sign) => sign.charCodeAt(0) ^ 0x2a).join(', '))}`,
  },
  {
    title: 'Winding Stairs',
    category: 'Reverse',
    minutes: 11,
    flag: 'tide{each_step_counts}',
    content: (flag) => `\`\`\`python
out = [(ord(c) + 3 * i) % 256 ^ i for i, c in enumerate(flag)]
\`\`\`

\`out\` is:

${block(
  bytesOf(flag)
    .map((byte, at) => ((byte + 3 * at) % 256) ^ at)
    .join(' '),
)}`,
  },
  {
    title: 'Block Zero',
    category: 'Blockchain',
    minutes: 4,
    flag: 'tide{written_forever}',
    content: (flag) =>
      `The input of a transaction is a message, in hexadecimal:\n\n${block(`0x${Buffer.from(flag).toString('hex')}`)}`,
  },
  {
    title: 'Call Data',
    category: 'Blockchain',
    minutes: 10,
    flag: 'tide{padded_to_thirty_two}',
    content: (
      flag,
    ) => `A contract was called with one text. Four bytes name the function; then come the offset, the length and the text, each filled up to 32 bytes:

${block(`0x${['a9059cbb', (32).toString(16).padStart(64, '0'), flag.length.toString(16).padStart(64, '0'), Buffer.from(flag).toString('hex').padEnd(64, '0')].join('\n')}`)}`,
  },
  {
    title: 'Deep Link',
    category: 'Mobile',
    minutes: 6,
    flag: 'tide{intents_are_public}',
    content: (flag) =>
      `An app opens itself by this address. Its parameter is Base64, back to front:\n\n${block(`harbour://open?ticket=${reversed(base64(flag))}`)}`,
  },
  {
    title: 'Escaped Strings',
    category: 'Mobile',
    minutes: 5,
    flag: 'tide{resources_tell_all}',
    content: (flag) => `From the \`strings.xml\` of an app:

\`\`\`xml
<string name="greeting">${bytesOf(flag)
      .map((byte) => `\\u00${hex([byte])}`)
      .join('')}</string>
\`\`\``,
  },
  {
    title: 'Blind Harbour',
    category: 'Pentest',
    minutes: 13,
    flag: 'tide{yes_or_no}',
    content: (
      flag,
    ) => `A login page answers 200 when a guess about the password is right, else 404. This is what its log has of the right ones:

${block(
  bytesOf(flag)
    .map((byte, at) => `GET /login?u=admin' and ascii(substr(password,${at + 1},1))=${byte}-- 200`)
    .join('\n'),
)}`,
  },
  {
    title: 'Open Ports',
    category: 'Pentest',
    minutes: 7,
    flag: 'tide{knock_in_order}',
    content: (flag) =>
      `A host opens its door to a client that knocks at these ports in this order. They are the flag, moved by 7000:\n\n${block(
        bytesOf(flag)
          .map((byte) => 7000 + byte)
          .join(' → '),
      )}`,
  },
  {
    title: 'Token Soup',
    category: 'AI',
    minutes: 7,
    flag: 'tide{models_read_numbers}',
    content: (flag) => {
      const parts = flag.match(/.{1,3}/g) ?? []
      const known = [...new Set(parts)].sort()
      return `A language model reads tokens. Its vocabulary and one prompt:

${block(known.map((part, at) => `${at + 100}: ${part}`).join('\n'))}

${block(parts.map((part) => known.indexOf(part) + 100).join(' '))}`
    },
  },
  {
    title: 'First of Its Name',
    category: 'OSINT',
    minutes: 5,
    flag: 'tide{pharos}',
    content: () =>
      'Several languages still call a lighthouse after one island, on which one of the seven wonders of the ancient world stood. **What was the island called?** Submit `tide{name}`, in small letters.',
  },
  {
    title: 'Twin Primes',
    category: 'Crypto',
    minutes: 300,
    flag: 'tide{too_close_to_hide}',
    content: (flag) => {
      const n = primes[0] * primes[1]
      const message = BigInt(`0x${Buffer.from(flag).toString('hex')}`)
      return `The two primes of this RSA key live next door to each other.\n\n${block(`n = ${n}\ne = ${exponent}\nc = ${power(message, exponent, n)}`)}`
    },
    hint: '$n$ is nearly a square.',
  },
  {
    title: 'Tide Tables',
    category: 'PPC',
    minutes: 320,
    flag: 'tide{the_moon_is_linear}',
    content: (flag) => {
      const levels = tideTable(6 + flag.length)
      return `A table of tides follows $x_{i+1} \\equiv a x_i + c \\pmod{65537}$. The first six levels are known:

${block(levels.slice(0, 6).join(' '))}

To each later level one letter of the flag was added:

${block(
  bytesOf(flag)
    .map((byte, at) => (levels[6 + at] as number) + byte)
    .join(' '),
)}`
    },
    hint: 'Differences of neighbours get rid of $c$.',
  },
]

const scores = ({ minutes }: Short) => (minutes > 60 ? 500 : Math.round((80 + 22 * minutes) / 10) * 10)

/** All challenges of `npm run demo`. */
export const allDemoChallenges: readonly DemoChallenge[] = [
  ...demoChallenges,
  ...short.map(
    (one): DemoChallenge => ({
      title: one.title,
      category: one.category,
      type: 'StaticAttachment',
      content: one.content(one.flag),
      hints: one.hint ? [one.hint] : [],
      originalScore: scores(one),
      minScoreRate: 0.3,
      difficulty: 10,
      flags: [one.flag],
      minutes: one.minutes,
    }),
  ),
]
