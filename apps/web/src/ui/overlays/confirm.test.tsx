// @vitest-environment jsdom
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ActionIcon } from '@mantine/core'
import { rooms } from '@vexil/contract/interface'
import { act, useState } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { button, click, field, named, send, write } from '../../../test/acts.ts'
import { device, openPage, until } from '../../../test/page.tsx'
import { useConfirm } from './confirm.tsx'
import { ConfirmPopover } from './confirm-popover.tsx'
import { Dialog } from './dialog.tsx'

const question = { title: 'Delete the flag?', confirm: 'Delete', harmful: true }

function Ask({ done }: { readonly done: (yes: boolean) => void }) {
  const confirm = useConfirm()
  return (
    <button type="button" onClick={() => void confirm(question).then(done)}>
      of the page
    </button>
  )
}

const inRow = (done: () => void) => (
  <ConfirmPopover {...question} onConfirm={done}>
    {(open) => (
      <ActionIcon aria-label="of the row" onClick={open}>
        x
      </ActionIcon>
    )}
  </ConfirmPopover>
)
const isRed = (element: HTMLElement | undefined) => /bad/.test(element?.getAttribute('style') ?? '')

test.each(['page', 'row'])(
  'FB-5 a harmful action of a %s asks first; its button is red and does not have the focus',
  async (kind) => {
    const done = vi.fn()
    const place = await openPage(kind === 'page' ? <Ask done={(yes) => yes && done()} /> : inRow(done))
    const open = () => click(place.querySelector('button'))
    await open()
    const dialog = () => document.querySelector('[role=dialog]')
    expect(dialog()?.textContent).toContain(question.title)
    await until(() => expect(document.activeElement).toBe(button('Cancel')))
    expect([isRed(button('Delete')), isRed(button('Cancel'))]).toEqual([true, false])
    await click(button('Cancel'))
    expect(done).not.toHaveBeenCalled()
    await until(() => expect(dialog()).toBeNull())
    await open()
    await click(button('Delete'))
    expect(done).toHaveBeenCalledOnce()
    await until(() => expect(dialog()).toBeNull())
  },
)

test('FOCUS-2 when the confirmed action removes its row, the content of the page has the focus', async () => {
  function Row() {
    const [shown, setShown] = useState(true)
    return (
      <main id="content" tabIndex={-1}>
        {shown && inRow(() => setTimeout(() => setShown(false), 250))}
      </main>
    )
  }
  const place = await openPage(<Row />)
  named('of the row')?.focus()
  await click(named('of the row'))
  await until(() => expect(document.activeElement).toBe(button('Cancel')))
  await click(button('Delete'))
  await until(() => expect(named('of the row')).toBeUndefined())
  await until(() => expect(document.activeElement).toBe(place.querySelector('#content')))
})

test.each(['its button', 'Escape'])(
  'FB-5 closing a question with %s is not an agreement, and keeps the dialog below it',
  async (how) => {
    const done = vi.fn()
    const closeBelow = vi.fn()
    const below = (
      <Dialog opened onClose={closeBelow} title="Flags">
        <Ask done={done} />
      </Dialog>
    )
    await openPage(below)
    const dialogs = () => document.querySelectorAll('[role=dialog]')
    const pressEscape = (more: KeyboardEventInit = {}) => {
      const event = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, ...more })
      return act(async () => void document.activeElement?.dispatchEvent(event))
    }
    await until(() => expect(dialogs()).toHaveLength(1))
    // It ends the input of a character of Chinese or Japanese.
    await pressEscape({ isComposing: true })
    expect(closeBelow).not.toHaveBeenCalled()
    await click(button('of the page'))
    await until(() => expect(document.activeElement).toBe(button('Cancel')))
    await (how === 'Escape' ? pressEscape() : click([...document.querySelectorAll('[aria-label=Close]')].at(-1)))
    expect(done.mock.calls).toEqual([[false]])
    expect(closeBelow).not.toHaveBeenCalled()
    await until(() => expect(dialogs()).toHaveLength(1))
    await pressEscape()
    expect(closeBelow).toHaveBeenCalledOnce()
  },
)

function AskTwice({ done }: { readonly done: (answers: readonly boolean[]) => void }) {
  const confirm = useConfirm()
  const typed = (text: string) => confirm({ title: `Delete ${text}?`, text: 'For ever', confirm: 'Delete', typed: text })
  return (
    <button type="button" onClick={() => void Promise.all([typed('buoy'), typed('reef')]).then(done)}>
      Ask
    </button>
  )
}

test('FB-5 a second question answers the first one with no; a text that must be typed enables its button and is not kept', async () => {
  const done = vi.fn()
  await openPage(<AskTwice done={done} />)
  const open = async () => {
    await click(button('Ask'))
    await until(() => expect(document.querySelector('[role=dialog] h2')?.textContent).toBe('Delete reef?'))
  }
  await open()
  expect(document.querySelector('[role=dialog]')?.textContent).toContain('For ever')
  expect(button('Delete')?.disabled).toBe(true)
  expect(isRed(button('Delete'))).toBe(false)
  for (const [text, usable] of [
    ['buoy', false],
    ['reef ', false],
    ['reef', true],
  ] as const) {
    await write(field('Type reef to confirm'), text)
    expect(button('Delete')?.disabled).toBe(!usable)
  }
  // Neither the answer nor the text belongs to the next question.
  await open()
  expect(done.mock.calls).toEqual([[[false, false]]])
  expect(field('Type reef to confirm').value).toBe('')
  // Enter submits.
  await send(field('Type reef to confirm'))
  expect(done).toHaveBeenCalledOnce()
  await write(field('Type reef to confirm'), 'reef')
  await send(field('Type reef to confirm'))
  expect(done.mock.lastCall).toEqual([[false, true]])
  await until(() => expect(document.querySelector('[role=dialog]')).toBeNull())
  await open()
  expect(field('Type reef to confirm').value).toBe('')
  await click(button('Cancel'))
  expect(done.mock.lastCall).toEqual([[false, false]])
})

test('FB-5 a double click opens the question of a row, a second single click closes it', async () => {
  await openPage(inRow(() => undefined))
  const clickOf = (detail: number) =>
    act(async () => void named('of the row')?.dispatchEvent(new MouseEvent('click', { detail, bubbles: true })))
  for (const [detail, opened] of [
    [1, true],
    [2, true],
    [1, false],
  ] as const) {
    await clickOf(detail)
    await until(() => expect(named('of the row')?.getAttribute('aria-expanded')).toBe(String(opened)))
  }
})

test('FB-5 Escape in a question beside a row keeps the dialog around it', async () => {
  const close = vi.fn()
  await openPage(
    <Dialog opened onClose={close} title="Flags">
      {inRow(close)}
    </Dialog>,
  )
  await until(() => expect(named('of the row')).not.toBeNull())
  await click(named('of the row'))
  await until(() => expect(document.activeElement).toBe(button('Cancel')))
  await act(
    async () => void document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })),
  )
  await until(() => expect(document.querySelectorAll('[role=dialog]')).toHaveLength(1))
  expect(close).not.toHaveBeenCalled()
})

test('Escape closes an open list before its dialog, and the upper one of two dialogs also when the lower one is gone', async () => {
  const [closeLower, closeUpper] = [vi.fn(), vi.fn()]
  let leave = () => {}
  function Two() {
    const [lower, setLower] = useState(true)
    leave = () => setLower(false)
    return (
      <>
        <Dialog opened={lower} onClose={closeLower} title="Flags">
          <input id="list" data-mantine-stop-propagation="true" />
        </Dialog>
        <Dialog opened onClose={closeUpper} title="One flag" sub="of three">
          text
        </Dialog>
      </>
    )
  }
  await openPage(<Two />)
  const pressEscape = (target: Element | null) =>
    act(async () => void target?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })))
  await until(() => expect(document.querySelectorAll('[role=dialog]')).toHaveLength(2))
  expect([...document.querySelectorAll('[role=dialog] h2')].at(-1)?.textContent).toBe('One flagof three')
  await pressEscape(document.querySelector('#list'))
  expect([closeLower.mock.calls.length, closeUpper.mock.calls.length]).toEqual([0, 0])
  await act(async () => leave())
  await pressEscape(document.body)
  expect([closeLower.mock.calls.length, closeUpper.mock.calls.length]).toEqual([0, 1])
})

test('a tall dialog fills the screen of a phone, and no other screen; others do not', async () => {
  onTestFinished(() => {
    device.width = undefined
  })
  const full = async (width: number, tall: boolean) => {
    device.width = width
    const place = await openPage(
      <Dialog opened onClose={() => {}} title="Flags" tall={tall}>
        text
      </Dialog>,
    )
    await until(() => expect(document.querySelector('[role=dialog]')).not.toBeNull())
    const found = [...document.querySelectorAll('[role=dialog]')].at(-1)?.closest('[data-full-screen]') ?? null
    place.remove()
    return found !== null
  }
  expect([await full(767, true), await full(768, true), await full(767, false)]).toEqual([true, false, false])
})

test('FB-5 the button of a question that is not harmful has the focus', async () => {
  function AskKindly() {
    const confirm = useConfirm()
    return (
      <button type="button" onClick={() => void confirm({ title: 'Save first?', confirm: 'Save' })}>
        Ask
      </button>
    )
  }
  await openPage(<AskKindly />)
  await click(button('Ask'))
  await until(() => expect(document.activeElement).toBe(button('Save')))
})

/** All source files of the web application with their text. */
const root = join(import.meta.dirname, '../..')
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
/** One undoes its own unfinished creation, the other stops a container that a click starts again. */
const harmless = ['site-admin/games/make-game.ts', 'game-admin/challenges/test-container.tsx']
const asks = (text: string) => /\b(useConfirm|ConfirmPopover|EndButton|Picks)\b/.test(text)

test('FB-5 every deletion asks first', () => {
  const deletes = Object.values(rooms)
    .flatMap((room) => Object.entries(room))
    .flatMap(([name, one]) => ((one as { method?: string } | undefined)?.method === 'DELETE' ? [name] : []))
  expect(deletes.length).toBeGreaterThan(10)
  const called = deletes.flatMap((name) => {
    const files = sources.filter(({ file, text }) => !harmless.includes(file) && new RegExp(`\\bcall\\(${name}\\b`).test(text))
    return files.map((source) => ({ name, ...source }))
  })
  expect(called.length).toBeGreaterThan(10)
  for (const { name, file, text } of called) {
    const importers = sources.filter((one) => one.text.includes(`/${file.split('/').at(-1)}'`))
    expect([name, file, [text, ...importers.map((one) => one.text)].some(asks)]).toEqual([name, file, true])
  }
})
