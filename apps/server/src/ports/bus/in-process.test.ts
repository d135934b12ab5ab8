import { busSuite } from '../../../test/bus.suite.ts'
import { openInProcessBus } from './in-process.ts'

busSuite(async () => {
  const faults: unknown[] = []
  const bus = openInProcessBus((error) => faults.push(error))
  return { bus, other: bus, faults }
})
