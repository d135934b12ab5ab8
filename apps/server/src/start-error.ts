/** The platform cannot start for a reason its operator can mend: one clear sentence, and the process ends with code 2. */
export class StartError extends Error {
  override readonly name: string = 'StartError'
}

/** The code of a failed system call (`EACCES`, `ENOENT`, …), or of a failed statement (`57P03`). */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}
