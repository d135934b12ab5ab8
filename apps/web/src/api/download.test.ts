import { expect, test } from 'vitest'
import { fileNameOf, readBytes } from './download.ts'

test('FB-7 a file has the exact name of the answer, else the plain one', () => {
  expect(fileNameOf(`attachment; filename="Cup_.xlsx"; filename*=UTF-8''Cup%E6%97%97.xlsx`)).toBe('Cup旗.xlsx')
  expect(fileNameOf(`attachment; filename="Cup.xlsx"; filename*=UTF-8''%E0%A4`)).toBe('Cup.xlsx')
  expect(fileNameOf('attachment')).toBeUndefined()
  expect(fileNameOf(null)).toBeUndefined()
})

test('FB-7 bytes are counted as they come and kept whole; an answer that breaks off is no file', async () => {
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
  const blob = await readBytes(new Response(stream(false), { headers: { 'content-length': '9437196' } }), (...at) =>
    heard.push(at),
  )
  expect(heard.at(-1)).toEqual([9_437_196, 9_437_196])
  expect(heard).toHaveLength(3)
  const bytes = new Uint8Array(await blob.arrayBuffer())
  expect([bytes.length, bytes[4], bytes[5], bytes.at(-1)]).toEqual([9_437_196, 5, (9 * 1024 * 1024) % 251, 7])
  await expect(readBytes(new Response(stream(true)))).rejects.toMatchObject({ name: 'Refusal', http: 0 })
})
