/** Characters. Longer addresses are refused first; the longest of the platform is below 300. */
export const pathMax = 2048

/** The part before the query. Linear in the length of the address. */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
