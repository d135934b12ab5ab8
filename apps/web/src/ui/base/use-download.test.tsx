// @vitest-environment jsdom
import { notificationsStore } from '@mantine/notifications'
import { submissionSheet } from '@vexil/contract/submissions'
import { act } from 'react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
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

/** Time that passes only between the packets. */
function stopTime(): { now: number } {
  const clock = { now: 0 }
  const get = (real: Performance, name: keyof Performance) => {
    if (name === 'now') return () => clock.now
    const value: unknown = Reflect.get(real, name)
    return typeof value === 'function' ? value.bind(real) : value
  }
  vi.stubGlobal('performance', new Proxy(performance, { get: get as ProxyHandler<Performance>['get'] }))
  return clock
}

test.each([
  ['with a known size', { 'content-length': '5120' }, ['2.0 KiB of 5.0 KiB', '4.0 KiB of 5.0 KiB']],
  ['of an unknown size', {}, ['2.0 KiB', '4.0 KiB']],
])('FB-7 a download %s shows its progress four times a second, then the name of the file', async (_, size, progress) => {
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue()
  const clock = stopTime()
  const times = [200, 250, 450, 500, 550]
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const next = times.shift()
        if (next === undefined) return controller.close()
        clock.now = next
        controller.enqueue(new Uint8Array(1024))
      },
    },
    // The next packet comes only when this one is read.
    { highWaterMark: 0 },
  )
  const headers = { ...size, 'content-disposition': 'attachment; filename="Cup.xlsx"' }
  vi.stubGlobal('fetch', async () => new Response(body, { headers }))
  const place = await openPage(<Press />)
  const shown: unknown[] = []
  onTestFinished(notificationsStore.subscribe(() => void shown.push(...toasts().map(({ title, message }) => [title, message]))))
  await act(async () => place.querySelector('button')?.click())
  await until(() => expect(toasts()).toMatchObject([{ title: 'Cup.xlsx downloaded' }]))
  expect(shown).toEqual([...['', ...progress].map((text) => ['Downloading', text]), ['Cup.xlsx downloaded', '']])
})
