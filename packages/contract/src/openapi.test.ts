// Alone: it counts every call that was described in its process.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { endpoints } from './endpoint.ts'
import { examples } from './examples.ts'
import { callsOf, nameOf, rooms } from './interface.ts'
import { openApi } from './openapi.ts'

const calls = Object.keys(rooms).flatMap(callsOf)

test('every described call belongs to one room', () => {
  expect(calls.map(nameOf).sort()).toEqual(endpoints.map(nameOf).sort())
})

test.each(calls.filter(({ shape }) => shape.body || shape.reply).map((call) => [nameOf(call), call.shape] as const))(
  'the example of %s fits its schemas',
  (name, { body, reply }) => {
    const example = examples[name]
    for (const [schema, value] of [[body, example?.body] as const, [reply, example?.reply] as const]) {
      if (schema) expect(Value.Errors(schema, value), JSON.stringify(value)).toEqual([])
      else expect(value).toBeUndefined()
    }
  },
)

test('no example is left over', () => {
  expect(Object.keys(examples).filter((name) => !calls.some((call) => nameOf(call) === name))).toEqual([])
})

test('answers of bytes have the media types that they are sent with', () => {
  const { paths } = JSON.parse(JSON.stringify(openApi('1')))
  const typeOf = (path: string) => Object.keys(paths[path].get.responses[200].content)
  expect(typeOf('/api/game/{id}/scoreboardsheet')).toEqual(['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'])
  expect([typeOf('/healthz'), typeOf('/api/docs'), typeOf('/favicon.webp')]).toEqual([
    ['text/plain'],
    ['text/html'],
    ['image/webp'],
  ])
  expect([typeOf('/forward.mjs'), typeOf('/forward.py')]).toEqual([['text/javascript'], ['text/x-python']])
  // Whatever a player uploaded.
  expect(typeOf('/assets/{hash}/{name}')).toContain('application/octet-stream')
  const named = Object.keys(paths).filter((path) =>
    JSON.stringify(paths[path].get?.responses[200] ?? '').includes('octet-stream'),
  )
  expect(named).toEqual(['/assets/{hash}/{name}'])
})

test('the committed document is the one that the contract makes: npm run docs', () => {
  const root = join(import.meta.dirname, '../../..')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'))).toEqual(JSON.parse(JSON.stringify(openApi(version))))
})

test('every reference leads to a shape', () => {
  const document = JSON.parse(JSON.stringify(openApi('1')))
  const names = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name as string)
  expect(names.filter((name) => !(name in document.components.schemas))).toEqual([])
  expect(names.length).toBeGreaterThan(50)
  const ids = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  )
  expect(new Set(ids).size).toBe(ids.length)
})
