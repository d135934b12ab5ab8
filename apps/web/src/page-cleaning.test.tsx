// @vitest-environment jsdom

import { useState } from 'react'
import { expect, test } from 'vitest'
import { button, click, settle } from '../test/acts.ts'
import { watchPage } from '../test/left-behind.ts'
import { openPage, until } from '../test/page.tsx'
import { watchForms } from './ui/overlays/focus-wrong.ts'

function Counter() {
  const [count, setCount] = useState(0)
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      {`pressed ${count}`}
    </button>
  )
}

test.fails('a test that waits in vain times out', { timeout: 100 }, async () => {
  await openPage(<Counter />)
  await until(() => expect(document.body.textContent).toContain('never'))
})

test('the next test finds an empty page, and its own page is rendered', async () => {
  expect(document.querySelectorAll('button')).toHaveLength(0)
  await openPage(<Counter />)
  for (const count of [0, 1, 2]) await click(button(`pressed ${count}`))
  await settle()
  expect(document.body.textContent).toContain('pressed 3')
})

test('a test that leaves something on the page fails, by the name of what it left; one that cleans up passes', () => {
  const nothing = () => {}
  let observer: { observe(target: Element, options?: object): void; disconnect(): void }
  let media: MediaQueryList
  const kinds: [string, () => unknown, () => unknown][] = [
    ['listener of resize', () => window.addEventListener('resize', nothing), () => window.removeEventListener('resize', nothing)],
    [
      'listener of keydown',
      () => document.addEventListener('keydown', nothing, true),
      () => document.removeEventListener('keydown', nothing, { capture: true }),
    ],
    [
      'listener of change',
      () => {
        media = matchMedia('(max-width: 767px)')
        media.addEventListener('change', nothing)
      },
      () => media.removeEventListener('change', nothing),
    ],
    ...[ResizeObserver, MutationObserver].map((Observer): [string, () => unknown, () => unknown] => [
      'observer',
      () => {
        observer = new Observer(nothing)
        observer.observe(document.body, { childList: true })
      },
      () => observer.disconnect(),
    ]),
  ]
  for (const [name, begin, end] of kinds) {
    const left = watchPage()
    begin()
    expect(left).toThrow(name)
    const clean = watchPage()
    begin()
    end()
    clean()
  }
  const [left, clean] = [watchPage(), watchPage()]
  clearInterval(setInterval(nothing, 1000))
  clean()
  const timer = setInterval(nothing, 1000)
  expect(left).toThrow('interval')
  clearInterval(timer)
})

test('a test that leaves a pending timeout of the web fails; a timeout that has fired or belongs to a test is allowed', async () => {
  const setOne = () => {
    const stop = watchForms()
    document.dispatchEvent(new Event('submit'))
    stop()
  }
  const left = watchPage()
  setOne()
  expect(left).toThrow(/timeout, set .*focus-wrong/)
  const clean = watchPage()
  setOne()
  await new Promise((resolve) => setTimeout(resolve))
  const timer = setTimeout(() => {}, 1000)
  clean()
  clearTimeout(timer)
})

test('a test in which the browser submits a form fails', () => {
  const form = document.createElement('form')
  document.body.append(form)
  const send = () => form.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
  const left = watchPage()
  send()
  expect(left).toThrow('A form was sent')
  const clean = watchPage()
  form.addEventListener('submit', (event) => event.preventDefault())
  send()
  clean()
})
