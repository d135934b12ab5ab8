export function isTooSlow(run: { minutes: number; most: number; load: number; processors: number }): boolean
export function openTally(): {
  readonly total: { passed: number; failed: number; notRun: number }
  count(name: string, good: boolean): void
  skip(name: string, reason: string, number?: number): void
  stage<T>(name: string, work: () => T | Promise<T>): Promise<T>
  mustTakeAtMost(most: number): void
  end(): number
}
