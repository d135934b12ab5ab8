/** The order of test files: those that mostly wait are spread over the run, so that the processors are busy during their waits. */
import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Marks a file whose tests wait for containers or other processes; the rest of the line says for what. */
const waits = /^\/\/ Waits: /m

/**
 * Keeps the order within both lists; puts the `slow` items at equal distances, the first one first. No slow item is in the last quarter: at the end
 * of the run the other workers would have nothing to do.
 */
export function spread<T>(slow: readonly T[], others: readonly T[]): T[] {
  const step = Math.ceil((others.length * 0.75) / Math.max(1, slow.length))
  const result = slow.flatMap((one, i) => [one, ...others.slice(i * step, (i + 1) * step)])
  return [...result, ...others.slice(slow.length * step)]
}

export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project))]
    const isSlow = ({ moduleId }: TestSpecification) => waits.test(readFileSync(moduleId, 'utf8').slice(0, 500))
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project)
      return spread(
        own.filter(isSlow),
        own.filter((file) => !isSlow(file)),
      )
    })
  }
}
