/** A node whose clock is wrong (libfaketime). */
import { globSync } from 'node:fs'
import { ensureInstalled } from '../../../scripts/apt.mjs'
import type { Fault } from './fault.ts'

const library = () => globSync('/usr/lib/*/faketime/libfaketime.so.1')[0]

const clock = (name: string, offset: string): Fault => ({
  name,
  how: `the last node is started again with a clock at ${offset}, then with the right one`,
  missing: () =>
    ensureInstalled('/usr/bin/faketime', 'faketime') && library() ? null : 'the Debian package faketime is not installed',
  seconds: 4,
  async plant({ nodes }) {
    const node = nodes.at(-1)!
    await node.stop()
    await node.start({ LD_PRELOAD: library() as string, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' })
    return async () => {
      await node.stop()
      await node.start()
    }
  },
})

export const clockFaults: readonly Fault[] = [clock('clock-ahead', '+1h'), clock('clock-behind', '-1h')]
