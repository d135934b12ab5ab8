// @vitest-environment jsdom

import { act, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { settle } from '../../test/acts.ts'
import { openPage, type } from '../../test/page.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { t } from '../ui/text/texts.tsx'
import { chooseLanguage } from './i18n.ts'
import { useConfirmClose, useUnsavedWarning } from './unsaved.tsx'

afterEach(() => void vi.restoreAllMocks())

function Form({ name }: { readonly name: string }) {
  const [changed, setChanged] = useState(false)
  useUnsavedWarning(changed)
  return (
    <button type="button" id={name} onClick={() => setChanged(!changed)}>
      {String(changed)}
    </button>
  )
}

function Page() {
  const { pathname } = useLocation()
  return (
    <>
      <p id="place">{pathname}</p>
      <Link to="/elsewhere">go</Link>
      <Link to="/?part=2" id="same">
        turn
      </Link>
      {pathname === '/' && ['one', 'two'].map((name) => <Form key={name} name={name} />)}
    </>
  )
}

const click = (selector: string) => act(async () => document.querySelector<HTMLElement>(selector)?.click())
const place = () => document.querySelector('#place')?.textContent
const dialogs = () => document.querySelectorAll('[role=dialog]')
const press = async (name: string) => {
  await act(async () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === name)?.click())
}
const closesFreely = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))

test('GUARD-12 FB-6 two forms with unsaved work ask one question, in the page and when the tab closes', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
  await openPage(<Page />)
  await click('#one')
  await click('#two')
  expect(closesFreely()).toBe(false)
  // Another part of the same screen keeps the forms.
  await click('#same')
  expect(dialogs()).toHaveLength(0)
  await click('a')
  expect(dialogs()).toHaveLength(1)
  expect(dialogs()[0]?.textContent).toContain(t('shell.unsavedText'))
  await press(t('ui.cancel'))
  expect(place()).toBe('/')
  expect(document.querySelector('#two')?.textContent).toBe('true')
  // Once answered, it does not ask again when the language changes.
  await act(() => chooseLanguage('ja_JP'))
  expect(dialogs()).toHaveLength(0)
  await act(() => chooseLanguage('en_US'))
  // One form is saved; the other one still has unsaved input.
  await click('#one')
  await click('a')
  await press(t('ui.discard'))
  await vi.waitFor(() => expect(place()).toBe('/elsewhere'))
  expect(warned).not.toHaveBeenCalled()
})

test('GUARD-12 a second navigation replaces the question; the answer to it decides', async () => {
  const failed = vi.fn()
  window.addEventListener('unhandledrejection', failed)
  await openPage(<Page />)
  await click('#one')
  await click('a')
  await click('a')
  expect(dialogs()).toHaveLength(1)
  await press(t('ui.discard'))
  await vi.waitFor(() => expect(place()).toBe('/elsewhere'))
  expect(dialogs()).toHaveLength(0)
  expect(failed).not.toHaveBeenCalled()
})

test('GUARD-12 without unsaved work there is no question, even after a form was removed with its text', async () => {
  await openPage(<Page />)
  await click('#one')
  await click('#one')
  expect(closesFreely()).toBe(true)
  await click('a')
  expect(place()).toBe('/elsewhere')
  expect(dialogs()).toHaveLength(0)
  expect(closesFreely()).toBe(true)
})

function DialogForm({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  return (
    <Dialog opened onClose={useConfirmClose(text !== '', onClose)} title="Form">
      <input aria-label="text" value={text} onChange={(event) => setText(event.currentTarget.value)} />
    </Dialog>
  )
}

function PageWithDialog() {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Form name="one" />
      <button type="button" id="open" onClick={() => setOpened(true)} />
      {opened && <DialogForm onClose={() => setOpened(false)} />}
    </>
  )
}

test('GUARD-12 closing a dialog with typed text asks, by key, by a click beside it and by its button; unsaved work behind it does not count', async () => {
  await openPage(<PageWithDialog />)
  const text = () => document.querySelector<HTMLInputElement>('[aria-label=text]') ?? undefined
  const isAsked = () => document.body.textContent?.includes(t('shell.unsaved'))
  const pressEscape = () =>
    act(async () => void document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })))
  const closings = [pressEscape, () => click('[class*=Modal-overlay]'), () => click(`[aria-label="${t('ui.close')}"]`)]
  await click('#one')
  await click('#open')
  await pressEscape()
  await vi.waitFor(() => expect(dialogs()).toHaveLength(0))
  await click('#one')
  for (const close of closings) {
    if (dialogs().length === 0) await click('#open')
    await type(text(), 'half')
    await close()
    await vi.waitFor(() => expect(isAsked()).toBe(true))
    await pressEscape()
    await settle()
    expect(isAsked()).toBe(false)
    expect(text()?.value).toBe('half')
    await close()
    await vi.waitFor(() => expect(dialogs()).toHaveLength(2))
    await act(async () => [...document.querySelectorAll<HTMLElement>('[role=dialog] button')].at(-1)?.click())
    await vi.waitFor(() => expect(dialogs()).toHaveLength(0))
  }
})
