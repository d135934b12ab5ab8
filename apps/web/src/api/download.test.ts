import { expect, onTestFinished, test, vi } from 'vitest'
import { download, fileNameOf, keepFile, readBytes } from './download.ts'

test('FB-7 a file has the exact name from the answer, otherwise the plain one', () => {
  expect(fileNameOf(`attachment; filename="Cup_.xlsx"; filename*=UTF-8''Cup%E6%97%97.xlsx`)).toBe('Cup旗.xlsx')
  expect(fileNameOf(`attachment; filename="Cup.xlsx"; filename*=UTF-8''%E0%A4`)).toBe('Cup.xlsx')
  expect(fileNameOf('attachment')).toBeUndefined()
  expect(fileNameOf(null)).toBeUndefined()
})

test('FB-7 bytes are counted as they arrive and stay complete; an interrupted answer gives no file', async () => {
  const chunks = [5, 9 * 1024 * 1024, 7].map((size) => new Uint8Array(size).fill(size % 251))
  const stream = (fails: boolean) =>
    new ReadableStream({
      start: (controller) => {
        for (const chunk of chunks) controller.enqueue(chunk)
        if (fails) controller.error(new Error('reset'))
        else controller.close()
      },
    })
  const heard: [number, number | undefined][] = []
  const headers = { 'content-length': '9437196', 'content-type': 'text/csv' }
  const blob = await readBytes(new Response(stream(false), { headers }), (...at) => heard.push(at))
  expect(blob.type).toBe('text/csv')
  expect(heard.at(-1)).toEqual([9_437_196, 9_437_196])
  expect(heard).toHaveLength(3)
  const bytes = new Uint8Array(await blob.arrayBuffer())
  expect([bytes.length, bytes[4], bytes[5], bytes.at(-1)]).toEqual([9_437_196, 5, (9 * 1024 * 1024) % 251, 7])
  await expect(readBytes(new Response(stream(true)))).rejects.toMatchObject({ name: 'Refusal', http: 0 })
  const totals: unknown[] = []
  await readBytes(new Response(stream(false)), (_, total) => totals.push(total))
  expect(totals).toEqual([undefined, undefined, undefined])
})

test('FB-7 the browser gets the file under its name, and its memory is released afterwards', () => {
  const link = { href: '', download: '', click: vi.fn(() => expect(revoked).not.toHaveBeenCalled()) }
  vi.stubGlobal('document', { createElement: () => link })
  const later = vi.fn<(work: () => void, ms: number) => void>()
  vi.stubGlobal('setTimeout', later)
  onTestFinished(() => void vi.unstubAllGlobals())
  const blob = new Blob(['1'])
  const made = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  const revoked = vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
  onTestFinished(() => void vi.restoreAllMocks())
  keepFile(blob, 'Cup.xlsx')
  expect(made).toHaveBeenCalledExactlyOnceWith(blob)
  expect(link).toMatchObject({ href: 'blob:1', download: 'Cup.xlsx' })
  expect(link.click).toHaveBeenCalledOnce()
  expect(later).toHaveBeenCalledExactlyOnceWith(expect.any(Function), 1000)
  expect(revoked).not.toHaveBeenCalled()
  later.mock.lastCall?.[0]()
  expect(revoked).toHaveBeenCalledExactlyOnceWith('blob:1')
})

test('FB-7 a file whose answer has no name is called download', async () => {
  const link = { download: '', click() {} }
  vi.stubGlobal('document', { createElement: () => link })
  vi.stubGlobal('fetch', async () => new Response('1'))
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  vi.useFakeTimers()
  onTestFinished(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })
  const sheet = { method: 'GET', path: '/api/sheet', shape: { access: 'monitor', summary: '' } } as const
  expect(await download(sheet, {}, () => {})).toBe('download')
  expect(link.download).toBe('download')
})
