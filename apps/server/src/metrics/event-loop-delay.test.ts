import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openProcessMetrics } from './process-metrics.ts'

const sources = {
  listeners: () => new Map<string, number>(),
  proxyConnections: () => 0,
  hashesWaiting: () => 0,
  pool: { totalCount: 0, idleCount: 0, waitingCount: 0 },
  boardAge: () => null,
}

test('the delay of the event loop is measured since the last scrape, until the metrics are closed', async () => {
  const metrics = openProcessMetrics(sources)
  const longest = () => {
    const delay = metrics.read().find(({ name }) => name.endsWith('event_loop_delay_seconds'))
    return delay?.values.find(({ labels }) => labels.statistic === 'max')?.value
  }
  await sleep(100)
  expect(longest()).toBeGreaterThan(0)
  metrics.close()
  longest()
  await sleep(100)
  expect(longest()).toBe(0)
})
