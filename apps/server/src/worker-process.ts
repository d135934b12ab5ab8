/** Entry of a worker process: serves requests and asks the first process for shared state (decision 0029). */
import { withDemoFiles } from './demo/game.ts'
import { openWorker, serve } from './platform-process.ts'

await serve(() => openWorker(withDemoFiles))
