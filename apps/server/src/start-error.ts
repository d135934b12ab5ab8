/** The platform cannot start for a reason its operator can mend: one clear sentence, and the process ends with `exitCode`. */
export class StartError extends Error {
  override readonly name: string = 'StartError'
  readonly exitCode: number = 2
}

/** The reason may go away without the operator: `npm start` tries again (EX_TEMPFAIL of sysexits.h). */
export class NotYet extends StartError {
  override readonly exitCode = 75
}

/** The code of a failed system call (`EACCES`, `ENOENT`, …), or of a failed statement (`57P03`). */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}
