import { expect, test } from 'vitest'
import type { Deps } from '../deps.ts'
import { openInProcessBus } from '../ports/bus/in-process.ts'
import type { NamedFiles } from '../ports/storage/named-files.ts'
import { forgetCaptures } from './forget-captures.ts'

test('a place that does not answer after a deletion is reported, and asked again after the next one', async () => {
  const calls: string[] = []
  const faults: unknown[] = []
  const away = new Error('unreachable')
  const place = {
    async folders(folder) {
      calls.push(folder)
      if (calls.length === 1) throw away
      return []
    },
  } satisfies Partial<NamedFiles>
  const onError = (error: unknown) => void faults.push(error)
  const bus = openInProcessBus(onError)
  const forgetting = forgetCaptures({ bus, captures: [place], onError } as unknown as Deps)
  bus.publish('game.changed', { gameId: 1 })
  await expect.poll(() => faults).toEqual([away])
  bus.publish('game.changed', { gameId: 1 })
  await expect.poll(() => calls).toEqual(['capture/', 'capture/'])
  await forgetting.close()
  expect(faults).toEqual([away])
})
