export function startDocker(skip: (name: string, reason: string) => void): { readonly host: string; stop(): void } | null
