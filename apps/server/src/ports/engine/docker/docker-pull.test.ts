// Alone: it counts the timers of its process.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { type DockerApi, DockerRefusal, openDockerApi } from './docker-api.ts'
import { openDockerImages } from './docker-pull.ts'

/** In Base64 both signs that differ in its URL-safe form. */
const password = 'secret>>>???'
const registry = { name: 'registry.example.org:5000/ctf', user: 'puller', password }

function authOf(ask?: { readonly headers?: Readonly<Record<string, string>> }): unknown {
  const auth = ask?.headers?.['x-registry-auth']
  if (auth === undefined) return undefined
  expect([auth, auth.length % 4]).toEqual([expect.stringMatching(/^[\w-]+=*$/), 0])
  return JSON.parse(Buffer.from(auth, 'base64url').toString())
}

/** An engine without images that records its requests. Pulls answer when `answer` is called. */
function anEngine(line: object = { status: 'done' }) {
  const calls: { path: string; query: unknown; auth: unknown; minutes?: number }[] = []
  const lines = [{ status: 'Pulling' }, line, { status: 'Ended' }] as never[]
  let answer: () => void = () => undefined
  const api: DockerApi = {
    read: (_shape, _method, path, ask) => {
      if (path.startsWith('/distribution/')) calls.push({ path, query: ask?.query, auth: authOf(ask) })
      return Promise.reject(new DockerRefusal(404, 'No such image'))
    },
    bytes: () => Promise.reject(new Error('nothing else is asked')),
    readLines: (_shape, _method, path, ask) => {
      calls.push({ path, query: ask?.query, auth: authOf(ask), minutes: (ask?.time ?? 0) / 60_000 })
      return new Promise((resolve) => {
        answer = () => resolve(lines)
      })
    },
    ping: async () => undefined,
    close: () => undefined,
  }
  return { api, calls, answer: () => answer() }
}

test('concurrent pulls of an image are one pull, and a later one pulls again', async () => {
  const { api, calls, answer } = anEngine()
  const images = openDockerImages(api, null, 1000, () => undefined)
  const first = [images.pull('a:1'), images.pull('docker/a:1'), images.pull('a:1')]
  expect(calls.map(({ query }) => query)).toEqual([
    { fromImage: 'a', tag: '1' },
    { fromImage: 'docker/a', tag: '1' },
  ])
  expect(calls.map(({ minutes }) => minutes)).toEqual([10, 10])
  answer()
  await first[1]
  const again = images.pull('docker/a:1')
  expect(calls.length).toBe(3)
  answer()
  await again
})

test.each([
  ['registry.example.org:5000/web:1', true],
  ['registry.example.org/web:1', false],
  ['registry.example.org.evil.example:5000/web:1', false],
  ['web:1', false],
])('credentials are sent only to their own registry: %s', async (image, given) => {
  const { api, calls, answer } = anEngine()
  const images = openDockerImages(api, registry, 1000, () => undefined)
  const pulled = images.pull(image)
  answer()
  await pulled
  await expect(images.findImage(image)).rejects.toMatchObject({ problem: 'image' })
  const auth = { username: 'puller', password, serveraddress: 'registry.example.org:5000' }
  expect(calls.map((one) => one.auth)).toEqual(given ? [auth, auth] : [undefined, undefined])
})

test('an error line in a pull is an error, and the next pull starts again', async () => {
  const { api, calls, answer } = anEngine({ error: 'toomanyrequests' })
  const images = openDockerImages(api, null, 1000, () => undefined)
  for (const turn of [1, 2]) {
    const pulled = images.pull('a')
    answer()
    await expect(pulled).rejects.toMatchObject({
      problem: 'image',
      message: 'The image a:latest cannot be pulled: toomanyrequests',
    })
    expect(calls.length).toBe(turn)
  }
})

test('a pull that fails after its start timed out is reported', async () => {
  const { api, answer } = anEngine({ error: 'gone' })
  const reported: unknown[] = []
  const images = openDockerImages(api, null, 0, (error) => reported.push(error))
  await expect(images.need('a')).rejects.toMatchObject({ problem: 'pulling' })
  answer()
  await new Promise((resolve) => setTimeout(resolve))
  expect(reported).toEqual([expect.objectContaining({ problem: 'image' })])
})

test('an image that arrives in time leaves no timer', async () => {
  const { api, answer } = anEngine()
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const before = timers()
  const needed = openDockerImages(api, null, 3_600_000, () => undefined).need('a:1')
  await vi.waitFor(() => expect(timers()).toBeGreaterThan(before))
  answer()
  await needed
  // Timers of other tests in this process may end in the meantime; those of an hour do not.
  await vi.waitFor(() => expect(timers()).toBeLessThanOrEqual(before))
})

test('everyone who waits for an image hears how far its pull is, line by line, and a patient one waits until it ends', async () => {
  const answers: ServerResponse[] = []
  const server = createServer(({ url, method }, response) => {
    if (method === 'POST') answers.push(response.writeHead(200))
    else response.writeHead(url === '/version' ? 200 : 404).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const api = openDockerApi({ host: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`, certs: null })
  try {
    const images = openDockerImages(api, null, 0, () => undefined)
    const [one, other]: (number | null)[][] = [[], []]
    const first = images.need('a:1', true, (percent) => one!.push(percent))
    await vi.waitFor(() => expect(answers).toHaveLength(1))
    const line = (current: number) =>
      `${JSON.stringify({ status: 'Downloading', id: 'ä', progressDetail: { current, total: 100 } })}\n`
    // Between the two bytes of `ä`.
    const at = Buffer.from(line(50)).indexOf('ä') + 1
    const [begun, rest] = [Buffer.from(line(50)).subarray(0, at), Buffer.from(line(50)).subarray(at)]
    answers[0]!.write(Buffer.concat([Buffer.from(`{"status":"Pulling"}\n${line(10)}`), begun]))
    await vi.waitFor(() => expect(one).toEqual([null, 7]))
    const second = images.need('a:1', true, (percent) => other!.push(percent))
    await expect(images.need('a:1')).rejects.toMatchObject({ problem: 'pulling' })
    await vi.waitFor(() => expect(other).toEqual([7]))
    answers[0]!.write(Buffer.concat([rest, Buffer.from(line(50))]))
    await vi.waitFor(() =>
      expect([one, other]).toEqual([
        [null, 7, 35],
        [7, 35],
      ]),
    )
    answers[0]!.end('{"status":"Done"}\n')
    await Promise.all([first, second])
    expect(answers).toHaveLength(1)
  } finally {
    api.close()
    server.close()
  }
})
