/**
 * npm run tool -- containers [starts] [proxy] [neighbours], as root on Debian: instances on a temporary Docker engine, or on that of
 * VEXIL_TEST_DOCKER. Prints the time from click to first byte for 1, 20 and 100 simultaneous starts, alternating with bare Docker, the proxy with and
 * without capture compared with bare TCP connections to the same containers, memory while 200 MB are sent each way with a slow reader, and the effect on
 * neighbours while one instance burns CPU, forks endlessly or fills its disk. Exit code 1 if memory grows by more than 50 MB or the median of a neighbour
 * rises by more than a fifth.
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
