/** Which methods an address takes, for answers to those that it does not take (405). */
import type { Endpoint } from '@vexil/contract/endpoint'

/**
 * The value of `Allow` for a path, null where nothing is. Letter case and a slash at the end do not matter. Costs one short expression for each
 * of the calls, so it is asked only for requests that no route takes.
 */
export function openMethods(endpoints: readonly Endpoint[]): (path: string) => string | null {
  const addresses = endpoints.map(({ method, path }) => ({
    method,
    matches: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`, 'i'),
  }))
  return (path) => {
    const methods = new Set<string>(addresses.filter(({ matches }) => matches.test(path)).map(({ method }) => method))
    if (methods.has('GET')) methods.add('HEAD')
    return methods.size === 0 ? null : [...methods].sort().join(', ')
  }
}
