/** Counts the results of a run and prints a summary at its end. */
import { availableParallelism, loadavg } from 'node:os'

/** Whether a run took too long on a machine without much other load: the run alone is a load of about 2 for each processor. */
export const isTooSlow = ({ minutes, most, load, processors }) => minutes > most && load < 2.5 * processors

/** @returns an empty tally; the stages fill it */
export function openTally() {
  const startedAt = performance.now()
  const total = { passed: 0, failed: 0, notRun: 0 }
  /** Failures and skipped tests, with the reason: printed again at the end, so that a truncated log still shows them. */
  const failures = []
  const skips = []
  const seconds = []
  const loads = [loadavg()[0]]
  const looking = setInterval(() => loads.push(loadavg()[0]), 5_000).unref()

  const tally = {
    total,
    failures,
    count(name, good) {
      if (good) total.passed++
      else total.failed++
      if (!good) failures.push(name)
    },
    skip(name, reason, number = 1) {
      total.notRun += number
      skips.push(`NOT RUN: ${name}: ${reason}`)
      console.log(skips.at(-1))
    },
    /** Runs a stage and records its duration. */
    async stage(name, work) {
      console.log(`\n== ${name}`)
      const from = performance.now()
      const result = await work()
      seconds.push([name, (performance.now() - from) / 1000])
      return result
    },
    /** Counts a failure if the run took longer than `most` minutes on a machine without much other load. */
    mustTakeAtMost(most) {
      const minutes = (performance.now() - startedAt) / 60_000
      const load = loads.reduce((sum, one) => sum + one, 0) / loads.length
      if (isTooSlow({ minutes, most, load, processors: availableParallelism() }))
        tally.count(`It took ${minutes.toFixed(1)} minutes, more than ${most}, at a load of ${load.toFixed(1)}`, false)
    },
    /** Prints the seconds of each stage, the failures, and finally `N passed, N failed`. @returns the exit code */
    end() {
      clearInterval(looking)
      console.log('\nSeconds')
      for (const [name, elapsed] of seconds) console.log(`${elapsed.toFixed(0).padStart(6)}  ${name}`)
      console.log(
        `${((performance.now() - startedAt) / 1000).toFixed(0).padStart(6)}  all, load ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`,
      )
      for (const skip of skips) console.log(`\n${skip}`)
      for (const failure of failures) console.log(`\nFAILED: ${failure}`)
      const { passed, failed, notRun } = total
      console.log(`${passed} passed, ${failed} failed${notRun ? `, ${notRun} not run` : ''}`)
      return failed ? 1 : notRun ? 3 : 0
    },
  }
  return tally
}
