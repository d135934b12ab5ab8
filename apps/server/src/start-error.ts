/** The platform cannot start for a reason that the operator can fix: prints one sentence and ends with `exitCode`. */
export class StartError extends Error {
  override readonly name: string = 'StartError'
  readonly exitCode: number = 2
}

/** A reason that may be temporary: `npm start` retries (EX_TEMPFAIL of sysexits.h). */
export class NotYet extends StartError {
  override readonly exitCode = 75
}

/** The code of a failed system call (`EACCES`, `ENOENT`, …) or statement (`57P03`). */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}
