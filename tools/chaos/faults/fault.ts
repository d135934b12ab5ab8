import type { Scene } from '../scene.ts'

export interface Fault {
  readonly name: string
  /** How it is planted and removed. */
  readonly how: string
  /** The reason why it cannot be planted here, or null; absent: it always can. */
  readonly missing?: (scene: Scene) => string | null
  /** Seconds between planting and removing. */
  readonly seconds: number
  /** Submissions and boards must not be slower or fail during the fault. */
  readonly sparesOthers?: boolean
  /** An additional check after the fault: what does not work again by `end` (of `performance.now()`). */
  readonly works?: (scene: Scene, end: number) => Promise<string[]>
  /** Plants it; the returned function removes it. */
  plant(scene: Scene): Promise<() => Promise<unknown>>
}

export const nothing = async (): Promise<void> => undefined
