/**
 * npm run tool -- nodes [--proxy haproxy] [--rate 100] [--listeners 100] [--teams 200] [--seconds 5]: three nodes behind a proxy
 * (haproxy or nginx) on PostgreSQL 15 under load, a fifth of it submissions. Each node is replaced by the next release, and then by this one again: no
 * request may fail, open pages load the rest of their code, and each listener gets each solve. Then one node is cut off from the database (refused,
 * reset, silent) and one is stopped by SIGSTOP, for this many seconds: its answers are 503 or at most a second old, and it is ready within 2 s afterwards.
 * The boards of all nodes are equal at the end. Needs root on Debian. Exit code 1 if something is wrong, 3 if something could not be installed.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import { withPostgres15 } from '../../scripts/postgres-15.mjs'
import { root } from '../../scripts/toolchain.mjs'
import { mixedAnswers } from '../bench/answers.ts'
import { breakNodes } from './faults.ts'
import { haproxy } from './haproxy.ts'
import { openListeners } from './listeners.ts'
import { makeNextRelease } from './next-release.ts'
import { nginx } from './nginx.ts'
import type { ProxyKind } from './proxy.ts'
import { replaceEach } from './replace.ts'
import { headOf, openSite, type Site } from './site.ts'
import { type Acknowledged, lostOrDoubled, startTraffic, type Traffic } from './traffic.ts'
import { isInstalled, openBrowser } from './visitors.ts'

const { values } = parseArgs({
  options: {
    proxy: { type: 'string', default: 'haproxy' },
    rate: { type: 'string', default: '100' },
    listeners: { type: 'string', default: '100' },
    teams: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '5' },
  },
})
const [rate, listenerCount, teams, seconds] = [values.rate, values.listeners, values.teams, values.seconds].map(Number) as [
  number,
  number,
  number,
  number,
]
const kinds: Readonly<Record<string, ProxyKind>> = { haproxy, nginx }
const kind = kinds[values.proxy]
if (!kind) throw new Error(`--proxy is ${Object.keys(kinds).join(' or ')}.`)
const p99AtMost = 2000

const wrong: string[] = []
const check = (what: string, found: readonly string[]) => {
  console.log(`${what}: ${found.length === 0 ? 'right' : `${found.length} wrong`}`)
  wrong.push(...found.map((one) => `${what}: ${one}`))
}

const failed = ({ statuses, failures }: Traffic) => [
  ...[...statuses]
    .filter(([status]) => status === 0 || status >= 500)
    .map(([status, number]) => `${number} times status ${status}`),
  ...failures,
]

const run = promisify(execFile)

async function boardsDiffer({ nodes, seeded, settings }: Site): Promise<string[]> {
  const feed = `/api/game/${seeded.game}/scoreboard/feed`
  const differing: string[] = []
  for (const path of [feed, `${feed}?after=1000000`]) {
    const answers = await Promise.all(nodes.map(({ url }) => fetch(url + path)))
    const bodies = await Promise.all(answers.map((answer) => answer.text()))
    if (new Set(bodies).size > 1 || answers.some(({ ok }) => !ok)) {
      const shown = answers.map(({ status, headers }, at) => `${status} ${headers.get('etag')} ${bodies[at]?.slice(0, 150)}`)
      differing.push(`${path}: ${shown.join(' | ')}`)
    }
  }
  const verify = [join(import.meta.dirname, '../../apps/server/src/cli/main.ts'), 'verify', '--nodes']
  const verified = await run(process.execPath, verify, { env: { PATH: process.env.PATH, ...settings } }).then(
    () => [],
    ({ code, stdout, stderr }) => [`vexil verify --nodes: ${code}\n${stdout}${stderr}`.slice(0, 1500)],
  )
  return [...differing, ...verified]
}

/** `next`: the folder of the next release. */
async function examine(url: string, kind: ProxyKind, next: string): Promise<void> {
  const site = await openSite(url, { teams, kind })
  const browser = await openBrowser()
  const taken: Acknowledged[] = []
  const answers = mixedAnswers(site.seeded)
  const listeners = openListeners(site.proxy.url, site.seeded, listenerCount)
  const running: Traffic[] = []
  const startLoad = () => {
    const traffic = startTraffic(site, rate, answers, taken)
    running.push(traffic)
    return traffic
  }
  const missing = async () => {
    const head = await headOf(site)
    return listeners.heads().flatMap((one) => (one === head ? [] : [`a listener knows ${one} of ${head} solves`]))
  }
  try {
    await sleep(2000)
    const rolling = startLoad()
    await sleep(2000)
    await replaceEach(site, browser, { release: next, isNext: true }, check)
    await replaceEach(site, browser, { release: root, isNext: false }, check)
    await rolling.stop()
    await sleep(1000)
    const { statuses } = rolling
    console.log(`Answers by status ${JSON.stringify(Object.fromEntries(statuses))}, p99 ${rolling.p99().toFixed(0)} ms.`)
    const repeated = rolling.repeated()
    check('No request failed while nodes were replaced', failed(rolling))
    const what = `${repeated} requests on connections that the proxy closed were sent again`
    check(what, repeated > 0 && !kind.closesKept ? [what] : [])
    check('p99', rolling.p99() > p99AtMost ? [`${rolling.p99().toFixed(0)} ms`] : [])
    check(`Listeners have every solve, after ${listeners.cuts()} connections were closed`, await missing())
    check('Boards of all nodes', await boardsDiffer(site))

    const breaking = startLoad()
    await breakNodes(site, seconds, check)
    await breaking.stop()
    console.log(`Answers by status through the proxy ${JSON.stringify(Object.fromEntries(breaking.statuses))}.`)
    await sleep(1000)
    check('Listeners have every solve after the faults', await missing())
    check('Boards of all nodes after the faults', await boardsDiffer(site))
    check(`${taken.length} acknowledged submissions are stored once`, await lostOrDoubled(site, taken))
  } finally {
    for (const traffic of running) await traffic.stop()
    listeners.close()
    await browser.close()
    await site.close()
  }
}

let reason = kind.isInstalled() ? null : `${values.proxy} could not be installed by apt`
if (!isInstalled()) reason = 'there is no Chromium'
const folder = mkdtempSync(join(tmpdir(), 'vexil-next-'))
const work = (url: string) => examine(url, kind, makeNextRelease(join(folder, 'next')))
const skip = (_name: string, why: string) => {
  reason = why
}
try {
  if (!reason) await withPostgres15(work, skip)
} finally {
  rmSync(folder, { recursive: true })
}
for (const one of wrong) console.error(one)
if (reason) console.error(`NOT RUN: ${reason}`)
process.exitCode = reason ? 3 : wrong.length > 0 ? 1 : 0
