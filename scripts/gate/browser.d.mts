export function browser(): string
export function haveBrowser(): boolean
