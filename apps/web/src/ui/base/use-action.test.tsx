// @vitest-environment jsdom
import { act, useState } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { settle } from '../../../test/acts.ts'
import { openPage, toasts, until } from '../../../test/page.tsx'
import { Refusal } from '../../api/client.ts'
import { markUnreachable, watchConnection } from '../../api/connection.ts'
import { toast } from '../overlays/toast.tsx'
import { t } from '../text/texts.tsx'
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

test('FB-3 a control is disabled until its call settles, by success or failure; one toast per action is replaced in place', async () => {
  let settle = (_: boolean) => {}
  const call = vi.fn(() => new Promise<void>((resolve, reject) => (settle = (good) => (good ? resolve() : reject(new Error())))))
  const { button, press } = await shown(call)
  for (const good of [true, false, true]) {
    call.mockClear()
    await press()
    expect(button.getAttribute('aria-disabled')).toBe('true')
    await press()
    expect(call).toHaveBeenCalledOnce()
    expect(toasts()).toMatchObject([{ title: 'Working' }])
    await act(async () => settle(good))
    await until(() => expect(button.getAttribute('aria-disabled')).toBeNull())
    expect(toasts()).toMatchObject([good ? { title: 'Done', role: 'status' } : { title: 'Failed', role: 'alert' }])
  }
})

test('FB-1 a failure shows the title of the body, and the control works again', async () => {
  const { button, press } = await shown(() => Promise.reject(new Refusal(400, { title: 'The team is locked', status: 400 })))
  await press()
  expect(toasts()).toEqual([{ title: 'Failed', message: 'The team is locked', role: 'alert' }])
  expect(button.disabled).toBe(false)
})

test('while the platform is unreachable the control says so and still works', async () => {
  onTestFinished(watchConnection())
  const call = vi.fn(async () => {})
  const { button, press } = await shown(call)
  expect(button.getAttribute('aria-describedby')).toBeNull()
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('reset')))
  onTestFinished(() => void vi.unstubAllGlobals())
  await act(async () => markUnreachable())
  await until(() => expect(button.getAttribute('aria-describedby')).not.toBeNull())
  const about = document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent
  expect(about).toBe('Not available while the platform is unreachable.')
  expect(button.title).toBe(about)
  await press()
  expect(call).toHaveBeenCalledOnce()
})

test('FB-4 toasts are in a polite live region, errors in an assertive one, and none takes the focus', async () => {
  const place = await openPage(<input />)
  place.querySelector('input')?.focus()
  const said = (role: string, loud: string) =>
    [...document.querySelectorAll(`[role=${role}][aria-live=${loud}]`)].map(({ textContent }) => textContent)
  await act(async () => {
    for (const kind of ['good', 'wary', 'work', 'plain', 'bad'] as const) toast({ kind, title: `A ${kind} one` })
  })
  await until(() => expect(said('status', 'polite').sort()).toEqual(['A good one', 'A plain one', 'A wary one', 'A work one']))
  expect(said('alert', 'assertive')).toEqual(['A bad one'])
  expect(document.querySelectorAll('[aria-live]')).toHaveLength(5)
  expect(document.activeElement).toBe(place.querySelector('input'))
})

function Form({ call }: { readonly call: () => Promise<unknown> }) {
  const action = useAction({ id: 'x', call })
  const [wrong, setWrong] = useState(false)
  const send = async () => setWrong(!(await action.start()))
  return (
    <form>
      <input name="first" disabled={action.busy} />
      <input name="second" defaultValue="typed" aria-invalid={wrong} disabled={action.busy} />
      <button type="button" disabled={action.busy} onClick={() => void send()}>
        Send
      </button>
    </form>
  )
}

test('FOCUS-1 after a refusal the first field to be corrected has the focus, its text selected', async () => {
  const place = await openPage(<Form call={() => Promise.reject(new Refusal(400, { title: 'No', status: 400 }))} />)
  const [button, field] = [place.querySelector('button'), place.querySelector<HTMLInputElement>('[name=second]')]
  button?.focus()
  await act(async () => button?.click())
  // The field is marked only after the answer; a second attempt finds the mark.
  await act(async () => button?.click())
  expect(document.activeElement).toBe(field)
  expect([field?.selectionStart, field?.selectionEnd]).toEqual([0, 5])
})

test('P8.27 FB-1 without a body it shows "unknown error"', async () => {
  const { press } = await shown(() => Promise.reject(new TypeError('down')))
  await press()
  expect(toasts()).toMatchObject([{ message: 'Unknown error. Try again. If it happens again, contact an organiser.' }])
})

test.each([
  [0, 'Cannot reach the platform. Try again in a moment.'],
  [502, 'Cannot reach the platform. Try again in a moment.'],
  [503, 'Cannot reach the platform. Try again in a moment.'],
  [500, 'Unknown error. Try again. If it happens again, contact an organiser.'],
])('P8.27 TOAST-2 an answer of %i without a body shows what to do', async (status, words) => {
  const { press } = await shown(() => Promise.reject(new Refusal(status, undefined)))
  await press()
  expect(toasts()).toEqual([{ title: 'Failed', message: words, role: 'alert' }])
})

test('FB-2 after too many requests without a time the control waits five seconds', async () => {
  const { button, press } = await shown(() => Promise.reject(new Refusal(429, undefined)))
  await press()
  expect(button.textContent).toBe('Retry in 5 s')
})

test('P8.25 FB-2 after too many requests the control counts the seconds', async () => {
  const call = vi.fn(() => Promise.reject(new Refusal(429, { title: 'Wait', status: 429 }, 7)))
  const { button, press } = await shown(call)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await press()
  expect(toasts()).toMatchObject([{ title: 'Please try again later', message: 'Wait' }])
  const seen: (string | null)[] = []
  for (let second = 0; second < 7; second++) {
    expect(button.getAttribute('aria-disabled')).toBe('true')
    await press()
    seen.push(button.textContent)
    await act(() => vi.advanceTimersByTimeAsync(1000))
  }
  expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1].map((seconds) => `Retry in ${seconds} s`))
  expect(call).toHaveBeenCalledOnce()
  expect([button.textContent, button.getAttribute('aria-disabled')]).toEqual(['Go', null])
})

test('FOCUS-1 a field that was disabled while an action ran has the focus again after success', async () => {
  let settle = () => {}
  const call = () => new Promise<void>((resolve) => (settle = resolve))
  const place = await openPage(<Form call={call} />)
  const field = place.querySelector<HTMLInputElement>('[name=second]') as HTMLInputElement
  field.focus()
  await act(async () => place.querySelector('button')?.click())
  await until(() => expect(field.disabled).toBe(true))
  const focus = vi.spyOn(field, 'focus')
  // Browsers remove the focus from a disabled field.
  await act(async () => field.blur())
  await act(async () => settle())
  await until(() => expect(document.activeElement).toBe(field))
  // The page does not scroll to it.
  expect(focus.mock.calls).toEqual([[{ preventScroll: true }]])
})

function Enable({ call }: { readonly call: () => Promise<unknown> }) {
  const [enabled, setEnabled] = useState(false)
  const action = useAction({ id: 'x', call, onDone: () => setEnabled(true) })
  return (
    <main id="content" tabIndex={-1}>
      {!enabled && (
        <ActionButton action={action} onClick={() => void action.start()}>
          Enable
        </ActionButton>
      )}
    </main>
  )
}

test('FOCUS-2 when the action removes its button, the content of the page has the focus', async () => {
  const place = await openPage(<Enable call={() => Promise.resolve()} />)
  const button = place.querySelector('button')
  await act(async () => button?.focus())
  await act(async () => button?.click())
  await until(() => expect(button?.isConnected).toBe(false))
  await until(() => expect(document.activeElement?.id).toBe('content'))
})

test('FOCUS-2 while a dialog is open, an action that removes its button does not move the focus to the content behind it', async () => {
  const place = await openPage(
    <>
      <Enable call={() => Promise.resolve()} />
      <div role="dialog" />
    </>,
  )
  const button = place.querySelector('button')
  await act(async () => button?.focus())
  await act(async () => button?.click())
  await until(() => expect(button?.isConnected).toBe(false))
  await settle()
  expect(document.activeElement).toBe(document.body)
})

test('FOCUS-2 an earlier refusal does not matter to where the focus goes after success', async () => {
  let refuses = true
  const call = async () => {
    if (refuses) throw new Refusal(400, { title: 'No', status: 400 })
  }
  const place = await openPage(<Enable call={call} />)
  const button = place.querySelector('button')
  await act(async () => button?.focus())
  await act(async () => button?.click())
  await until(() => expect(toasts()).toMatchObject([{ message: 'No' }]))
  refuses = false
  await act(async () => button?.click())
  await until(() => expect(button?.isConnected).toBe(false))
  await until(() => expect(document.activeElement?.id).toBe('content'))
})

test('FB-3 a long action without a custom message ends with "Done"', async () => {
  const Long = () => {
    const { start } = useAction({ id: 'x', call: async () => {}, working: 'Working' })
    return <button type="button" onClick={() => void start()} />
  }
  const place = await openPage(<Long />)
  await act(async () => place.querySelector('button')?.click())
  await until(() => expect(toasts()).toEqual([{ title: 'Done', message: '', role: 'status' }]))
})

test('FB-1 an action may word a failure itself, or show it in another place; what the page has already said is not repeated', async () => {
  let refusal = new Refusal(409, { title: 'Taken', status: 409 })
  let shows = false
  const [failedText, onFail] = [vi.fn((_: Refusal): string | undefined => 'Choose another name'), vi.fn((_: Refusal) => shows)]
  function Own() {
    const { start } = useAction({ id: 'x', call: () => Promise.reject(refusal), working: 'Working', failedText, onFail })
    return <button type="button" onClick={() => void start()} />
  }
  const place = await openPage(<Own />)
  const button = place.querySelector('button')
  const press = async () => {
    await act(async () => button?.click())
    await settle()
  }
  await press()
  await until(() => expect(toasts()).toEqual([{ title: t('ui.failed'), message: 'Choose another name', role: 'alert' }]))
  expect([failedText.mock.lastCall, onFail.mock.lastCall]).toEqual([[refusal], [refusal, undefined]])
  shows = true
  await press()
  await until(() => expect(onFail).toHaveBeenCalledTimes(2))
  await settle()
  expect(toasts()).toEqual([])
  shows = false
  // The session has ended.
  refusal = new Refusal(401, { title: 'Sign in', status: 401 }, undefined, true)
  await press()
  await until(() => expect(onFail).toHaveBeenCalledTimes(3))
  await settle()
  expect(toasts()).toEqual([])
})

test('FB-3 two clicks before the page is drawn again start an action once; while it waits, it does not start', async () => {
  const call = vi.fn(() => Promise.reject(new Refusal(429, undefined)))
  const started: Promise<boolean>[] = []
  function Twice() {
    const { start, wait } = useAction({ id: 'x', call })
    return (
      <button type="button" onClick={() => started.push(start(), start())}>
        {wait}
      </button>
    )
  }
  const place = await openPage(<Twice />)
  const button = place.querySelector('button')
  const press = () => act(async () => button?.click())
  await press()
  await settle()
  await until(() => expect(button?.textContent).toBe('5'))
  await press()
  expect(await Promise.all(started)).toEqual([false, false, false, false])
  expect(call).toHaveBeenCalledOnce()
})

test('a button that is busy or waits keeps its form from being sent, and its own action from starting', async () => {
  const [sent, pressed] = [vi.fn((event) => event.preventDefault()), vi.fn()]
  const place = await openPage(
    <form onSubmit={sent}>
      <ActionButton action={{ busy: true, wait: 0 }} type="submit" onClick={pressed}>
        Busy
      </ActionButton>
      <ActionButton action={{ busy: false, wait: 2 }} type="submit" onClick={pressed}>
        Waits
      </ActionButton>
      <ActionButton action={{ busy: false, wait: 0 }} onClick={pressed}>
        Other
      </ActionButton>
    </form>,
  )
  const [busy, waits, other] = place.querySelectorAll('button')
  for (const one of [busy, waits]) await act(async () => one?.click())
  expect([sent.mock.calls, pressed.mock.calls, waits?.dataset.disabled]).toEqual([[], [], 'true'])
  // A button that is not made for it does not send the form.
  await act(async () => other?.click())
  expect([sent.mock.calls.length, pressed.mock.calls.length]).toEqual([0, 1])
})
