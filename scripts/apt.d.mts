export function ensureInstalled(program: string, ...packages: string[]): boolean
