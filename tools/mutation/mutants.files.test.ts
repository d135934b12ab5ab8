import { expect, test } from 'vitest'
import { rooms as roomsOfProof } from '../../scripts/gate/proof-parts.mjs'
import { excluded, isComponent, parts, rooms, sources, sourcesOf, testsOf } from './mutants.files.ts'

test('every source of core, server and the web has one room and a part that is mutated and judged', () => {
  expect(sources.length).toBeGreaterThan(300)
  expect(rooms.flatMap(sourcesOf).toSorted()).toEqual(sources)
  expect(parts.flatMap(({ files }) => files).toSorted()).toEqual(sources)
})

test('components of the web are parts with all tests of their room', () => {
  const components = parts.filter((part) => part.components)
  expect(components.flatMap(({ files }) => files).toSorted()).toEqual(sources.filter(isComponent))
  const tests = new Set(components.flatMap(({ tests }) => tests))
  for (const test of ['game/signal-flag', 'pdf/pdf-engine']) expect(tests).toContain(`apps/web/src/ui/${test}.test.ts`)
  expect(components.map(({ name }) => name)).toContain('web-play-components')
})

test('every part has tests, and part names are unique', () => {
  expect(parts.filter(({ tests }) => tests.length === 0).map(({ name }) => name)).toEqual([])
  expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length)
})

test('tests elsewhere that a room names exist', () => {
  const named = rooms.flatMap((room) => room.more.map((test) => ({ room, test })))
  const missing = named.filter(({ room, test }) => testsOf({ ...room, folders: [], more: [test] }).length === 0)
  expect(missing.map(({ room, test }) => `${room.name}: ${test}`)).toEqual([])
})

test('npm run proof has a part for each room', () => {
  expect(roomsOfProof).toEqual(rooms.map(({ name }) => name))
})

test('files without a room have a reason', () => {
  expect(excluded.filter(([, reason]) => reason.length < 4)).toEqual([])
})
