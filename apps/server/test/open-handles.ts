/**
 * Checks before and after each integration file that the timers, sockets, servers, processes and listeners that it opened are closed again, and
 * turns off the periodic work of platforms in the process of the tests.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { getCallSites } from 'node:util'
import { afterAll, beforeAll, expect } from 'vitest'

type Timer = ReturnType<typeof setTimeout>

/** Timers of the platform's sources, with the line; those of libraries are ignored. */
const timers = new Map<Timer, { readonly line: string; readonly repeats: boolean }>()
const ours = /\/apps\/server\/src\/(?!.*\.test\.ts)/

const marked = globalThis as { vexilWatchesTimers?: typeof timers }
if (!marked.vexilWatchesTimers) {
  marked.vexilWatchesTimers = timers
  watchTimers()
}
const open = marked.vexilWatchesTimers

/**
 * Work that `every` repeats at intervals from 5 s up does nothing: on a busy machine a test takes longer than such an interval, and a sweep in the
 * middle of it would have unexpected effects. Tests call the sweeps that they need, or use fake timers.
 */
const isPeriodicWork = (line: string, ms: number) => line.startsWith('apps/server/src/every.ts') && ms >= 5_000

/** Replaces the global functions once per process; `promisify` and all their other properties are kept. */
function watchTimers(): void {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis
  // Not `stack`: the test runner maps each of its lines to the source, which takes longer than the tested code.
  const lineOf = () => {
    const site = getCallSites(8).find(({ scriptName }) => ours.test(scriptName))
    return site && `${site.scriptName.replace(/^.*\/apps/, 'apps')}:${site.lineNumber}`
  }
  type Act = (...given: unknown[]) => void
  const watched = (start: typeof setTimeout | typeof setInterval, repeats: boolean) =>
    Object.assign((act: Act, ms = 0, ...given: unknown[]) => {
      const line = lineOf()
      if (line === undefined) return start(act, ms, ...given)
      const timer = start(() => {
        if (!repeats) timers.delete(timer)
        if (!isPeriodicWork(line, ms)) act(...given)
      }, ms)
      timers.set(timer, { line, repeats })
      return timer
    }, start)
  const cleared = (clear: typeof clearTimeout) => (timer?: Timer) => {
    if (timer) timers.delete(timer)
    clear(timer)
  }
  Object.assign(globalThis, {
    setTimeout: watched(setTimeout, false),
    setInterval: watched(setInterval, true),
    clearTimeout: cleared(clearTimeout),
    clearInterval: cleared(clearInterval),
  })
}

/** Resources other than timers that keep a process alive. */
const kinds = /^(TCP|Pipe|TLS|UDP|HTTP|Process|FSEvent|StatWatcher|Worker|MessagePort)/

/** The logger has one listener for all its streams. */
const ofLibraries = new Set<string | symbol>(['exit'])

function openNow(): Record<string, number> {
  const names = [
    ...process.getActiveResourcesInfo().filter((kind) => kinds.test(kind)),
    // A timer that fires once and does not keep the process alive may still be pending.
    ...[...open].flatMap(([timer, { line, repeats }]) => (repeats || timer.hasRef() ? [line] : [])),
    ...process
      .eventNames()
      .flatMap((name) => process.listeners(name as 'exit').flatMap(() => (ofLibraries.has(name) ? [] : [`on ${String(name)}`]))),
  ]
  return Object.fromEntries(Object.entries(Object.groupBy(names, (name) => name)).map(([name, all]) => [name, all?.length ?? 0]))
}

let before: Record<string, number> = {}
beforeAll(() => {
  before = openNow()
})

// Registered first, so it runs after the file's own hooks.
afterAll(async () => {
  const more = () =>
    Object.entries(openNow())
      .filter(([name, count]) => count > (before[name] ?? 0))
      .map(([name, count]) => `${count - (before[name] ?? 0)} x ${name}`)
  // Not `vi.waitFor`, whose timeout (vitest.setup.ts) is longer than most timers that fire once.
  for (let looks = 0; looks < 100 && more().length > 0; looks++) await sleep(20)
  expect(more(), 'still open after the file').toEqual([])
})
