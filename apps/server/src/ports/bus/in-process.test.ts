import { expect, test, vi } from 'vitest'
import { busSuite } from '../../../test/bus.suite.ts'
import { openInProcessBus } from './in-process.ts'

busSuite(async () => {
  const faults: unknown[] = []
  const bus = openInProcessBus((error) => faults.push(error))
  return { bus, other: bus, faults }
})

test('many listeners of one event cause no leak warning', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined)
  try {
    const bus = openInProcessBus(() => undefined)
    for (let at = 0; at < 11; at++) bus.subscribe('game.changed', () => undefined)
    expect(warned).not.toHaveBeenCalled()
    await bus.close()
  } finally {
    warned.mockRestore()
  }
})
