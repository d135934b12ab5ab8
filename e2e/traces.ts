/** The cost of a page, read from Chromium's traces: tasks of the main thread and painted frames. */
import type { CDPSession, Page } from '@playwright/test'

interface TraceEvent {
  readonly name: string
  readonly ph: string
  /** Microseconds. */
  readonly ts: number
  readonly dur?: number
  /** Processor time, if the trace has it: it excludes the time of other programs. */
  readonly tdur?: number
  readonly pid: number
  readonly tid: number
  readonly args?: { readonly name?: string }
}

export interface Cost {
  /** Duration of the measurement, ms. */
  readonly watched: number
  /** Tasks of the page's main thread that took longer than a millisecond, in ms, the longest first. */
  readonly tasks: readonly number[]
  /** Total time of all tasks of the main thread, ms. */
  readonly busy: number
  /** Frames with something painted in them. */
  readonly paints: number
}

const categories = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata']

/** Watches the page while `act` runs. */
export async function watch(page: Page, act: () => Promise<unknown>): Promise<Cost> {
  const session = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as unknown as TraceEvent[])))
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { recordMode: 'recordAsMuchAsPossible', includedCategories: categories },
  })
  const startedAt = performance.now()
  await act()
  const watched = performance.now() - startedAt
  await end(session)
  return { watched, ...costOf(events) }
}

async function end(session: CDPSession): Promise<void> {
  const done = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve))
  await session.send('Tracing.end')
  await done
  await session.detach()
}

/** Takes the busiest renderer main thread as that of the page. */
function costOf(events: readonly TraceEvent[]): Omit<Cost, 'watched'> {
  const threads = new Map<string, TraceEvent[]>()
  const named = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  for (const event of events) {
    const key = `${event.pid} ${event.tid}`
    if (!named.has(key)) continue
    const of = threads.get(key) ?? []
    threads.set(key, of)
    of.push(event)
  }
  const tasksOf = (list: readonly TraceEvent[]) => list.filter(({ name, ph }) => ph === 'X' && name === 'RunTask')
  const msOf = ({ tdur, dur = 0 }: TraceEvent) => (tdur ?? dur) / 1000
  const busyOf = (list: readonly TraceEvent[]) => tasksOf(list).reduce((sum, task) => sum + msOf(task), 0)
  const main = [...threads.values()].sort((a, b) => busyOf(b) - busyOf(a))[0] ?? []
  const tasks = tasksOf(main)
    .map(msOf)
    .filter((ms) => ms > 1)
    .sort((a, b) => b - a)
  return { tasks, busy: busyOf(main), paints: main.filter(({ name }) => name === 'Paint').length }
}
