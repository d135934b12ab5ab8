// @vitest-environment jsdom
import { act, useState } from 'react'
import { expect, test, vi } from 'vitest'
import { button, click, settle } from '../../../test/acts.ts'
import { openPage, toasts, until } from '../../../test/page.tsx'
import { ImageDialog } from './image-dialog.tsx'

const sent: string[] = []
const picture = (name: string, bytes: number, type = 'image/png') => {
  const file = new File(['x'], name, { type })
  Object.defineProperty(file, 'size', { value: bytes })
  return file
}
const choose = async (file: File) => {
  const input = document.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement
  Object.defineProperty(input, 'files', { configurable: true, value: [file] })
  await act(async () => void input.dispatchEvent(new Event('change', { bubbles: true })))
  await settle(60)
}
const paste = (...files: File[]) =>
  act(async () => void window.dispatchEvent(Object.assign(new Event('paste'), { clipboardData: { files } })))

test('P8.18 a picture of four megabytes and an invalid picture are refused before anything is sent; a small one can be saved', async () => {
  Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => {} })
  const upload = async (file: File) => void sent.push(file.name)
  await openPage(<ImageDialog opened onClose={() => {}} title="Picture" current={null} upload={upload} done="Saved" />)
  expect(document.querySelector<HTMLInputElement>('input[type=file]')?.accept).toContain('image/webp')
  for (const file of [picture('large.png', 4_000_000), picture('notes.txt', 10, 'text/plain')]) {
    await choose(file)
    await until(() => expect(toasts().at(-1)).toMatchObject({ message: 'File invalid (check format and size)', role: 'alert' }))
    expect(button('Save')?.disabled).toBe(true)
  }
  await choose(picture('me.png', 1000))
  await until(() => expect(button('Save')?.disabled).toBe(false))
  await act(async () => button('Save')?.click())
  await until(() => expect(sent).toEqual(['me.png']))
  await until(() => expect(toasts().at(-1)).toMatchObject({ title: 'Saved', role: 'status' }))
})

test('P8.18 the dialog closes when the new picture was read; until then another one that is pasted is not accepted', async () => {
  Object.assign(URL, { createObjectURL: ({ name }: File) => `blob:${name}`, revokeObjectURL: () => {} })
  const read = Promise.withResolvers<void>()
  const onClose = vi.fn()
  const upload = { upload: async () => {}, onDone: () => read.promise, done: 'Done' }
  await openPage(<ImageDialog opened onClose={onClose} title="Picture" current={null} {...upload} />)
  await paste(picture('me.png', 1000))
  // A text.
  await paste()
  expect(toasts()).toEqual([])
  await click(button('Save'))
  expect(onClose).not.toHaveBeenCalled()
  expect(document.querySelector<HTMLInputElement>('input[type=file]')?.disabled).toBe(true)
  await paste(picture('other.png', 1000))
  expect(document.querySelector('img[alt=Preview]')?.getAttribute('src')).toBe('blob:me.png')
  await act(async () => read.resolve())
  await until(() => expect(onClose).toHaveBeenCalledOnce())
})

test('P8.19 a picture that the browser cannot render fails in the preview with a message', async () => {
  Object.assign(URL, { createObjectURL: () => 'blob:broken', revokeObjectURL: () => {} })
  await openPage(<ImageDialog opened onClose={() => {}} title="Picture" current={null} upload={async () => {}} done="Done" />)
  await choose(picture('broken.png', 1000))
  expect(toasts()).toEqual([])
  await act(async () => void document.querySelector('img[src="blob:broken"]')?.dispatchEvent(new Event('error')))
  await until(() =>
    expect(toasts()).toEqual([{ title: 'Failed to load file', message: 'File invalid (check format and size)', role: 'alert' }]),
  )
})

function Picture() {
  const [opened, setOpened] = useState(true)
  return (
    <>
      <button type="button" onClick={() => setOpened(true)}>
        Change the picture
      </button>
      <ImageDialog
        opened={opened}
        onClose={() => setOpened(false)}
        title="Picture"
        current="None yet"
        upload={async () => {}}
        done=""
      />
    </>
  )
}

test('P8.18 a picture that was chosen but not saved is dropped when the dialog closes', async () => {
  const revoked = vi.fn()
  Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: revoked })
  await openPage(<Picture />)
  await choose(picture('me.png', 1000))
  await until(() => expect(button('Save')?.disabled).toBe(false))
  expect(document.querySelector('img[src="blob:x"]')).not.toBeNull()
  expect(revoked).not.toHaveBeenCalled()
  await click(button('Cancel'))
  await until(() => expect(document.querySelector('[role=dialog]')).toBeNull())
  expect(revoked.mock.calls).toEqual([['blob:x']])
  // A closed dialog does not listen.
  await paste(picture('other.png', 1000))
  await click(button('Change the picture'))
  await until(() => expect(document.querySelector('[role=dialog]')?.textContent).toContain('None yet'))
  expect(document.querySelector('img[src="blob:x"]')).toBeNull()
  expect(button('Save')?.disabled).toBe(true)
})
