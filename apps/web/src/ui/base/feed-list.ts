/** Lists that grow at their top while they are looked at. Entries have no numbers, so their content tells them apart. */

/** Puts a new entry on top; one that is there already is replaced in its place (LIVE-3). */
export function withNew<T>(list: readonly T[], entry: T, keyOf: (entry: T) => string, most: number): T[] {
  const key = keyOf(entry)
  const known = list.some((one) => keyOf(one) === key)
  return known ? list.map((one) => (keyOf(one) === key ? entry : one)) : [entry, ...list].slice(0, most)
}

/** Equal entries get numbers, so that both appear (CH-3). */
export function numbered<T>(list: readonly T[], keyOf: (entry: T) => string): { key: string; entry: T }[] {
  const seen = new Map<string, number>()
  return list.map((entry) => {
    const key = keyOf(entry)
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    return { key: count > 1 ? `${key}\n${count}` : key, entry }
  })
}
