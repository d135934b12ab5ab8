// @vitest-environment jsdom
import { afterEach, expect, test, vi } from 'vitest'
import { click, named } from '../../../test/acts.ts'
import { openPage, until } from '../../../test/page.tsx'
import { CopyButton, CopyText, copyText } from './copy.tsx'

const copied: string[] = []
const clipboard = { writeText: async (text: string) => void copied.push(text) }
afterEach(() => {
  copied.length = 0
  vi.unstubAllGlobals()
  Reflect.deleteProperty(document, 'execCommand')
})

test.each([true, false])('a page without a secure context copies a text through an invisible field: %s', async (done) => {
  vi.stubGlobal('navigator', {})
  const seen: unknown[] = []
  Object.assign(document, {
    execCommand: (command: string) => {
      const field = document.querySelector('textarea')
      const { position, opacity } = field?.style ?? {}
      seen.push([command, field?.value, field?.selectionStart, field?.selectionEnd, position, opacity])
      return done
    },
  })
  expect(await copyText('flag{1}\n')).toBe(done)
  expect(seen).toEqual([['copy', 'flag{1}\n', 0, 8, 'fixed', '0']])
  expect(document.querySelector('textarea')).toBeNull()
})

test('FOCUS-1 a button that copies on a page without a secure context keeps the focus', async () => {
  vi.stubGlobal('navigator', {})
  Object.assign(document, {
    execCommand: () => {
      // As Chromium does when the field is selected.
      document.querySelector('textarea')?.focus()
      return true
    },
  })
  await openPage(<CopyButton text="10.0.0.1" label="Copy the address" />)
  const button = named('Copy the address')
  button?.focus()
  await click(button)
  await until(() => expect(named('Copied')).toBeTruthy())
  expect(document.activeElement).toBe(button)
})

test('a copy button says for a moment that the text is copied', async () => {
  vi.stubGlobal('navigator', { clipboard })
  const onCopied = vi.fn()
  await openPage(<CopyButton text="10.0.0.1" label="Copy the address" onCopied={onCopied} />)
  await click(named('Copy the address'))
  await until(() => expect(named('Copied')).toBeTruthy())
  expect([copied, onCopied.mock.calls.length]).toEqual([['10.0.0.1'], 1])
  await until(() => expect(named('Copy the address')).toBeTruthy())
})

test('a copy button does not say that it copied what the browser refuses to copy', async () => {
  vi.stubGlobal('navigator', {})
  Object.assign(document, { execCommand: () => false })
  const onCopied = vi.fn()
  await openPage(<CopyButton text="10.0.0.1" label="Copy the address" onCopied={onCopied} />)
  await click(named('Copy the address'))
  expect([named('Copied'), onCopied.mock.calls]).toEqual([undefined, []])
})

test('a text that is shown shortened is copied whole', async () => {
  vi.stubGlobal('navigator', { clipboard })
  const place = await openPage(
    <CopyText text="sha256:0123456789" label="Copy">
      sha256:0123…
    </CopyText>,
  )
  expect(place.querySelector('button')?.textContent).toBe('sha256:0123…')
  expect(named('Copy: sha256:0123456789')).toBe(place.querySelector('button'))
  await click(place.querySelector('button'))
  await until(() => expect(copied).toEqual(['sha256:0123456789']))
})
