/** Measures boards that are watched while solves arrive. */
import { setTimeout as sleep } from 'node:timers/promises'
import { listen, monitor } from './listen.ts'
import { request } from './load.ts'
import { probe } from './probe.ts'
import type { Seeded } from './seed.ts'
import { openOnce, percentile, printFigure, store, type Target } from './target.ts'
import { cpuOf, familyOf } from './used.ts'

/** A hundred viewers open the board within five seconds, feed and tail, while 100 solves a second are sent. */
export async function viewers(target: Target): Promise<void> {
  const path = `/api/game/${target.seeded.game}/scoreboard/feed`
  const solving = store(target, { connections: 64, seconds: 6, rate: 100, next: target.right })
  const probing = probe({ port: target.port, seconds: 6 })
  await sleep(500)
  const times = await Promise.all(
    Array.from({ length: 100 }, async (_, viewer) => {
      await sleep(viewer * 50)
      const startedAt = performance.now()
      // The ETag contains the end of the feed; reading five megabytes of JSON would measure the reader.
      const base = await openOnce(target.port, path)
      const cut = /etag: "\d+\.(\d+)/i.exec(base)?.[1]
      await openOnce(target.port, `${path}?after=${cut}`)
      return performance.now() - startedAt
    }),
  )
  times.sort((a, b) => a - b)
  const { perSecond, p99, worst } = await solving
  printFigure(`${target.seeded.actors.length} teams, 100 viewers: p50 ms`, percentile(times, 0.5))
  printFigure(`${target.seeded.actors.length} teams, 100 viewers: p99 ms`, percentile(times, 0.99))
  const shown = [percentile(times, 0.5), percentile(times, 0.99), p99, worst, (await probing).worst].map((ms) => ms.toFixed(0))
  console.log(
    `\n100 viewers open the board (feed and tail) while ${perSecond.toFixed(0)} solves/s come: p50 ${shown[0]} ms, p99 ${shown[1]} ms; the submissions meanwhile: p99 ${shown[2]} ms, worst ${shown[3]} ms; a cheap call: worst ${shown[4]} ms.`,
  )
}

/** Measures from when a solve was due to be sent until each listener received it. Solves are numbered nearly in the order in which they are sent. */
export async function listeners(
  target: Target,
  { count, rate, seconds }: { count: number; rate: number; seconds: number },
): Promise<void> {
  const { seeded, port, platform } = target
  const url = `${platform.url}/api/game/${seeded.game}/scoreboard/feed`
  const base = (await (await fetch(url)).json()) as { head: number }
  const { to: before } = (await (await fetch(`${url}?after=${base.head}`)).json()) as { to: number }
  const heard: { to: number; at: number }[] = []
  const open = await listen({ port, game: seeded.game, listeners: count }, (message) => heard.push(message))
  await sleep(1000)
  const used = () => cpuOf(familyOf(platform.process.pid as number))
  const [begun, cpu] = [performance.now(), used()]
  const { p99, statuses } = await store(target, { connections: 32, seconds, rate, next: target.right })
  const platformCores = (used() - cpu) / ((performance.now() - begun) / 1000)
  await sleep(2000)
  open.close()
  const sent = [...statuses.values()].reduce((sum, number) => sum + number, 0)
  const delays = heard
    .filter(({ to }) => to > before && to <= before + sent)
    .map(({ to, at }) => at - (begun + ((to - before - 1) * 1000) / rate))
    .sort((a, b) => a - b)
  printFigure(`${seeded.actors.length} teams, ${count} listeners: p99 ms`, percentile(delays, 0.99))
  printFigure(`${seeded.actors.length} teams, ${count} listeners: cores`, platformCores)
  console.log(
    `\n${count} listeners, ${rate} solves/s for ${seconds} s: a message reaches them after p50 ${percentile(delays, 0.5).toFixed(0)} ms, p99 ${percentile(delays, 0.99).toFixed(0)} ms (${delays.length} messages heard); submissions p99 ${p99.toFixed(0)} ms; the platform used ${platformCores.toFixed(2)} cores.`,
  )
}

/** Measures from when an answer was due to be sent until the page of a monitor received it. */
export async function monitorPage(target: Target, { rate, seconds }: { rate: number; seconds: number }): Promise<void> {
  const { seeded, port } = target
  const delays: number[] = []
  let [sent, begun] = [0, 0]
  const page = await monitor({ port, game: seeded.game, cookie: seeded.monitor.cookie }, (answer) => {
    const number = /^flag\{watched_(\d+)\}$/.exec(answer)?.[1]
    if (number !== undefined) delays.push(performance.now() - (begun + (Number(number) * 1000) / rate))
  })
  const next = () => {
    const { headers } = seeded.actors[sent % seeded.actors.length] as Seeded['actors'][number]
    const challenge = seeded.challenges[sent % seeded.challenges.length]?.id
    const path = `/api/game/${seeded.game}/challenges/${challenge}`
    return request('POST', path, headers, JSON.stringify({ flag: `flag{watched_${sent++}}` }))
  }
  await sleep(500)
  begun = performance.now()
  const { p99, statuses } = await store(target, { connections: 64, seconds, rate, next })
  await sleep(2000)
  page.close()
  delays.sort((a, b) => a - b)
  printFigure(`${seeded.actors.length} teams, monitor at ${rate}/s: p99 ms`, percentile(delays, 0.99))
  console.log(
    `\nA monitor's page, ${rate} answers/s for ${seconds} s: it hears of one after p50 ${percentile(delays, 0.5).toFixed(0)} ms, p99 ${percentile(delays, 0.99).toFixed(0)} ms, worst ${delays.at(-1)?.toFixed(0)} ms (${delays.length} of ${statuses.get(200)} answered ones heard); submissions p99 ${p99.toFixed(0)} ms.`,
  )
}
