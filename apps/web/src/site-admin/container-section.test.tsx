// @vitest-environment jsdom
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { json, openPage, toasts, type } from '../../test/page.tsx'
import { keys } from '../api/keys.ts'
import { policyBody, policyFields, wrongPolicy } from './container-policy.ts'
import { ContainerSection } from './container-section.tsx'

afterEach(() => void vi.unstubAllGlobals())

const stored = {
  autoDestroyOnLimitReached: false,
  maxExerciseContainerCountPerUser: 1,
  defaultLifetime: 120,
  extensionDuration: 120,
  renewalWindow: 10,
  destroyOnSolve: false,
  flagVariables: '',
}

async function open({ containers = 'Default', refusal }: { containers?: string; refusal?: object } = {}) {
  const sent: unknown[] = []
  let now = stored
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    if (init?.method !== 'PUT')
      return String(input).endsWith('/api/config') ? json({ containers }) : json({ containerPolicy: now })
    if (refusal) return json(refusal, 400)
    const body = JSON.parse(String(init.body)) as { containerPolicy: object }
    sent.push(body)
    now = { ...now, ...body.containerPolicy }
    return new Response(null)
  })
  const place = await openPage(<ContainerSection />, [
    [keys.config, { title: 'GZ', containers }],
    [keys.admin.settings, { containerPolicy: stored }],
  ])
  const labelled = (text: string) => {
    const label = [...place.querySelectorAll('label')].find(({ textContent }) => textContent === text)
    return place.querySelector<HTMLInputElement>(`#${CSS.escape(label?.htmlFor ?? '')}`) ?? undefined
  }
  const toggle = (name: string) => act(async () => place.querySelector<HTMLInputElement>(`input[aria-label="${name}"]`)?.click())
  const button = (text: string) => [...place.querySelectorAll('button')].find(({ textContent }) => textContent?.includes(text))
  const press = (text: string) =>
    act(async () => {
      button(text)?.click()
      await new Promise((resolve) => setTimeout(resolve, 20))
    })
  return { place, sent, labelled, toggle, button, press }
}

test('what is stored is shown, and nothing is offered to save until something changes', async () => {
  const { labelled, button, place } = await open()
  expect(['Lifetime', 'An extension adds', 'Can be extended in the last'].map((name) => labelled(name)?.value)).toEqual([
    '120',
    '120',
    '10',
  ])
  expect(button('Save')).toBeUndefined()
  expect(place.textContent).not.toContain('no container engine')
})

test('SE-1 only the changed fields are sent, and what was saved is no change any more', async () => {
  const { sent, labelled, toggle, press, button } = await open()
  await type(labelled('Lifetime'), '90')
  await type(labelled('Further names of the flag variable'), 'SECRET, CTF_FLAG')
  await toggle('At the limit the oldest gives way')
  await toggle('A solve ends the instance')
  await press('Save 4 changes')
  expect(sent).toEqual([
    {
      containerPolicy: {
        defaultLifetime: 90,
        flagVariables: 'SECRET, CTF_FLAG',
        autoDestroyOnLimitReached: true,
        destroyOnSolve: true,
      },
    },
  ])
  expect(toasts()).toMatchObject([{ title: 'Saved', role: 'status' }])
  expect(button('Save')).toBeUndefined()
  expect(labelled('Lifetime')?.value).toBe('90')
})

test('a refusal keeps what was typed; discarding brings back what is stored', async () => {
  const { labelled, press, button } = await open({ refusal: { title: 'No', status: 400, code: 'request.invalid' } })
  await type(labelled('An extension adds'), '45')
  await press('Save 1 change')
  expect(toasts()).toMatchObject([{ message: 'No', role: 'alert' }])
  expect(labelled('An extension adds')?.value).toBe('45')
  await press('Discard')
  expect(labelled('An extension adds')?.value).toBe('120')
  expect(button('Save')).toBeUndefined()
})

test('SE-3 SE-4 what is wrong is said and holds the saving back; a window as long as the lifetime is explained', async () => {
  const { place, labelled, button } = await open()
  await type(labelled('Further names of the flag variable'), 'MY-FLAG')
  expect(place.textContent).toContain('Letters, digits, underscores')
  expect([button('Save')?.disabled, button('Discard')?.disabled]).toEqual([true, false])
  expect(place.querySelector('li[data-wrong]')?.textContent).toContain('Further names of the flag variable')
  await type(labelled('Further names of the flag variable'), '')
  await type(labelled('Lifetime'), '')
  expect(place.textContent).toContain('A whole number from 1 to 7200')
  await type(labelled('Lifetime'), '10')
  expect(place.textContent).toContain('they can be extended at any time')
  expect(button('Save')?.disabled).toBe(false)
  await type(labelled('Lifetime'), '11')
  expect(place.textContent).not.toContain('they can be extended at any time')
})

test('without an engine the settings are there, and it is said when they hold', async () => {
  const { place, labelled } = await open({ containers: 'None' })
  expect(place.textContent).toContain('no container engine')
  expect(labelled('Lifetime')?.value).toBe('120')
})

test('each limit of the form is the limit of the server', () => {
  const fields = policyFields(stored)
  const wrong = (change: Partial<typeof fields>) => wrongPolicy({ ...fields, ...change })
  for (const name of ['defaultLifetime', 'extensionDuration'] as const) {
    for (const fine of [1, 7200]) expect(wrong({ [name]: fine })).toEqual([])
    for (const bad of [0, 7201, 1.5, '']) expect(wrong({ [name]: bad })).toEqual([name])
  }
  for (const fine of [1, 360]) expect(wrong({ renewalWindow: fine })).toEqual([])
  for (const bad of [0, 361]) expect(wrong({ renewalWindow: bad })).toEqual(['renewalWindow'])
  for (const fine of ['', 'A', '_A1, b ,', 'A,B']) expect(wrong({ flagVariables: fine })).toEqual([])
  for (const bad of ['1A', 'A B', 'A=B', 'ä', 'A;B']) expect(wrong({ flagVariables: bad })).toEqual(['flagVariables'])
  expect(policyBody(fields, ['renewalWindow'])).toEqual({ containerPolicy: { renewalWindow: 10 } })
})
