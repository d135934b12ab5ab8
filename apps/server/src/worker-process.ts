/** Entry of a worker process: serves requests and requests shared state from the first process (decision 0029). */
import { withDemoFiles } from './demo/game.ts'
import { openWorker, serve } from './platform-process.ts'

await serve(() => openWorker(withDemoFiles))
