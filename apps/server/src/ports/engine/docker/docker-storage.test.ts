import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { type DockerApi, DockerRefusal } from './docker-api.ts'
import { findOverStorage, type Listed, limitsStorage } from './docker-storage.ts'

/** A fake engine that answers by `METHOD /path` and records its requests. */
function anEngine(refusals: Record<string, string>, answers: Record<string, unknown> = {}) {
  const calls: string[] = []
  const bodies = new Map<string, unknown>()
  const answer = async (method: string, path: string, { body }: { body?: unknown } = {}) => {
    const key = `${method} ${path.replace(/vexil-storage-test[:-][^/]*/, 'TEST')}`
    calls.push(key)
    bodies.set(key, body)
    if (refusals[key]) throw new DockerRefusal(500, refusals[key])
    return answers[key]
  }
  const api = { read: (_shape: unknown, ...args: Parameters<typeof answer>) => answer(...args), bytes: answer } as DockerApi
  return { api, calls, bodies }
}

test.each<[string, Record<string, string>, boolean]>([
  [
    'the driver does not support limits',
    { 'POST /containers/create': '--storage-opt is supported only for overlay over xfs' },
    false,
  ],
  ['the driver accepts the limit without enforcing it', {}, false],
  ['the disk is full at the limit', { 'PUT /containers/TEST/archive': 'write /content: no space left on device' }, true],
  ['the quota is used up at the limit', { 'PUT /containers/TEST/archive': 'write /content: disk quota exceeded' }, true],
  ['another error occurs', { 'PUT /containers/TEST/archive': 'No such container' }, false],
])('%s', async (_, refusals, limits) => {
  const { api, calls } = anEngine(refusals)
  expect(await limitsStorage(api, 'ours')).toBe(limits)
  expect(calls.at(-1)).toBe('DELETE /images/TEST')
  if (!refusals['POST /containers/create']) expect(calls).toContain('DELETE /containers/TEST')
})

test('32 MB in one file are written to a container limited to 16 MB that is never started', async () => {
  const { api, calls, bodies } = anEngine({})
  await limitsStorage(api, 'ours')
  expect(calls).toEqual([
    'POST /images/create',
    'POST /containers/create',
    'PUT /containers/TEST/archive',
    'DELETE /containers/TEST',
    'DELETE /images/TEST',
  ])
  expect(bodies.get('POST /containers/create')).toMatchObject({ HostConfig: { StorageOpt: { size: '16M' } } })
  const input = bodies.get('PUT /containers/TEST/archive') as Buffer
  const { stdout, stderr } = spawnSync('tar', ['--numeric-owner', '-tvf', '-'], { input, encoding: 'utf8' })
  expect([stdout.split(/\s+/).filter((word) => !/^\d{4}-|:/.test(word)), stderr]).toEqual([
    ['-rwxr-xr-x', '0/0', '33554432', 'content', ''],
    '',
  ])
})

test('a failed cleanup after the test does not change its result', async () => {
  const missing = { 'DELETE /containers/TEST': 'No such container', 'DELETE /images/TEST': 'No such image' }
  const { api } = anEngine({ ...missing, 'PUT /containers/TEST/archive': 'write /content: no space left on device' })
  expect(await limitsStorage(api, 'ours')).toBe(true)
})

const listed = (Id: string, megabytes: number, volume?: string): Listed => ({
  Id,
  State: 'running',
  Labels: { 'vexil.storage': '100' },
  SizeRw: megabytes * 1_048_576,
  Mounts: volume ? [{ Type: 'volume', Name: volume }] : [],
})

test('a container that writes more than its limit is over the limit, volumes included', async () => {
  const { api, calls } = anEngine({}, { 'GET /system/df': { Volumes: [{ Name: 'v', UsageData: { Size: 61 * 1_048_576 } }] } })
  const over = await findOverStorage(api, [listed('a', 100), listed('b', 100.1), listed('c', 39, 'v'), listed('d', 40, 'v')])
  expect([...over]).toEqual(['b', 'd'])
  expect(calls).toEqual(['GET /system/df'])
})

test('volumes are not measured when there are none', async () => {
  const { api, calls } = anEngine({})
  expect([...(await findOverStorage(api, [listed('a', 101)]))]).toEqual(['a'])
  expect(calls).toEqual([])
})
