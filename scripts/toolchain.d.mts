export const root: string
export const serverFlags: readonly string[]
export const serverEnv: Readonly<Record<string, string>>
export function buildWeb(options?: { readonly force?: boolean }): boolean
export function rightNode(): string
