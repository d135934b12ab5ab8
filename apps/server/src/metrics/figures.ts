/** Metrics as the registry of prom-client exchanges them between processes. */
import type { Distribution } from './counts.ts'

type Labels = Readonly<Record<string, string | number>>
interface Value {
  readonly value: number
  readonly labels: Labels
  readonly metricName?: string
}

/** `aggregator`: how the values of several processes are joined. JSON values. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly aggregator: 'sum' | 'max'
  readonly values: readonly Value[]
}

type Pairs = Iterable<readonly [labels: Labels, value: number]>

const named =
  (type: Metric['type'], aggregator: Metric['aggregator']) =>
  (name: string, help: string, pairs: Pairs): Metric => ({
    ...{ name: `vexil_${name}`, help, type, aggregator },
    values: [...pairs].map(([labels, value]) => ({ labels, value })),
  })

export const counter = named('counter', 'sum')
/** Added up over the processes. */
export const gauge = named('gauge', 'sum')
/** The largest of the processes. */
export const peak = named('gauge', 'max')

export const single = (value: number | null): Pairs => (value === null ? [] : [[{}, value]])
export const byLabel = (label: string, of: ReadonlyMap<string, number>): Pairs =>
  [...of].map(([key, value]) => [{ [label]: key }, value] as const)

/** `le` and the like as Prometheus expects them: cumulative, with sum and count. */
export function histogram(name: string, help: string, pairs: Iterable<readonly [labels: Labels, of: Distribution]>): Metric {
  const full = `vexil_${name}`
  const values = [...pairs].flatMap(([labels, { bounds, buckets, sum }]) => {
    let count = 0
    const cumulative = buckets.map((number, at) => {
      count += number
      return { metricName: `${full}_bucket`, labels: { le: bounds[at] ?? '+Inf', ...labels }, value: count }
    })
    return [
      ...cumulative,
      { metricName: `${full}_sum`, labels, value: sum },
      { metricName: `${full}_count`, labels, value: count },
    ]
  })
  return { name: full, help, type: 'histogram', aggregator: 'sum', values }
}
