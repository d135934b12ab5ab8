import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openCaptures } from './capture-tunnel.ts'

test('traffic that cannot be captured is logged once a minute for a challenge and a reason, with both', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'vexil-capture-'))
  // A file where the folder should be.
  writeFileSync(join(dataDir, 'capture'), '')
  const write = vi.fn()
  let now = 0
  const captureOf = openCaptures({ config: { dataDir, containerCapture: true }, log: { write } } as never, () => now)
  let participationId = 0
  async function connect(ChallengeId: number) {
    const facts = { Challenge: 'Tide', ChallengeId, Team: 'Red', TeamId: 3, ContainerId: 'abc', Flag: null }
    // The message of the error names the folder, which is another for each team.
    const target = { host: '192.0.2.5', port: 80, capture: { facts, participationId: ++participationId } }
    const containerId = '0a1b2c3d-4e5f-4000-8000-000000000000'
    const capture = captureOf({ address: '192.0.2.1', port: 4000 }, { containerId, container: {} as Socket, target })
    for (let i = 0; i < 2; i++) capture?.write('in', Buffer.from('hello'))
    await capture?.close()
  }
  const logged = () => write.mock.calls.splice(0).map(([entry]) => entry)
  const warning = (challenge: number, reason: string) => {
    const message = expect.stringMatching(new RegExp(`^Could not capture traffic of Tide \\(#${challenge}\\): ${reason}`))
    return { level: 'Warning', status: 'Failed', name: 'System', message }
  }
  for (const challenge of [7, 7, 8]) await connect(challenge)
  expect(logged()).toEqual([warning(7, 'ENOTDIR'), warning(8, 'ENOTDIR')])
  now = 59_999
  await connect(7)
  expect(logged()).toEqual([])
  now = 60_000
  await connect(7)
  rmSync(dataDir, { recursive: true })
  await connect(7)
  expect(logged()).toEqual([warning(7, 'ENOTDIR'), warning(7, 'ENOENT')])
})
