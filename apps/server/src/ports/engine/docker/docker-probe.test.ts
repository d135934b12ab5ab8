import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import type { DockerApi } from './docker-api.ts'
import { probeDocker } from './docker-probe.ts'

test('free memory and disk are reported for an engine on this machine, not for a remote one', async () => {
  const info = { ServerVersion: '29.0', ContainersRunning: 2, Images: 3, MemTotal: 4096, DockerRootDir: tmpdir() }
  const api = { read: async () => info } as unknown as DockerApi
  const all = { version: '29.0', running: 2, images: 3 }
  expect(await probeDocker(api, 'unix:///run/docker.sock')).toEqual({
    ...all,
    memory: { total: 4096, free: process.platform === 'linux' ? expect.any(Number) : null },
    disk: { total: expect.any(Number), free: expect.any(Number) },
  })
  expect(await probeDocker(api, 'tcp://10.0.0.9:2376')).toEqual({ ...all, memory: { total: 4096, free: null }, disk: null })
})
