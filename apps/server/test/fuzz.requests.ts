/** Requests over all calls, made from the contract: valid, nearly valid and hostile. */
import type { Endpoint } from '@vexil/contract/endpoint'
import { callsOf, nameOf, rooms } from '@vexil/contract/interface'
import fc from 'fast-check'
import { type Person, people, type Scene } from './builders/scene.ts'
import { validCalls } from './valid-calls.ts'

export interface FuzzRequest {
  readonly call: string
  readonly who: Person
  readonly method: string
  /** As it is written on the wire. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
}

interface Schema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly format?: string
}

const calls = Object.keys(rooms).flatMap(callsOf)

const longText = 'x'.repeat(10_000_000)
const hostileTexts = [
  '',
  ' ',
  '\0',
  '\u200b',
  '\ud800',
  'a\udfffb',
  '\u202e\u2066',
  '🏴‍☠️'.repeat(40),
  '../../../../etc/passwd',
  '..\\..\\windows',
  '%2e%2e%2f%00',
  "' or 1=1; drop table games; --",
  '{{7*7}}<%= 7 %>',
  '<script>alert(1)</script>',
  '=1+1',
  '__proto__',
  'constructor',
  '[GUID][TEAM_HASH][LEET]',
  '[LEET]'.repeat(20),
  '9'.repeat(400),
  '1e999',
  '0x10',
  '-0',
  '٣',
  'true',
  'null',
  '2026-13-45T99:99:99Z',
  '0001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '9999-12-31T23:59:59.9999999+14:00',
  'a:b:c',
  ':7:0123456789abcdef0123456789abcdef',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'x'.repeat(129),
  'y'.repeat(300_000),
]
const hostileNumbers = [-1, 0, -0, 0.5, 1e-320, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 2 ** 63, 1e21, 1e308, -1e308]

const text = fc.oneof(
  { arbitrary: fc.constantFrom(...hostileTexts), weight: 4 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 300 }), weight: 2 },
  { arbitrary: fc.string({ maxLength: 40 }), weight: 2 },
)
/** Values that no schema asks for. */
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { toString: 1, length: 'x' }, ...hostileNumbers),
  fc.jsonValue({ maxDepth: 4 }),
)

function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom<unknown>(...schema.enum, ...schema.enum.map((word) => word.toUpperCase()), 0, 1)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(fitting))
  switch (schema.type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number': {
      const [min, max] = [Math.max(schema.minimum ?? -1000, -(2 ** 31)), Math.min(schema.maximum ?? 1_000_000, 2 ** 31 - 1)]
      return fc.oneof(fc.integer({ min, max }), fc.integer({ min, max }).map(String), fc.constantFrom(min, max, min - 1, max + 1))
    }
    case 'array':
      return fc.array(schema.items ? fitting(schema.items) : fc.constant(null), { maxLength: 5 })
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, value]) => [name, fitting(value)])),
        { requiredKeys: [...(schema.required ?? [])] },
      )
    default:
      if (schema.format === 'mail')
        return fc.string({ maxLength: 10, unit: 'grapheme-ascii' }).map((name) => `${name}@example.org`)
      if (schema.format === 'instant') {
        return fc.date({ min: new Date(0), max: new Date(9e12), noInvalidDate: true }).map((date) => date.toISOString())
      }
      if (schema.format === 'uuid') return fc.uuid()
      return fc.string({ minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 60, 200) })
  }
}

/** A value with one wrong or one missing part. */
const nearly = (value: unknown): fc.Arbitrary<unknown> => {
  if (Array.isArray(value)) {
    return value.length === 0
      ? hostile
      : fc.oneof(
          nearly(value[0]).map((bad) => [...value, bad]),
          fc.constant([value]),
          hostile,
        )
  }
  if (typeof value !== 'object' || value === null) return hostile
  const names = Object.keys(value)
  if (names.length === 0) return hostile
  return fc.tuple(fc.constantFrom(...names), hostile, fc.constantFrom('set', 'drop', 'shout', 'add')).map(([name, bad, how]) => {
    const { [name]: kept, ...others } = value as Record<string, unknown>
    if (how === 'drop') return others
    if (how === 'shout') return { ...others, [name.toUpperCase()]: kept }
    return how === 'add' ? { ...value, [JSON.stringify(bad) ?? 'x']: bad } : { ...others, [name]: bad }
  })
}

/** Bodies that are not JSON, or hostile JSON. */
const rawBodies: readonly (() => Buffer)[] = [
  () => Buffer.from(''),
  () => Buffer.from('{'),
  () => Buffer.from('nul'),
  () => Buffer.from('{"title":"a","title":"b","TITLE":"c","flag":1,"flag":"x","teamId":1,"teamId":[]}'),
  () => Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
  () => Buffer.from(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`),
  () => Buffer.from('{"__proto__":{"role":"Admin"},"constructor":{"prototype":{"x":1}}}'),
  () => Buffer.from('{"flag":"\\ud800","name":"\\u0000"}'),
  () => Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d]),
  () => Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
  () => Buffer.from(JSON.stringify({ name: longText, title: longText.slice(0, 1000) })),
  () => Buffer.from(JSON.stringify(Array.from({ length: 2000 }, (_, index) => ({ flag: index })))),
]

const boundary = 'fuzz-boundary'
function multipart(part: string, files: readonly { name: string; type?: string; bytes: Buffer }[]): Buffer {
  const chunks = files.flatMap(({ name, type = 'application/octet-stream', bytes }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${part}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`,
    ),
    bytes,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)])
}

const segment = fc.oneof(
  text.map((one) => encodeURIComponent(one.slice(0, 2000).toWellFormed())),
  fc.constantFrom(
    '..',
    '.',
    '%2e%2e',
    '..%2f..%2fetc',
    '%00',
    '%',
    '%zz',
    '0',
    '-1',
    '2147483648',
    '1e3',
    '99999999999999999999',
    'null',
  ),
)

const strangeHeaders = fc.constantFrom<Record<string, string>>(
  {},
  {},
  {},
  {},
  { 'accept-language': 'zz;q=9,ja;q=x,,;;zh-CN' },
  { range: 'bytes=99-1' },
  { range: 'bytes=-0,5-' },
  { 'if-none-match': '*, "' },
  { 'x-forwarded-for': 'not an address, 10.0.0.1' },
  { origin: 'null' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'multipart/form-data' },
  { cookie: 'vexil_session=%ff; vexil_session' },
)

/** Callers with more rights are more likely, so that more code is reached. */
const anybody = fc.constantFrom<Person>(
  ...people,
  'admin',
  'admin',
  'admin',
  'admin',
  'accepted',
  'accepted',
  'captain',
  'monitor',
)

async function requestsOf(call: Endpoint, scene: Scene): Promise<fc.Arbitrary<FuzzRequest>> {
  const { method, path, shape } = call
  const make = validCalls[nameOf(call) as keyof typeof validCalls]
  if (!make) throw new Error(`No valid request for ${nameOf(call)}`)
  const valid = await make(scene, 'accepted')
  const [address = '', given = ''] = valid.url.split('?')
  const places = path.split('/').flatMap((part, index) => (part.startsWith(':') ? [index] : []))
  const inPath =
    places.length === 0
      ? fc.constantFrom(address, address, address, `${address}/`, address.toUpperCase(), `${address}//`)
      : fc.oneof(
          { arbitrary: fc.constant(address), weight: 3 },
          {
            arbitrary: fc
              .tuple(fc.constantFrom(...places), segment)
              .map(([place, bad]) => address.split('/').with(place, bad).join('/')),
            weight: 1,
          },
        )
  const names = [...Object.keys((shape.query as Schema | undefined)?.properties ?? {}), 'culture', 'x']
  const pair = fc
    .tuple(fc.constantFrom(...names), text)
    .map(([name, bad]) => `${name}=${encodeURIComponent(bad.slice(0, 500).toWellFormed())}`)
  const inQuery = fc.oneof(
    fc.constant(given),
    fc.array(pair, { maxLength: 3 }).map((pairs) => pairs.join('&')),
  )

  const json = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '')
  const bodies: fc.Arbitrary<{ body: Buffer | null; type: string | null }> = valid.upload
    ? fc
        .oneof(
          fc.constant(multipart(valid.upload.part, valid.upload.files)),
          fc
            .tuple(fc.constantFrom(valid.upload.part, 'x', ''), text, fc.uint8Array({ maxLength: 2000 }))
            .map(([part, name, bytes]) =>
              multipart(part, [{ name: name.replace(/["\r\n]/g, '').slice(0, 500), bytes: Buffer.from(bytes) }]),
            ),
          fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
          fc.constant(multipart(valid.upload.part, valid.upload.files).subarray(0, -20)),
        )
        .map((body) => ({ body, type: `multipart/form-data; boundary=${boundary}` }))
    : shape.body
      ? fc
          .oneof(
            { arbitrary: fc.constant(valid.body).map(json), weight: 3 },
            { arbitrary: nearly(valid.body).map(json), weight: 6 },
            { arbitrary: fitting(shape.body as Schema).map(json), weight: 4 },
            { arbitrary: hostile.map(json), weight: 1 },
            { arbitrary: fc.constantFrom(...rawBodies).map((raw) => raw()), weight: 1 },
          )
          .map((body) => ({ body, type: 'application/json' }))
      : fc.constantFrom<{ body: Buffer | null; type: string | null }>(
          { body: null, type: null },
          { body: null, type: 'application/json' },
          { body: Buffer.from('{"a":1}'), type: 'application/json' },
        )

  return fc.tuple(anybody, inPath, inQuery, bodies, strangeHeaders).map(([who, on, query, { body, type }, strange]) => ({
    call: nameOf(call),
    who,
    method,
    path: query === '' ? on : `${on}?${query}`,
    headers: { ...(type !== null && { 'content-type': type }), ...strange },
    body: method === 'GET' ? null : body,
  }))
}

/** `count` requests on a scene, the same ones for the same seed. */
export async function fuzzRequests(scene: Scene, count: number, seed: number): Promise<FuzzRequest[]> {
  const kinds = await Promise.all(calls.map((call) => requestsOf(call, scene)))
  return fc.sample(fc.oneof(...kinds), { numRuns: count, seed })
}
