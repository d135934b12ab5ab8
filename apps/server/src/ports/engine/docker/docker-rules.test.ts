/** When the firewall rules of the host are checked during a start, on a fake Docker. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { dockerOptions } from '../../../../test/docker.ts'
import { type FakeDocker, openFakeDocker } from '../../../../test/docker-api.ts'
import { aContainer } from '../../../../test/engine.suite.ts'
import type { Engine } from '../engine.ts'
import { openDocker } from './docker.ts'
import { ensureFirewall } from './firewall.ts'

vi.mock('./firewall.ts', () => ({ ensureFirewall: vi.fn() }))

let docker: FakeDocker
let engine: Engine
const onError = vi.fn()
beforeEach(async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(0)
  docker = await openFakeDocker()
  docker.images.add('team/web:1')
  engine = await openDocker(dockerOptions({ host: docker.door.address, published: true, bind: null, onError }))
})
afterEach(async () => {
  await engine.close()
  await docker.close()
  vi.restoreAllMocks()
  onError.mockReset()
})

const callCount = (end: string) => docker.door.asked.filter((call) => call.startsWith('POST') && call.includes(end)).length

test('network and container are created while the rules are checked; the container starts after the check', async () => {
  const checked = Promise.withResolvers<string>()
  vi.mocked(ensureFirewall).mockReturnValue(checked.promise)
  const started = engine.create(aContainer({ image: 'team/web:1' }))
  await vi.waitFor(() => expect([callCount('/networks/create'), callCount('/containers/create?name=chal')]).toEqual([1, 1]))
  // A start that did not wait would continue within this time.
  await sleep(50)
  expect([callCount('/start'), vi.mocked(ensureFirewall).mock.calls.length]).toEqual([0, 1])
  checked.resolve('in place')
  await started
  expect([callCount('/start'), onError.mock.calls.length]).toEqual([1, 0])
})

test('rules that cannot be set are reported once, and containers start', async () => {
  vi.mocked(ensureFirewall).mockResolvedValue('Could not set the firewall rules on this host: no')
  await engine.create(aContainer({ image: 'team/web:1' }))
  await engine.create(aContainer({ image: 'team/web:1', subnetIndex: 1 }))
  expect(onError.mock.calls.map(([error]) => (error as Error).message)).toEqual([
    'Containers on Docker may not be isolated. Not proven: Could not set the firewall rules on this host: no',
  ])
  expect(callCount('/start')).toBe(2)
})
