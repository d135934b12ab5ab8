/** A bucket that is away, slow or answers nonsense. */
import type { Manner } from '../line.ts'
import type { Fault } from './fault.ts'

const bucket = (manner: Manner): Fault => ({
  name: `bucket-${manner}`,
  how: `the line to the bucket: ${manner}, then open`,
  seconds: 4,
  async plant({ lines }) {
    await lines.bucket.set(manner)
    return () => lines.bucket.set('open')
  },
})

export const serviceFaults: readonly Fault[] = (['refused', 'slow', 'silent', 'garbage'] as const).map(bucket)
