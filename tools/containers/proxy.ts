/** Compares the platform proxy with bare connections to the same containers. */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Platform } from '../../e2e/platform.ts'
import { quantile, us } from './figures.ts'
import { bytes, download, overProxy, overTcp, pingPong, slowDownload, upload } from './line.ts'
import { aGameWithContainers, database, images } from './scene.ts'

const memoryMostMb = 50

/** The address at which the platform reaches the instance. */
async function placeOf(entry: string): Promise<{ host: string; port: number }> {
  const row = await database.db
    .selectFrom('containers')
    .select(['host', 'port'])
    .where('id', '=', entry)
    .executeTakeFirstOrThrow()
  return { host: row.host as string, port: row.port as number }
}

/** Prints throughput with and without capture, and memory with a slow reader; returns false if memory grew too much. */
export async function measureProxy(of: Platform): Promise<boolean> {
  const player = await (await aGameWithContainers(of, images.shell)).aPlayer()
  const entry = await player.start()
  const place = await placeOf(entry)
  const recorded = await (await (await aGameWithContainers(of, images.shell, { captureTraffic: true })).aPlayer()).start()
  const ways = { bare: () => overTcp(place), proxy: () => overProxy(of, entry), captured: () => overProxy(of, recorded) }
  const took: Record<string, number[]> = {}
  // The other processor is left to the platform.
  execFileSync('taskset', ['-a', '-p', '-c', '0', String(process.pid)], { stdio: 'ignore' })
  for (let round = 0; round < 5; round++) {
    for (const [way, dial] of Object.entries(ways)) {
      for (const [what, work] of Object.entries({ down: download, up: upload, echo: pingPong })) {
        const line = await dial()
        took[`${way} ${what}`] = [...(took[`${way} ${what}`] ?? []), await work(line)]
        line.close()
      }
    }
  }
  for (const what of ['down', 'up'] as const) {
    const medians = ['bare', 'proxy', 'captured'].map((way) => quantile(took[`${way} ${what}`] as number[], 0.5))
    const [bare, proxy, captured] = medians as [number, number, number]
    const rate = (time: number) => `${((bytes / time / 1048576) * 1000).toFixed(0)} MB/s`
    console.log(`200 MB ${what}: bare ${rate(bare)}, proxy ${rate(proxy)}, ratio ${(bare / proxy).toFixed(2)}`)
    console.log(`200 MB ${what} with capture: ${rate(captured)}, ratio to the proxy without ${(proxy / captured).toFixed(2)}`)
  }
  const [bare, proxy] = ['bare', 'proxy'].map((way) => quantile(took[`${way} echo`] as number[], 0.5)) as [number, number]
  console.log(
    `16 bytes there and back: bare ${us(bare)}, proxy ${us(proxy)}, added ${us(proxy - bare)}, ratio ${(proxy / bare).toFixed(2)}`,
  )
  const inFull = missingBytes(of)
  const slow = await ways.captured()
  const time = await slowDownload(slow)
  slow.close()
  const pace = ((bytes / time / 1048576) * 1000).toFixed(0)
  console.log(
    `missing in captures: at full speed ${inFull} bytes of ten transfers, at ${pace} MB/s ${missingBytes(of) - inFull} bytes`,
  )
  const before = residentMb(of)
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, residentMb(of))
  }, 50)
  for (const work of [slowDownload, upload]) {
    const line = await ways.proxy()
    await work(line)
    line.close()
  }
  clearInterval(watch)
  console.log(`200 MB each way past a slow reader: resident ${before} MB before, ${most} MB at most`)
  return most - before <= memoryMostMb
}

/** Bytes that could not be written to disk in time, from the marks in all captures. */
function missingBytes({ dataDir }: Platform): number {
  const files = globSync(join(dataDir, 'capture/*/*/*.pcap')).map((path) => readFileSync(path, 'latin1'))
  const marks = files.flatMap((text) => text.match(/\{"Missing":.*?\}\}/g) ?? [])
  return marks.map((mark) => JSON.parse(mark).Missing).reduce((sum, missing) => sum + missing.in + missing.out, 0)
}

function residentMb(of: Platform): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${of.process.pid}/status`, 'utf8'))?.[1]) / 1024)
}
