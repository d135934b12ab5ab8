/** A worker process of a node: it answers requests as the first one does, and asks that one what only one may know (decision 0029). */
import { withDemoFiles } from './demo/game.ts'
import { openWorker, serve } from './platform-process.ts'

await serve(() => openWorker(withDemoFiles))
