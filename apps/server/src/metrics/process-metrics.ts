/** Metrics of this process. Read at a scrape; between two scrapes only plain variables change. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Endpoint } from '@vexil/contract/endpoint'
import { callsOf, nameOf, rooms } from '@vexil/contract/interface'
import { counts, type Distribution, distribution, requestBounds } from './counts.ts'
import { byLabel, counter, gauge, histogram, type Metric, peak, single } from './figures.ts'

/** Figures that others hold. */
export interface ProcessSources {
  /** Listeners by path of the hub. */
  readonly listeners: () => ReadonlyMap<string, number>
  readonly proxyConnections: () => number
  readonly hashesWaiting: () => number
  readonly pool: { readonly totalCount: number; readonly idleCount: number; readonly waitingCount: number }
  /** Milliseconds since all kept boards were last found current; null: no boards are kept. */
  readonly boardAge: () => number | null
}

export interface ProcessMetrics {
  read(): Metric[]
  close(): void
}

const roomOf = new Map<Endpoint, string>(Object.keys(rooms).flatMap((room) => callsOf(room).map((call) => [call, room] as const)))

const requestsByCall = () =>
  [...counts.requests].flatMap(([endpoint, { classes }]) =>
    classes.flatMap((count, digit) =>
      count === 0 ? [] : [[{ route: endpoint ? nameOf(endpoint) : 'other', status: `${digit}xx` }, count] as const],
    ),
  )

function secondsByRoom(): [{ room: string }, Distribution][] {
  const byRoom = new Map<string, Distribution>()
  for (const [endpoint, { seconds }] of counts.requests) {
    const room = (endpoint && roomOf.get(endpoint)) ?? 'other'
    const all = byRoom.get(room) ?? distribution(requestBounds)
    byRoom.set(room, all)
    for (const [at, count] of seconds.buckets.entries()) all.buckets[at] = (all.buckets[at] as number) + count
    all.sum += seconds.sum
  }
  return [...byRoom].map(([room, all]) => [{ room }, all])
}

const ofRequests = () => [
  counter('requests_total', 'Answered requests by call and class of the status', requestsByCall()),
  histogram('request_duration_seconds', 'Time in gate and handler by group of calls', secondsByRoom()),
  counter('refusals_total', 'Refused requests by code', byLabel('code', counts.refusals)),
]

const ofSubmissions = () => [
  counter('submissions_total', 'Judged and stored flags by verdict', byLabel('verdict', counts.submissions)),
  histogram('submission_batch_size', 'Flags that are stored together', [[{}, counts.batchSizes]]),
  histogram('submission_write_seconds', 'Storing a batch, the wait for the lock of its game included', [
    [{}, counts.batchWrites],
  ]),
]

const seconds = (milliseconds: number | null) => (milliseconds === null ? null : milliseconds / 1000)

const ofBoards = ({ boardAge }: ProcessSources) => [
  peak('board_age_seconds', 'Time since the kept boards were last found current', single(seconds(boardAge()))),
  histogram('board_draw_seconds', 'Reading and drawing a whole board', [[{}, counts.boardDraws]]),
]

const ofInstances = ({ proxyConnections }: ProcessSources) => [
  histogram('instance_start_seconds', 'Starts of instances that succeeded', [[{}, counts.instanceStarts]]),
  counter('engine_errors_total', 'Failed requests to the container engine by problem', byLabel('problem', counts.engineErrors)),
  gauge('proxy_connections', 'Connections through the platform proxy', single(proxyConnections())),
]

const ofConnections = ({ listeners, hashesWaiting, pool: { totalCount, idleCount, waitingCount } }: ProcessSources) => [
  gauge('hub_listeners', 'Open connections by hub', byLabel('hub', listeners())),
  counter('hub_slow_readers_total', 'Listeners that were disconnected because they did not read', single(counts.slowReaders)),
  gauge('hashing_waiting', 'Requests that wait for password hashing', single(hashesWaiting())),
  gauge('database_connections', 'Connections of the pool for requests', [
    [{ state: 'busy' }, totalCount - idleCount],
    [{ state: 'idle' }, idleCount],
  ]),
  gauge('database_waiting', 'Requests that wait for a connection of the pool', single(waitingCount)),
  gauge('processes', 'Processes of this node that answered the scrape', single(1)),
]

/** The longest delay and the 99th percentile since the last scrape. */
function ofLoop(delay: ReturnType<typeof monitorEventLoopDelay>): Metric {
  const values = [
    [{ statistic: 'p99' }, delay.percentile(99) / 1e9],
    [{ statistic: 'max' }, delay.max / 1e9],
  ] as const
  delay.reset()
  return peak('event_loop_delay_seconds', 'Delay of the event loop since the last scrape', values)
}

export function openProcessMetrics(sources: ProcessSources): ProcessMetrics {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  return {
    read: () => [
      ...ofRequests(),
      ...ofSubmissions(),
      ...ofBoards(sources),
      ...ofInstances(sources),
      ...ofConnections(sources),
      ofLoop(delay),
    ],
    close: () => void delay.disable(),
  }
}
