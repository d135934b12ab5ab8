import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { captureOf } from './capture-tunnel.ts'
import type { TunnelTarget } from './tunnels.queries.ts'

test('traffic that cannot be captured is logged once for a connection, with the challenge and the reason', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'vexil-capture-'))
  // A file where the folder should be.
  writeFileSync(join(dataDir, 'capture'), '')
  const log = { write: vi.fn() }
  const facts = { Challenge: 'Tide', ChallengeId: 7, Team: 'Red', TeamId: 3, ContainerId: 'abc', Flag: null }
  const target = { host: '192.0.2.5', port: 80, capture: { facts, participationId: 4 } } as unknown as TunnelTarget
  const capture = captureOf(
    { config: { dataDir, containerCapture: true }, log } as never,
    { address: '192.0.2.1', port: 4000 },
    {
      containerId: '0a1b2c3d-4e5f-4000-8000-000000000000',
      container: {} as Socket,
      target,
    },
  )
  for (let i = 0; i < 2; i++) capture?.write('in', Buffer.from('hello'))
  await capture?.close()
  const message = expect.stringMatching(/^Could not capture traffic of Tide \(#7\): ENOTDIR/)
  expect(log.write.mock.calls).toEqual([[{ level: 'Warning', status: 'Failed', name: 'System', message }]])
  rmSync(dataDir, { recursive: true })
})
