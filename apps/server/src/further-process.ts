/** A further process of a node: it answers requests as the first one does, and asks that one what only one may know (decision 0029). */
import { withDemoFiles } from './demo/game.ts'
import { openFurther, serve } from './platform-process.ts'

await serve(() => openFurther(withDemoFiles))
