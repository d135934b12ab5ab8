export function startDocker(
  skip: (name: string, reason: string) => void,
  options?: { readonly btrfs?: boolean },
): { readonly host: string; stop(): void } | null
