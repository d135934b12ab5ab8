// @vitest-environment jsdom
import type { ChallengeEditDetail } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { json, openPage } from '../../test/page.tsx'
import { keys } from '../api/keys.ts'
import { TestContainer } from './test-container.tsx'

afterEach(() => void vi.unstubAllGlobals())

const id = '0a1b2c3d-4e5f-4000-8000-000000000000'
const running = (entry: string, end = new Date(Date.now() + 3_600_000).toISOString()) => ({
  status: 'Running',
  startedAt: '2026-11-22T08:00:00+00:00',
  expectStopAt: end,
  entry,
})

interface Scene {
  readonly testContainer?: ReturnType<typeof running>
  readonly containers?: string
  readonly stored?: boolean
  readonly answer?: () => Response
}

async function open({ testContainer, containers = 'Default', stored = true, answer = () => json(running('a:1')) }: Scene) {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    asked.push(`${init?.method} ${input}`)
    return answer()
  })
  const place = await openPage(
    <TestContainer
      game={{ id: 3 } as GameInfo}
      challenge={{ id: 7, testContainer: testContainer ?? null } as ChallengeEditDetail}
      wrong={new Set()}
      busy={false}
      store={async () => {
        asked.push('store')
        return stored
      }}
    />,
    [[keys.config, { title: 'GZ', containers }]],
  )
  const press = () =>
    act(async () => {
      place.querySelector<HTMLElement>('button:not([aria-label])')?.click()
      await new Promise((resolve) => setTimeout(resolve, 20))
    })
  return { place, asked, press }
}

test('CE-3 the form is stored first, then the container started', async () => {
  const { asked, press } = await open({})
  await press()
  expect(asked.slice(0, 2)).toEqual(['store', 'POST /api/edit/games/3/challenges/7/container'])
})

test('CE-3 after a failed save nothing is started', async () => {
  const { asked, press } = await open({ stored: false })
  await press()
  expect(asked).toEqual(['store'])
})

test('CE-3 why it did not start stands in place, in the words of the server', async () => {
  const title = 'Test container could not be started: pull access denied'
  const { place, press } = await open({ answer: () => json({ title, status: 400, code: 'container.test_failed' }, 400) })
  await press()
  expect(place.querySelector('p[role=alert]')?.textContent).toBe(title)
})

test('CE-3 behind the proxy the entry is the tunnel of test containers, otherwise an address that opens', async () => {
  const proxied = await open({ testContainer: running(id) })
  expect(proxied.place.textContent).toContain(`/api/proxy/noinst/${id}`)
  const { place, asked, press } = await open({ testContainer: running('192.0.2.1:31000') })
  expect(place.textContent).toContain('192.0.2.1:31000')
  expect(place.querySelector('a')?.getAttribute('href')).toBe('http://192.0.2.1:31000')
  expect(place.querySelector('[role=timer]')).not.toBeNull()
  await press()
  expect(asked[0]).toBe('DELETE /api/edit/games/3/challenges/7/container')
})

test('one whose time is over gives way to the button', async () => {
  const { place } = await open({ testContainer: running('a:1', '2020-01-01T00:00:00+00:00') })
  expect(place.textContent).toContain('Save and test')
})

test('without an engine it says so and offers nothing', async () => {
  const { place } = await open({ containers: 'None' })
  expect(place.textContent).toContain('Containers are not available')
  expect(place.querySelector('button')).toBeNull()
})
