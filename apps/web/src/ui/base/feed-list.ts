/** Lists that grow at the top. Entries have no ids; their content identifies them. */

/** Adds a new entry at the top, or replaces a known one in place. */
export function withNew<T>(list: readonly T[], entry: T, keyOf: (entry: T) => string, most: number): T[] {
  const key = keyOf(entry)
  const known = list.some((one) => keyOf(one) === key)
  return known ? list.map((one) => (keyOf(one) === key ? entry : one)) : [entry, ...list].slice(0, most)
}

/** Numbers equal entries, so that their keys differ. */
export function numbered<T>(list: readonly T[], keyOf: (entry: T) => string): { key: string; entry: T }[] {
  const seen = new Map<string, number>()
  return list.map((entry) => {
    const key = keyOf(entry)
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    return { key: count > 1 ? `${key}\n${count}` : key, entry }
  })
}
