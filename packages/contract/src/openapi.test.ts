// Alone: it counts every call that was described in its process.
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { callTexts, memberTexts } from './descriptions.ts'
import { endpoints } from './endpoint.ts'
import { examples } from './examples.ts'
import { callsOf, nameOf, rooms } from './interface.ts'
import { openApi } from './openapi.ts'

const calls = Object.keys(rooms).flatMap(callsOf)

test('every described call belongs to one room', () => {
  expect(calls.map(nameOf).sort()).toEqual(endpoints.map(nameOf).sort())
})

test.each(calls.filter(({ shape }) => shape.body || shape.reply).map((call) => [nameOf(call), call.shape] as const))(
  'the example of %s matches its schemas',
  (name, { body, reply }) => {
    const example = examples[name]
    for (const [schema, value] of [[body, example?.body] as const, [reply, example?.reply] as const]) {
      if (schema) expect(Value.Errors(schema, value), JSON.stringify(value)).toEqual([])
      else expect(value).toBeUndefined()
    }
  },
)

test('no example is unused', () => {
  expect(Object.keys(examples).filter((name) => !calls.some((call) => nameOf(call) === name))).toEqual([])
})

test('answers of bytes have the media types with which they are sent', () => {
  const { paths } = JSON.parse(JSON.stringify(openApi('1')))
  const typeOf = (path: string) => Object.keys(paths[path].get.responses[200].content)
  expect(typeOf('/api/game/{id}/scoreboardsheet')).toEqual(['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'])
  expect([typeOf('/healthz'), typeOf('/api/docs'), typeOf('/favicon.webp')]).toEqual([
    ['text/plain'],
    ['text/html'],
    ['image/webp'],
  ])
  expect([typeOf('/forward.mjs'), typeOf('/forward.py')]).toEqual([['text/javascript'], ['text/x-python']])
  // Players may upload any type.
  expect(typeOf('/assets/{hash}/{name}')).toContain('application/octet-stream')
  const named = Object.keys(paths).filter((path) =>
    JSON.stringify(paths[path].get?.responses[200] ?? '').includes('octet-stream'),
  )
  expect(named.sort()).toEqual(['/api/game/captures/{cid}/{pid}/{file}', '/assets/{hash}/{name}'])
})

interface Described {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Described>>
}

/** Every member of every object in the document, by its path, with its text. */
function membersIn(part: unknown, way: string): (readonly [way: string, text: string | undefined])[] {
  if (typeof part !== 'object' || part === null) return []
  const { properties, ...others } = part as Described
  const own = Object.entries(properties ?? {}).flatMap(([name, member]) => [
    [`${way}.${name}`, member.description] as const,
    ...membersIn(member, `${way}.${name}`),
  ])
  return [...own, ...Object.entries(others).flatMap(([key, value]) => (key === 'example' ? [] : membersIn(value, way)))]
}

test('every call has a description beside its summary; every member and parameter has one that does not repeat its name', () => {
  const { paths, components } = JSON.parse(JSON.stringify(openApi('1')))
  expect(calls.filter((call) => !call.path.includes('*') && !callTexts[nameOf(call)]).map(nameOf)).toEqual([])
  const operations = Object.entries<Record<string, { parameters: readonly (Described & { name: string })[] }>>(paths).flatMap(
    ([path, byMethod]) => Object.entries(byMethod).map(([method, operation]) => [`${method} ${path}`, operation] as const),
  )
  const parameters = operations.flatMap(([call, operation]) =>
    operation.parameters.map(({ name, description }) => [`${call}?${name}`, description] as const),
  )
  const members = [...membersIn(components.schemas, ''), ...operations.flatMap(([call, operation]) => membersIn(operation, call))]
  expect(members.length).toBeGreaterThan(900)
  const all = [...parameters, ...members]
  expect(all.filter(([, text]) => !text).map(([way]) => way)).toEqual([])
  const bare = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, '')
  const repeated = all.filter(([way, text]) => bare(text as string) === bare(way.split(/[.?]/).at(-1) as string))
  expect(repeated.map(([way]) => way)).toEqual([])
})

test('no text is unused', () => {
  const names = new Set(calls.map(nameOf))
  expect(Object.keys(callTexts).filter((name) => !names.has(name))).toEqual([])
  const texts = { ...memberTexts }
  const keys = Object.keys(texts)
  try {
    for (const key of keys) Object.assign(memberTexts, { [key]: `text of ${key}` })
    const document = JSON.stringify(openApi('1'))
    expect(keys.filter((key) => !document.includes(`"text of ${key}"`))).toEqual([])
  } finally {
    Object.assign(memberTexts, texts)
  }
})

test('calls, members and parameters that GZ::CTF 0.24 does not have are marked', () => {
  const { paths, components } = JSON.parse(JSON.stringify(openApi('1')))
  expect(paths['/api/account/session'].get['x-vexil']).toBe(true)
  expect(paths['/api/account/profile'].get['x-vexil']).toBeUndefined()
  const { flagCount, containerImage, score } = components.schemas.ChallengeRow.properties
  expect([flagCount, containerImage, score].map((member) => member['x-vexil'])).toEqual([true, true, undefined])
  const marked = JSON.stringify({ paths, components }).match(/"x-vexil":true/g) ?? []
  expect(marked.length).toBeGreaterThan(60)
  expect(JSON.stringify({ paths, components })).not.toMatch(/"description":"ours/)
})

test('every reference points to a schema', () => {
  const document = JSON.parse(JSON.stringify(openApi('1')))
  const names = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name as string)
  expect(names.filter((name) => !(name in document.components.schemas))).toEqual([])
  expect(names.length).toBeGreaterThan(50)
  const ids = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  )
  expect(new Set(ids).size).toBe(ids.length)
})
