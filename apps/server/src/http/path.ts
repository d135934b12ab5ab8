/** The path of a request's address. */

/** Characters. Above, an address is refused before anything looks at it: the longest that the platform makes is shorter than 300. */
export const pathMax = 2048

/** What precedes the query. Linear in the length of the address. */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
