import { expect, test } from 'vitest'
import { reportKeptMs, shareRuns } from './health-report.ts'

function counted() {
  let now = 0
  const runs: PromiseWithResolvers<number>[] = []
  const ask = shareRuns(
    () => {
      const run = Promise.withResolvers<number>()
      runs.push(run)
      return run.promise
    },
    () => now,
  )
  const at = (ms: number) => {
    now = ms
  }
  return { ask, runs, at }
}

test('however many ask, a second has one run, and a run that takes longer is shared until it ends', async () => {
  const { ask, runs, at } = counted()
  const first = Array.from({ length: 100 }, ask)
  at(5_000)
  const second = ask()
  expect(runs).toHaveLength(1)
  runs[0]?.resolve(1)
  expect(await Promise.all([...first, second])).toEqual(Array(101).fill(1))
  const third = ask()
  expect(runs).toHaveLength(2)
  runs[1]?.resolve(2)
  await third
  at(5_000 + reportKeptMs - 1)
  expect(await ask()).toBe(2)
  at(5_000 + reportKeptMs)
  void ask()
  expect(runs).toHaveLength(3)
})

test('a failed run is not kept', async () => {
  const { ask, runs } = counted()
  const failed = ask()
  runs[0]?.reject(new Error('no database'))
  await expect(failed).rejects.toThrow('no database')
  const next = ask()
  runs[1]?.resolve(7)
  expect(await next).toBe(7)
})
