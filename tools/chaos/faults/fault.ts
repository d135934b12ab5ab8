import type { Scene } from '../scene.ts'

export interface Fault {
  readonly name: string
  /** How it is planted and removed. */
  readonly how: string
  /** Why it cannot be planted here; absent: it always can. */
  readonly missing?: (scene: Scene) => string | null
  /** Seconds between planting and removing. */
  readonly seconds: number
  /** Submissions and boards must not be slower or fail meanwhile. */
  readonly sparesOthers?: boolean
  /** What does not work again until `end` (of `performance.now()`), beside what every fault is followed by. */
  readonly works?: (scene: Scene, end: number) => Promise<string[]>
  /** Plants it; the returned function removes it. */
  plant(scene: Scene): Promise<() => Promise<unknown>>
}

export const nothing = async (): Promise<void> => undefined
