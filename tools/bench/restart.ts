/**
 * npm run tool -- restart [--processes 3] [--rounds 3]: compares restarts of a node with several processes and of one with a single process in the same
 * run. SIGKILL of the first process: time until the first good answer of the platform that replaces it at once. SIGTERM: the share of requests of
 * 32 clients with persistent connections that break, that is, get no good answer on an established connection. Exit code 1 if the first good
 * answer takes more than 2 s longer with several processes than with one, or if more than 1 in 1,000 requests break.
 */
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startPlatform } from '../../e2e/platform.ts'

const { values } = parseArgs({
  options: { processes: { type: 'string', default: '3' }, rounds: { type: 'string', default: '3' } },
})
const several = Number(values.processes)
const rounds = Math.min(20, Number(values.rounds))
const clients = 32
const drainSeconds = 2
/** Seconds by which the first good answer after SIGKILL may be later with several processes. */
const laterAtMost = 2
const brokenAtMost = 1 / 1000
/** Milliseconds in which all processes start; worker processes start after the first. */
const allStartWithin = 4_000

interface Ended {
  answered: number
  /** Code of each failure and whether its connection had been used before. */
  broken: string[]
}

const settings = (processes: number) => ({ VEXIL_PROCESSES: String(processes), VEXIL_DRAIN_SECONDS: String(drainSeconds) })

function ask(port: number, agent: Agent): Promise<string | null> {
  return new Promise((resolve) => {
    const sent = request({ port, host: '127.0.0.1', path: '/api/config', agent }, (answer) => {
      const { statusCode } = answer
      answer
        .on('end', () => resolve(statusCode === 200 ? null : `answered ${statusCode}`))
        .on('error', (error: NodeJS.ErrnoException) => resolve(`${error.code} within the answer`))
      answer.resume()
    })
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(`${error.code}${sent.reusedSocket ? '' : ' on a new connection'}`))
    sent.end()
  })
}

/** Sends about ten requests a second over one persistent connection, until connections are refused. */
async function client(port: number, count: Ended): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (;;) {
    const failure = await ask(port, agent)
    if (failure?.startsWith('ECONNREFUSED')) break
    if (failure === null) count.answered++
    else count.broken.push(failure)
    await sleep(Math.random() * 200)
  }
  agent.destroy()
}

async function terminate(processes: number): Promise<Ended> {
  const platform = await startPlatform({ env: settings(processes) })
  await sleep(allStartWithin)
  const count: Ended = { answered: 0, broken: [] }
  const port = Number(new URL(platform.url).port)
  const all = Array.from({ length: clients }, () => client(port, count))
  await sleep(1000)
  await platform.stop()
  await Promise.all(all)
  return count
}

async function kill(processes: number): Promise<number> {
  const { dataDir, url, kill9 } = await startPlatform({ env: settings(processes) })
  await sleep(allStartWithin)
  const startedAt = performance.now()
  await kill9()
  const again = await startPlatform({ dataDir, env: { ...settings(processes), PORT: new URL(url).port } })
  const took = performance.now() - startedAt
  await again.stop()
  return took
}

const middle = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] as number

const times: Record<number, number[]> = { 1: [], [several]: [] }
const ended: Record<number, Ended> = { 1: { answered: 0, broken: [] }, [several]: { answered: 0, broken: [] } }
for (let round = 0; round < rounds; round++) {
  for (const processes of [1, several]) {
    const took = await kill(processes)
    times[processes]?.push(took)
    const { answered, broken } = await terminate(processes)
    console.log(
      `${processes}: ${(took / 1000).toFixed(1)} s after SIGKILL; ${broken.length} of ${answered + broken.length} broke at SIGTERM`,
    )
    const sum = ended[processes] as Ended
    sum.answered += answered
    sum.broken.push(...broken)
  }
}
const faults: string[] = []
const seconds = (processes: number) => middle(times[processes] as number[]) / 1000
console.log(
  `SIGKILL: first good answer after ${seconds(1).toFixed(1)} s with one process, ${seconds(several).toFixed(1)} s with ${several} (medians of ${rounds}): ${(seconds(several) - seconds(1)).toFixed(1)} s later.`,
)
if (seconds(several) - seconds(1) > laterAtMost) faults.push(`At most ${laterAtMost} s later are expected after SIGKILL.`)
for (const processes of [1, several]) {
  const { answered, broken } = ended[processes] as Ended
  if (answered === 0 || broken.length > (answered + broken.length) * brokenAtMost)
    faults.push(`At most 1 in 1,000 requests may break at SIGTERM, processes: ${processes}.`)
  const kinds = [...new Set(broken)].map((kind) => `${broken.filter((one) => one === kind).length} ${kind}`)
  console.log(
    `SIGTERM, processes: ${processes}: ${broken.length} of ${answered + broken.length} requests broke. ${kinds.join(', ')}`,
  )
}
for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0
