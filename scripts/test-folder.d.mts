export function makeDatabaseFolder(name: string): string
