/** The solver check: a program beside a fresh instance must print the flag of the instance. */
import { checkLimits } from './limits.ts'

export const checkCauses = ['request', 'start', 'interval'] as const
export type CheckCause = (typeof checkCauses)[number]

/** `NotTried`: the engine was unreachable or ended the instance, or the platform stopped. */
export const checkStates = ['Waiting', 'Running', 'Passed', 'Failed', 'NotTried'] as const
export type CheckState = (typeof checkStates)[number]

/** Whether the output has one of the flags. */
export const hasFlag = (output: string, flags: readonly string[]): boolean => flags.some((flag) => output.includes(flag))

/** The end of an output as it is kept: flags are hidden, and control characters other than tab and line end have visible signs. O(n) for each flag. */
export function keptOutput(output: string, flags: readonly string[]): string {
  // Longer flags first: one flag may be the beginning of another.
  const hidden = flags.toSorted((a, b) => b.length - a.length).reduce((text, flag) => text.replaceAll(flag, '***'), output)
  const shown = hidden.replaceAll('\r\n', '\n').replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, signOf)
  return shown.slice(-checkLimits.outputMax).replace(/^[\uDC00-\uDFFF]/, '')
}

/** For C0 controls the control picture of Unicode; for others, such as those that change the direction of a text, the replacement character. */
function signOf(sign: string): string {
  if (sign === '\n' || sign === '\t') return sign
  const code = sign.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\uFFFD'
}

/** Whether this many failures since the last success mark the challenge. */
export const marksChallenge = (failures: number): boolean => failures >= checkLimits.failures
