export function browser(): string
export function ensureBrowser(): boolean
