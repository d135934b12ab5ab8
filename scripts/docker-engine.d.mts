export function startDocker(
  skip: (name: string, reason: string) => void,
  options?: { readonly disk?: 'btrfs' | 'ext4' },
): { readonly host: string; stop(): void } | null
