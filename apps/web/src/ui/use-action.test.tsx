// @vitest-environment jsdom
import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { openPage, toasts } from '../../test/page.tsx'
import { Refusal } from '../api/client.ts'
import { ActionButton } from './action-button.tsx'
import { useAction } from './use-action.ts'

function Press({ call }: { readonly call: () => Promise<unknown> }) {
  const action = useAction({ id: 'x', call, working: 'Working', done: 'Done', failed: 'Failed' })
  return (
    <ActionButton action={action} onClick={() => void action.start()}>
      Go
    </ActionButton>
  )
}

async function shown(call: () => Promise<unknown>) {
  const place = await openPage(<Press call={call} />)
  const button = place.querySelector('button') as HTMLButtonElement
  return { button, press: () => act(async () => button.click()) }
}

test('FB-3 one toast per action is replaced in place, and a second press while it runs is ignored', async () => {
  let settle = () => {}
  const call = vi.fn(() => new Promise<void>((resolve) => (settle = resolve)))
  const { press } = await shown(call)
  await press()
  await press()
  expect(call).toHaveBeenCalledOnce()
  expect(toasts()).toMatchObject([{ title: 'Working' }])
  await act(async () => settle())
  expect(toasts()).toMatchObject([{ title: 'Done', role: 'status' }])
})

test('FB-1 FB-4 a failure shows the title of the body, assertively, and the control works again', async () => {
  const { button, press } = await shown(() => Promise.reject(new Refusal(400, { title: 'The team is locked', status: 400 })))
  await press()
  expect(toasts()).toEqual([{ title: 'Failed', message: 'The team is locked', role: 'alert' }])
  expect(button.disabled).toBe(false)
})

test('P8.27 FB-1 without a body it says "unknown error"', async () => {
  const { press } = await shown(() => Promise.reject(new TypeError('down')))
  await press()
  expect(toasts()).toMatchObject([{ message: 'Unknown error. Try again; if it happens once more, tell an organiser.' }])
})

test.each([
  [0, 'The platform cannot be reached. Try again in a moment.'],
  [502, 'The platform cannot be reached. Try again in a moment.'],
  [503, 'The platform cannot be reached. Try again in a moment.'],
  [500, 'Unknown error. Try again; if it happens once more, tell an organiser.'],
])('TOAST-2 an answer of %i without a body says what to do', async (status, words) => {
  const { press } = await shown(() => Promise.reject(new Refusal(status, undefined)))
  await press()
  expect(toasts()).toEqual([{ title: 'Failed', message: words, role: 'alert' }])
})

test('P8.25 FB-2 after too many requests the control counts the seconds', async () => {
  const { button, press } = await shown(() => Promise.reject(new Refusal(429, { title: 'Wait', status: 429 }, 7)))
  await press()
  expect(toasts()).toMatchObject([{ title: 'Please try again later', message: 'Wait' }])
  expect(button.getAttribute('aria-disabled')).toBe('true')
  expect(button.textContent).toContain('7')
})
