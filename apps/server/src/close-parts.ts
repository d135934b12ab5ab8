/** The shutdown of a platform, within limited times. */

/** Milliseconds for running requests and work, and afterwards for everything else. */
export const closesWithin = { requests: 10_000, rest: 6_000 }

interface Part {
  close(): unknown
}

/** Closes one part after the other, also after a failure; from the given milliseconds on without waiting for them. */
export async function closeParts(parts: readonly (Part | null)[], ms: number, onError: (error: unknown) => void): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  try {
    for (const part of parts) await Promise.race([closed(part).catch(onError), late])
  } finally {
    clearTimeout(timer)
  }
}

const closed = async (part: Part | null): Promise<unknown> => part?.close()
