// @vitest-environment jsdom
import type { ChallengeEditDetail } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { act, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { settle } from '../../../test/acts.ts'
import { json, openPage, toasts, type, until } from '../../../test/page.tsx'
import { keys } from '../../api/query-keys.ts'
import type { ChallengeFields } from './challenge-form-fields.ts'
import { SolverCheckPart } from './solver-check.tsx'

afterEach(() => void vi.unstubAllGlobals())

const at = '2026-11-22T08:00:00+00:00'
const check = (id: number, state: string, more: object = {}) => ({
  ...{ id, cause: 'request', state, askedAt: at, startedAt: at, endedAt: at, problem: null, output: '' },
  ...more,
})
type Check = ReturnType<typeof check>

interface Scene {
  readonly checks?: Check[]
  readonly image?: string
  readonly minutes?: number
  readonly containers?: string
  readonly stored?: boolean
  readonly wrong?: readonly ('checkImage' | 'checkMinutes')[]
  /** The form is being stored. */
  readonly busy?: boolean
  readonly refusal?: () => Response
  /** Number of first reads of the list and of each output that fail. */
  readonly failures?: number
  /** The new check after its end; the list is answered only after the first read of the check, which still shows it as waiting. */
  readonly requests?: Check
}

async function open({
  checks = [],
  image = 'solver:1',
  minutes = 0,
  containers = 'Default',
  stored = true,
  refusal,
  failures = 0,
  requests: ended,
  wrong = [],
  busy = false,
}: Scene) {
  const begun = Promise.withResolvers<void>()
  let wasRead = false
  const requests: string[] = []
  const set: object[] = []
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    requests.push(`${init?.method} ${input}`)
    if (init?.method === 'POST') {
      if (refusal) return refusal()
      checks.unshift(ended ?? check(9, 'Running', { endedAt: null, output: 'connecting' }))
      return json(checks[0])
    }
    if (requests.filter((one) => one === requests.at(-1)).length <= failures)
      return json({ status: 400, title: `Failed: ${input}` }, 400)
    const [, id] = /checks\/(\d+)$/.exec(String(input)) ?? []
    if (ended && checks.includes(ended)) {
      if (!id) await begun.promise
      else if (!wasRead) {
        wasRead = true
        begun.resolve()
        return json(check(9, 'Waiting'))
      }
    }
    return json(id ? checks.find((one) => one.id === Number(id)) : checks)
  })
  function Part() {
    const [fields, setFields] = useState({ checkImage: image, checkMinutes: minutes } as ChallengeFields)
    return (
      <SolverCheckPart
        game={{ id: 3 } as GameInfo}
        challenge={{ id: 7 } as ChallengeEditDetail}
        fields={fields}
        set={(patch) => {
          set.push(patch)
          setFields((old) => ({ ...old, ...patch }))
        }}
        wrong={new Set(wrong)}
        busy={busy}
        store={async () => {
          requests.push('store')
          return stored
        }}
      />
    )
  }
  const place = await openPage(<Part />, [[keys.config, { title: 'GZ', containers }]])
  // The results are loaded on first use.
  await act(async () => void (await import('./solver-results.tsx')))
  await settle()
  const click = async (text: string) => {
    const button = [...place.querySelectorAll('button')].find((one) => one.textContent?.includes(text))
    await act(async () => button?.click())
    await settle()
  }
  return { place, requests, set, click }
}

test('the form is stored first, then the check runs, and its output is shown as it comes', async () => {
  const checks: Check[] = []
  const { place, requests, click } = await open({ checks })
  await until(() => expect(place.textContent).toContain('Not checked yet.'))
  await click('Save and check')
  expect(requests.filter((one) => !one.startsWith('GET'))).toEqual(['store', 'POST /api/edit/games/3/challenges/7/checks'])
  await until(() => expect(place.querySelector('pre')?.textContent).toBe('connecting'))
  expect(place.querySelector('[role=status]')?.textContent).toBe('The program is running…')
  // No second check is requested while one runs.
  await click('Save and check')
  expect(requests.filter((one) => one.startsWith('POST'))).toHaveLength(1)
})

test('the output of a check that ended at once is read again in its last state', async () => {
  const { place, click } = await open({ requests: check(9, 'Passed', { output: 'got ***' }) })
  await click('Save and check')
  await until(() => expect(place.querySelector('pre')?.textContent).toBe('got ***'))
  expect(place.querySelector('li')?.textContent).toMatch(/^Passed/)
})

test('after a failed save nothing is checked, and a refusal is shown', async () => {
  const first = await open({ stored: false })
  await first.click('Save and check')
  expect(first.requests.filter((one) => !one.startsWith('GET'))).toEqual(['store'])
  first.place.remove()
  let broken = true
  const refusal = () =>
    broken
      ? json({ status: 400, title: 'Containers are not available', code: 'container.unavailable' }, 400)
      : json(check(9, 'Running', { endedAt: null }))
  const { place, click } = await open({ refusal })
  await click('Save and check')
  await until(() => expect(place.querySelector('[role=alert]')?.textContent).toMatch(/\w+/))
  broken = false
  await click('Save and check')
  await until(() => expect(place.textContent).not.toContain('Containers are not available'))
})

test('FB-2 too many checks are no failure of the challenge, and the button waits', async () => {
  const { place, requests, click } = await open({
    refusal: () => json({ status: 429, title: 'Too many requests' }, 429),
  })
  await click('Save and check')
  expect(requests.at(-1)).toMatch(/^POST/)
  expect(place.querySelector('[role=alert]')).toBeNull()
  expect(toasts()).toMatchObject([{ message: 'Too many requests' }])
  // It has a countdown instead of its text.
  expect([...place.querySelectorAll('button')].some(({ textContent }) => textContent === 'Save and check')).toBe(false)
  expect(place.querySelector('span[role=status]')?.textContent).toBe('Not checked yet.')
})

test('a check that runs is read again every two seconds with its output, until it has ended', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const checks = [check(9, 'Waiting', { endedAt: null }), check(8, 'Failed', { problem: 'No flag', output: 'old' })]
    const { place, requests } = await open({ checks })
    const list = 'GET /api/edit/games/3/challenges/7/checks'
    const reads = () => requests.splice(0).sort()
    const pass = async (ms: number) => {
      await act(async () => void vi.advanceTimersByTime(ms))
      await settle()
    }
    expect(reads()).toEqual([list, `${list}/9`])
    expect(place.querySelector('span[role=status]')?.textContent).toBe('Waiting for another check to end…')
    expect(place.textContent).toContain('No output yet.')
    await pass(1999)
    expect(reads()).toEqual([])
    await pass(1)
    expect(reads()).toEqual([list, `${list}/9`])
    checks[0] = check(9, 'NotTried', { problem: 'The engine does not answer' })
    await pass(2000)
    expect([...place.querySelectorAll('li button')].map((one) => one.getAttribute('aria-pressed'))).toEqual(['true', 'false'])
    expect(place.querySelector('li')?.textContent).toMatch(/^Not tried.*on request$/)
    expect(place.textContent).toContain('The program printed nothing.')
    // Only a failure of the program is an alert.
    expect(place.querySelector('[role=alert]')).toBeNull()
    expect(place.querySelector('p[role=status]')?.textContent).toBe('The engine does not answer')
    reads()
    await pass(10_000)
    expect(reads()).toEqual([])
  } finally {
    vi.useRealTimers()
  }
})

test('a list and an output that were not loaded are loaded again by Retry', async () => {
  const { place, click } = await open({ checks: [check(9, 'Passed', { output: 'got ***' })], failures: 1 })
  const alert = () => place.querySelector('[role=alert]')?.textContent
  await until(() => expect(alert()).toBe('Failed: /api/edit/games/3/challenges/7/checks Retry'))
  await click('Retry')
  await until(() => expect(alert()).toBe('Failed: /api/edit/games/3/challenges/7/checks/9 Retry'))
  await click('Retry')
  await until(() => expect(place.querySelector('pre')?.textContent).toBe('got ***'))
  expect(alert()).toBeUndefined()
})

test('results: the newest is open with its reason and output, another one by a click, further ones by a button; that of a check that runs is open until another one is clicked', async () => {
  const checks = [
    check(8, 'Failed', {
      problem: 'The program did not print the flag within 120 s',
      ...{ output: 'refused\n', cause: 'interval', startedAt: '2026-11-22T08:03:00+00:00' },
    }),
    ...[7, 6, 5, 4, 3, 2].map((id) => check(id, 'Passed', { output: `output ${id}` })),
  ]
  const { place, click } = await open({ checks })
  await until(() => expect(place.querySelector('pre')?.textContent).toBe('refused\n'))
  expect(place.querySelector('pre')?.closest('section')?.tabIndex).toBe(0)
  expect(place.querySelector('pre')?.closest('section')?.getAttribute('aria-label')).toBe('Output')
  expect(place.querySelector('ul')?.getAttribute('aria-label')).toBe('Results')
  expect(place.querySelector('[role=alert]')?.textContent).toBe('The program did not print the flag within 120 s')
  expect(place.querySelectorAll('li')).toHaveLength(5)
  expect(place.querySelector('li')?.textContent).toMatch(/^Failed.*periodic$/)
  expect(place.querySelector('li time')?.getAttribute('datetime')).toBe('2026-11-22T08:03:00.000Z')
  expect([...place.querySelectorAll<HTMLElement>('li button')].slice(0, 2).map(({ dataset }) => dataset.state)).toEqual([
    'Failed',
    'Passed',
  ])
  await act(async () => place.querySelectorAll<HTMLElement>('li button')[1]?.click())
  await until(() => expect(place.querySelector('pre')?.textContent).toBe('output 7'))
  expect(place.querySelector('[role=alert]')).toBeNull()
  await click('Show all 7 results')
  expect(place.querySelectorAll('li')).toHaveLength(7)
  expect(place.textContent).not.toContain('Show all')
  place.remove()
  const five = await open({ checks: checks.slice(0, 5) })
  await until(() => expect(five.place.querySelectorAll('li')).toHaveLength(5))
  expect(five.place.textContent).not.toMatch(/Show all|Not checked yet/)
  five.place.remove()
  const { place: busy } = await open({ checks: [...checks.slice(1), check(9, 'Running', { output: 'connecting' })] })
  await until(() => expect(busy.querySelector('pre')?.textContent).toBe('connecting'))
  await act(async () => busy.querySelector<HTMLElement>('li button')?.click())
  await until(() => expect(busy.querySelector('pre')?.textContent).toBe('output 7'))
  // An output that was read before is shown from its beginning, too.
  const openResult = async (at: number, output: string) => {
    await act(async () => busy.querySelectorAll<HTMLElement>('li button')[at]?.click())
    await until(() => expect(busy.querySelector('pre')?.textContent).toBe(output))
  }
  await openResult(1, 'output 6')
  const box = busy.querySelector('section') as HTMLElement
  box.scrollTop = 40
  await openResult(0, 'output 7')
  expect(busy.querySelector('section')?.scrollTop).toBe(0)
})

test('without an image, or without an engine, nothing can be checked; the fields are set', async () => {
  const none = await open({ image: '' })
  expect(none.requests).toEqual([])
  const [image, minutes] = none.place.querySelectorAll('input')
  expect(minutes?.disabled).toBe(true)
  await type(image, ' solver:2 ')
  expect(none.set.at(-1)).toEqual({ checkImage: 'solver:2' })
  none.place.remove()
  const { place, requests } = await open({ containers: 'None' })
  expect([requests, place.querySelector('button[type=button]:not([tabindex="-1"])')]).toEqual([[], null])
})

test('while the form is being stored, or has a wrong field, nothing can be checked', async () => {
  const sent = (requests: string[]) => requests.filter((one) => !one.startsWith('GET'))
  const run = (place: HTMLElement) =>
    [...place.querySelectorAll('button')].find(({ textContent }) => textContent === 'Save and check')
  const storing = await open({ busy: true })
  await storing.click('Save and check')
  expect([run(storing.place)?.getAttribute('aria-disabled'), run(storing.place)?.disabled]).toEqual(['true', false])
  expect([...storing.place.querySelectorAll('input')].map(({ disabled }) => disabled)).toEqual([true, true])
  expect(sent(storing.requests)).toEqual([])
  storing.place.remove()
  const { place } = await open({ wrong: ['checkImage', 'checkMinutes'] })
  expect(run(place)?.disabled).toBe(true)
  expect(place.textContent).toContain('The name cannot contain spaces')
  expect([...place.querySelectorAll('input')].map((one) => one.getAttribute('aria-invalid'))).toEqual(['true', 'true'])
})
