/**
 * npm run tool -- containers [starts] [proxy] [neighbours], as root on Debian: instances on a temporary Docker engine, or on that of
 * VEXIL_TEST_DOCKER. Prints the time from click to first byte for 1, 20 and 100 starts at once beside bare Docker in turns, the proxy with and without capture beside bare TCP connections
 * to the same containers, memory while 200 MB go each way past a slow reader, and what neighbours feel while one instance burns CPU, forks without end
 * or fills its disk. Exit code 1 when memory grows by more than 50 MB or a neighbour's median rises by more than a fifth.
 */
import type { Platform } from '../../e2e/platform.ts'
import { measureNeighbours } from './neighbours.ts'
import { measureProxy } from './proxy.ts'
import { close, makeImages, openPlatform } from './scene.ts'
import { measureStarts } from './starts.ts'

const asked = (part: string) => process.argv.length === 2 || process.argv.includes(part)

let platform: Platform | null = null
try {
  await makeImages()
  platform = await openPlatform('Default')
  if (asked('starts')) await measureStarts(platform)
  await platform.stop()
  platform = await openPlatform('PlatformProxy')
  if (asked('proxy') && !(await measureProxy(platform))) process.exitCode = 1
  if (asked('neighbours') && !(await measureNeighbours(platform))) process.exitCode = 1
} finally {
  await platform?.stop()
  await close()
}
