/**
 * Imported by the switched copies of the sources (deletions.switches.ts): the active deletion, set once for each process by its environment, which
 * threads and worker processes inherit.
 */
import { appendFileSync } from 'node:fs'

const { VEXIL_DELETION, VEXIL_REACHED } = process.env
const active = Number(VEXIL_DELETION || 0)
const seen = new Set()

/** Whether the code with this number is active. Takes nanoseconds after the first call. */
export function on(number) {
  if (VEXIL_REACHED && !seen.has(number)) {
    seen.add(number)
    appendFileSync(VEXIL_REACHED, `${number}\n`)
  }
  return number !== active
}

/** One member of a chain: returns the result of `member` on the object before it, or that object if the member is deleted. */
export const chain = (number, before, member) => (on(number) ? member(before) : before)
