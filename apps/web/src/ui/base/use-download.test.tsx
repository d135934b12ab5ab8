// @vitest-environment jsdom
import { submissionSheet } from '@vexil/contract/submissions'
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { openPage, toasts, until } from '../../../test/page.tsx'
import { ActionButton } from './action-button.tsx'
import { useDownload } from './use-download.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function Press() {
  const action = useDownload(submissionSheet, { params: { id: 3 } })
  return (
    <ActionButton action={action} onClick={() => void action.start()}>
      Download
    </ActionButton>
  )
}

test.each([
  ['with a known size', { 'content-length': String(100 * 1024 * 1024) }, /^[\d.]+ [KM]iB of 100.0 MiB$/],
  ['of an unknown size', {}, /^[\d.]+ [KM]iB$/],
])('FB-7 a download %s shows its progress while the bytes arrive, then the name of the file', async (_, size, progress) => {
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue()
  let arrive = () => {}
  let end = () => {}
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      arrive = () => controller.enqueue(new Uint8Array(1024))
      end = () => controller.close()
    },
  })
  const headers = { ...size, 'content-disposition': 'attachment; filename="Cup.xlsx"' }
  vi.stubGlobal('fetch', async () => new Response(body, { headers }))
  const place = await openPage(<Press />)
  await act(async () => place.querySelector('button')?.click())
  expect(toasts()).toEqual([{ title: 'Downloading', message: '', role: 'status' }])
  await until(() => {
    arrive()
    expect(toasts()).toEqual([{ title: 'Downloading', message: expect.stringMatching(progress), role: 'status' }])
  })
  await act(async () => end())
  await until(() => expect(toasts()).toMatchObject([{ title: 'Cup.xlsx downloaded', message: '' }]))
})
