export const root: string
export const serverFlags: readonly string[]
export const serverEnv: Readonly<Record<string, string>>
export const patience: { readonly first: number; readonly most: number; readonly ranWell: number; readonly untilUp: number }
export function buildWeb(options?: { readonly force?: boolean }): boolean
export function buildProbe(): boolean
export function rightNode(own?: string): string
