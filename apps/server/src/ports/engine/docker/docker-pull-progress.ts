/** How far a pull is, from the lines that Docker sends about the layers of an image. */
import * as Type from 'typebox'

export const PullLine = Type.Object({
  error: Type.Optional(Type.String()),
  id: Type.Optional(Type.String()),
  status: Type.Optional(Type.String()),
  progressDetail: Type.Optional(Type.Object({ current: Type.Optional(Type.Number()), total: Type.Optional(Type.Number()) })),
})
export type PullLine = Type.Static<typeof PullLine>

/** The share of the download in the work on a layer; the rest is extraction. */
const downloadShare = 0.7

interface Layer {
  /** Bytes; null: Docker has not reported it yet. */
  readonly size: number | null
  /** 0 to 1. */
  readonly done: number
}

/** Returns the percentage after each line, which never decreases; null until a layer is known. A layer of unknown size counts as an average one. */
export function openPullProgress(): (line: PullLine) => number | null {
  const layers = new Map<string, Layer>()
  let percent: number | null = null
  return (line) => {
    const layer = line.id === undefined ? null : layerAfter(layers.get(line.id), line)
    if (layer === null || line.id === undefined) return percent
    layers.set(line.id, layer)
    percent = Math.max(percent ?? 0, Math.min(99, Math.round(doneOf([...layers.values()]) * 100)))
    return percent
  }
}

/** null: the line is not about a layer. */
function layerAfter(layer: Layer | undefined, { status, progressDetail }: PullLine): Layer | null {
  const { size = null, done = 0 } = layer ?? {}
  const { current = 0, total = 0 } = progressDetail ?? {}
  const part = total > 0 ? Math.min(1, current / total) : 0
  switch (status) {
    case 'Pulling fs layer':
    case 'Waiting':
      return { size, done }
    case 'Downloading':
      return { size: total > 0 ? total : size, done: Math.max(done, part * downloadShare) }
    case 'Verifying Checksum':
    case 'Download complete':
      return { size, done: Math.max(done, downloadShare) }
    case 'Extracting':
      return { size, done: Math.max(done, downloadShare + part * (1 - downloadShare)) }
    case 'Pull complete':
    case 'Already exists':
      return { size, done: 1 }
    default:
      return null
  }
}

function doneOf(layers: readonly Layer[]): number {
  const sizes = layers.flatMap(({ size }) => size ?? [])
  const average = sizes.length === 0 ? 1 : sizes.reduce((sum, size) => sum + size, 0) / sizes.length
  const all = layers.reduce((sum, { size }) => sum + (size ?? average), 0)
  return layers.reduce((sum, { size, done }) => sum + (size ?? average) * done, 0) / all
}
