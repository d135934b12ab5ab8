import type { Endpoint } from '@vexil/contract/endpoint'

/** The value of `Allow`, or null. Costs one regular expression per call, so it is used only for requests without a route. */
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
