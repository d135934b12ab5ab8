export function errorOutsideTests(errors: string): string
export function ofVitest(
  name: string,
  report: unknown,
): { found: number; passed: number; failed: number; skipped: number; skippedTests: string[]; failures: string[] }
