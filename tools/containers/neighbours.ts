/** The effect of a bad instance on its neighbours. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Platform } from '../../e2e/platform.ts'
import { median, quantile } from './figures.ts'
import { overProxy, pingPong } from './line.ts'
import { aGameWithContainers, images, openEngine, restMs } from './scene.ts'

const slowerMost = 1.2

/** Prints the medians of a neighbour and of calls with each bad instance; returns false if one rises too much. */
export async function measureNeighbours(of: Platform): Promise<boolean> {
  let isQuiet = true
  const prepared = await aGameWithContainers(of, images.shell)
  const player = await prepared.aPlayer()
  const entry = await player.start()
  const measure = async () => {
    const line = await overProxy(of, entry)
    const echo = await pingPong(line)
    line.close()
    const each: number[] = []
    for (let i = 0; i < 500; i++) {
      const startedAt = performance.now()
      const answer = await fetch(`${of.url}/api/game/${prepared.game}/details`, { headers: player.headers })
      await answer.arrayBuffer()
      each.push(performance.now() - startedAt)
    }
    return { echo, call: quantile(each, 0.5) }
  }
  const engine = await openEngine()
  for (const act of ['burn', 'fork', 'fill'] as const) {
    const villain = await aGameWithContainers(of, images[act])
    const [quiet, busy] = [[], []] as [Awaited<ReturnType<typeof measure>>[], Awaited<ReturnType<typeof measure>>[]]
    // Alternates, so that changes on the machine affect both.
    for (let round = 0; round < 9; round++) {
      await sleep(restMs)
      quiet.push(await measure())
      const id = await (await villain.aPlayer()).start()
      await sleep(restMs)
      busy.push(await measure())
      await engine.destroy(id)
    }
    const ratio = (what: 'echo' | 'call') => median(busy.map((one) => one[what])) / median(quiet.map((one) => one[what]))
    console.log(
      `beside "${act}": neighbour ${ratio('echo').toFixed(2)}, call ${ratio('call').toFixed(2)} of the median without it`,
    )
    if (Math.max(ratio('echo'), ratio('call')) > slowerMost) isQuiet = false
  }
  await engine.close()
  return isQuiet
}
