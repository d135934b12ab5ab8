/** Keeps what worker processes have counted. Prometheus takes a counter that falls for one that began again at zero, so its next rise would count as new events. */
import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Metric } from './figures.ts'

/** The metrics of several processes in one registry. */
export function addUp(all: readonly (readonly Metric[])[]): Registry {
  // biome-ignore lint/suspicious/noExplicitAny: the types of prom-client name its own classes only
  return AggregatorRegistry.aggregate(all as any)
}

const counted = (metrics: readonly Metric[]) => metrics.filter(({ type }) => type !== 'gauge')

/**
 * Returns a function that receives the answers of the running processes, null for one without an answer, and returns the metrics to add up: the
 * answers, the last counters and histograms of processes that do not answer, and those of processes that have ended. Calls must not overlap.
 */
export function keepCounts(): (answers: ReadonlyMap<object, readonly Metric[] | null>) => Promise<(readonly Metric[])[]> {
  const last = new Map<object, readonly Metric[]>()
  let ofEnded: readonly Metric[] = []
  return async (answers) => {
    for (const [worker, metrics] of last) {
      if (answers.has(worker)) continue
      last.delete(worker)
      ofEnded = (await addUp([ofEnded, metrics]).getMetricsAsJSON()) as unknown as readonly Metric[]
    }
    const running = [...answers].map(([worker, metrics]) => {
      if (metrics) last.set(worker, counted(metrics))
      return metrics ?? last.get(worker) ?? []
    })
    return [ofEnded, ...running]
  }
}
