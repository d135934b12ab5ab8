export function changedSince(commit: string): string[]
export function reached(files: readonly string[]): Readonly<Record<'web' | 'journeys' | 'sql', boolean>>
