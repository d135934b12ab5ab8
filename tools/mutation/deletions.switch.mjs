/**
 * What the switched copies of the sources import (deletions.switches.ts): which deletion holds, said once for each process by its environment, which
 * threads and worker processes inherit.
 */
import { appendFileSync } from 'node:fs'

const { VEXIL_DELETION, VEXIL_REACHED } = process.env
const active = Number(VEXIL_DELETION || 0)
const seen = new Set()

/** Whether the code with this number is there. Costs nanoseconds once it was reached. */
export function on(number) {
  if (VEXIL_REACHED && !seen.has(number)) {
    seen.add(number)
    appendFileSync(VEXIL_REACHED, `${number}\n`)
  }
  return number !== active
}

/** One member of a chain: what `member` makes of the object before it, or that object. */
export const chain = (number, before, member) => (on(number) ? member(before) : before)
