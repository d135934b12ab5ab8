/** A node without its database, and a stopped one: their answers during the fault, and the time until they are back. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isReady, type Node } from '../chaos/nodes.ts'
import { headOf, type Site } from './site.ts'

/** Milliseconds. */
const olderAtMost = 1000
const backWithin = 2000

type Check = (what: string, found: readonly string[]) => void

interface Fault {
  readonly what: string
  /** Index of the node. */
  readonly at: number
  begin(): unknown
  end(): unknown
  readonly mustRefuse: boolean
}

/** Polls one node without the proxy. An answer must have the solves that were stored a second before it was received. */
function watchAge(site: Site, { url }: Node) {
  let over = false
  const heads: { readonly at: number; readonly head: number }[] = []
  const [old, statuses]: [string[], Map<number, number>] = [[], new Map()]
  const path = `${url}/api/game/${site.seeded.game}/scoreboard/feed?after=1000000`
  const sampling = (async () => {
    for (; !over; await sleep(50)) heads.push({ at: performance.now(), head: await headOf(site) })
  })()
  const ask = async () => {
    const answer = await fetch(path, { signal: AbortSignal.timeout(120_000) }).catch(() => null)
    // A request that waited in the socket of a stopped node is answered only now.
    const answeredAt = performance.now()
    const status = answer?.status ?? 0
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (!answer?.ok) return
    const { to } = (await answer.json()) as { to: number }
    const before = heads.findLast(({ at }) => at < answeredAt - olderAtMost)
    if (before && to < before.head) old.push(`an answer with ${to} solves, a second before there were ${before.head}`)
  }
  const asking = (async () => {
    const asked: Promise<void>[] = []
    for (; !over; await sleep(100)) asked.push(ask())
    await Promise.all(asked)
  })()
  return async () => {
    over = true
    await Promise.all([sampling, asking])
    console.log(`  answers of the node by status: ${JSON.stringify(Object.fromEntries(statuses))}`)
    return { old, refused: statuses.get(503) ?? 0 }
  }
}

async function breakOne(site: Site, { what, at, begin, end, mustRefuse }: Fault, seconds: number, check: Check): Promise<void> {
  const node = site.nodes[at] as Node
  const stop = watchAge(site, node)
  await sleep(2000)
  await begin()
  await sleep(seconds * 1000)
  await end()
  const ended = performance.now()
  while (!(await isReady(node.url)) && performance.now() - ended < 30_000) await sleep(50)
  const back = Math.round(performance.now() - ended)
  await sleep(2000)
  const { old, refused } = await stop()
  check(`${what} for ${seconds} s, ready again after ${back} ms`, [
    ...old,
    ...(back > backWithin ? [`ready after ${back} ms`] : []),
    ...(mustRefuse && refused === 0 ? ['no request was refused'] : []),
  ])
}

/** `seconds`: duration of each fault; `check` gets the problems. */
export async function breakNodes(site: Site, seconds: number, check: Check): Promise<void> {
  for (const manner of ['refused', 'reset', 'silent'] as const) {
    const line = site.lines[1]
    const [begin, end] = [() => line?.set(manner), () => line?.set('open')]
    await breakOne(site, { what: `The line to the database is ${manner}`, at: 1, begin, end, mustRefuse: true }, seconds, check)
  }
  const signal = (name: NodeJS.Signals) => () => process.kill(site.nodes[2]?.first() ?? 0, name)
  const [begin, end] = [signal('SIGSTOP'), signal('SIGCONT')]
  await breakOne(site, { what: 'SIGSTOP', at: 2, begin, end, mustRefuse: false }, seconds, check)
}
