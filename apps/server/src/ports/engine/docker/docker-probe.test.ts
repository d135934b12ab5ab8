import { readFile, statfs } from 'node:fs/promises'
import { expect, test, vi } from 'vitest'
import type { DockerApi } from './docker-api.ts'
import { probeDocker } from './docker-probe.ts'

vi.mock('node:fs/promises', () => ({ readFile: vi.fn(), statfs: vi.fn() }))

test('free memory and disk are reported for an engine on this machine if they can be read, not for a remote one', async () => {
  const info = { ServerVersion: '29.0', ContainersRunning: 2, Images: 3, MemTotal: 8_388_608, DockerRootDir: '/docker' }
  const api = { read: async () => info } as unknown as DockerApi
  const all = { version: '29.0', running: 2, images: 3 }
  const total = 8_388_608
  const local = () => probeDocker(api, 'unix:///run/docker.sock')
  vi.mocked(readFile).mockResolvedValue('MemTotal:        8192 kB\nMemFree:         1024 kB\nMemAvailable:    4096 kB\n')
  // Space that is reserved for root is not free.
  const disk = { blocks: 100, bfree: 60, bavail: 50, bsize: 4096 }
  vi.mocked(statfs).mockResolvedValue(disk as Awaited<ReturnType<typeof statfs>>)
  expect(await local()).toEqual({ ...all, memory: { total, free: 4_194_304 }, disk: { total: 409_600, free: 204_800 } })
  expect([vi.mocked(readFile).mock.calls[0]?.[0], vi.mocked(statfs).mock.calls]).toEqual(['/proc/meminfo', [['/docker']]])
  const unknown = { ...all, memory: { total, free: null }, disk: null }
  expect(await probeDocker(api, 'tcp://10.0.0.9:2376')).toEqual(unknown)
  for (const read of [readFile, statfs]) vi.mocked(read).mockRejectedValue(new Error('not readable'))
  expect(await local()).toEqual(unknown)
})
