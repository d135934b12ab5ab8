// @vitest-environment jsdom
import type { EngineStatus } from '@vexil/contract/instances'
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { settle } from '../../../test/acts.ts'
import { json, openPage } from '../../../test/page.tsx'
import { keys } from '../../api/query-keys.ts'
import { engineQuery } from '../site-admin.queries.ts'
import { EngineSection } from './engine-section.tsx'

afterEach(() => void vi.unstubAllGlobals())

const gib = 1024 ** 3
const well: EngineStatus = {
  kind: 'Docker',
  state: 'reachable',
  reason: null,
  version: '27.5.1',
  limitsStorage: true,
  isolation: 'in place',
  credentialsUntil: null,
  running: 14,
  images: 6,
  memory: { total: 16 * gib, free: 9 * gib },
  disk: { total: 100 * gib, free: 60 * gib },
}
const unknown = {
  version: null,
  limitsStorage: null,
  isolation: null,
  credentialsUntil: null,
  running: null,
  images: null,
  memory: null,
  disk: null,
}

async function open(...answers: EngineStatus[]) {
  return openAnswered(async () => json(answers.length > 1 ? answers.shift() : answers[0]))
}
async function openAnswered(answer: () => Promise<Response>, containers = 'Default') {
  vi.stubGlobal('fetch', answer)
  const place = await openPage(<EngineSection />, [[keys.config, { title: 'GZ', containers }]])
  await settle()
  return place
}

test('an engine that answers shows version, containers, images, memory and disk, and the limits that it enforces', async () => {
  const place = await open(well)
  for (const part of ['Docker 27.5.1 answers', '14', '6', '9.0 GiB', 'of 16.0 GiB', '60.0 GiB', 'of 100.0 GiB'])
    expect(place.textContent).toContain(part)
  expect(place.textContent).toMatch(
    /14containers running6images9\.0 GiB ?of 16\.0 GiBmemory free60\.0 GiB ?of 100\.0 GiBdisk free$/,
  )
  expect(place.textContent).toContain('The engine enforces storage limits.')
  expect(place.textContent).toContain('rules that isolate containers are in place')
  expect(place.querySelector('button')).toBeNull()
})

test('limits that are not enforced, not proven or unknown are shown', async () => {
  const memory = { total: 16 * gib, free: null }
  const place = await open({
    ...well,
    limitsStorage: false,
    isolation: 'Not proven: elsewhere',
    memory,
    disk: null,
    images: null,
  })
  expect(place.textContent).toContain('does not enforce storage limits')
  expect(place.textContent).toContain('may not be isolated. Not proven: elsewhere')
  expect(place.textContent?.match(/unknown/g)).toHaveLength(3)
  // An engine that does not report whether it enforces them.
  expect((await open({ ...well, limitsStorage: null })).textContent).not.toContain('storage limits')
})

test.each([
  [null, false, false],
  [14.1, true, false],
  [13.9, true, true],
  [-1, true, true],
])(
  'the end of credentials for the engine in %s days is shown, and warned of in the last two weeks',
  async (days, shown, warned) => {
    const credentialsUntil = days === null ? null : new Date(Date.now() + days * 86_400_000).toISOString()
    const text = (await open({ ...well, kind: 'Kubernetes', credentialsUntil })).textContent
    expect(text?.includes('Credentials expire:')).toBe(shown)
    expect(text?.includes('Replace the token or certificate')).toBe(warned)
  },
)

test('an engine that is unreachable shows the reason, and answers when it is asked again', async () => {
  const place = await open({ ...well, ...unknown, state: 'unreachable', reason: 'connect ENOENT /run/docker.sock' }, well)
  expect(place.textContent).toContain('Docker does not answer')
  expect(place.textContent).toContain('connect ENOENT /run/docker.sock')
  expect(place.textContent).not.toContain('unknown')
  const held = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', () => held.promise)
  await act(async () => place.querySelector('button')?.click())
  await settle()
  expect(place.querySelector('button')?.hasAttribute('data-loading')).toBe(true)
  held.resolve(json(well))
  await settle()
  expect(place.textContent).toContain('Docker 27.5.1 answers')
})

test('the state of the engine is read again every 30 seconds', () => {
  expect(engineQuery.refetchInterval).toBe(30_000)
})

test('an engine that hangs is shown as such; without one there is no section', async () => {
  expect((await open({ ...well, ...unknown, state: 'silent' })).textContent).toContain('did not answer within 5 seconds')
  expect((await open({ ...well, ...unknown, kind: 'None', state: 'none' })).querySelector('section')).toBeNull()
  const notAnswered = new Promise<Response>(() => {})
  expect((await openAnswered(() => notAnswered, 'None')).querySelector('section')).toBeNull()
})

test('a state that cannot be read shows the reason and offers another try; while it is read for the first time there is no button', async () => {
  const place = await openAnswered(async () => json({ title: 'Out of order', status: 400, code: 'request.invalid' }, 400))
  expect(place.querySelector('[role=alert]')?.textContent).toContain('Out of order')
  expect(place.querySelector('button')?.textContent).toBe('Check again')
  const first = await openAnswered(() => new Promise(() => {}))
  expect(first.querySelector('section')).not.toBeNull()
  expect(first.querySelector('button')).toBeNull()
})
