import { engineSuite } from './engine.suite.ts'
import { openMemoryEngine } from './memory-engine.ts'

engineSuite(async () => ({
  engine: openMemoryEngine(),
  neighbour: openMemoryEngine(),
  images: { echo: 'echo:1', second: 'second:1', crash: 'crash:1', missing: 'missing:1' },
}))
