/** What can be done with the entry of a container. */

export interface EntryLinks {
  /** What is shown and copied. */
  readonly shown: string
  /** Where the open icon leads. */
  readonly opens: string
  /** A command for a terminal; none behind the platform proxy. */
  readonly command: string | null
  readonly proxied: boolean
}

interface EntryOptions {
  /** Origin of the platform. */
  readonly site?: string
  /** Of a test container: its tunnel has another address. */
  readonly test?: boolean
}

/** Address of the tunnel to a container: a WebSocket of the platform. `id` is the GUID of the container. */
export function tunnelUrl(id: string, { site = window.location.origin, test = false }: EntryOptions = {}): string {
  return `${site.replace(/^http/, 'ws')}/api/proxy/${test ? 'noinst/' : ''}${id}`
}

/** An entry is `host:port`, or behind the platform proxy an id of 36 signs. */
export function entryLinks(entry: string, options: EntryOptions = {}): EntryLinks {
  if (entry.includes(':')) {
    const port = entry.slice(entry.lastIndexOf(':') + 1)
    const host = entry.slice(0, entry.lastIndexOf(':')).replace(/^\[|\]$/g, '')
    return { shown: entry, opens: `http://${entry}`, command: `nc ${host} ${port}`, proxied: false }
  }
  const socket = tunnelUrl(entry, options)
  return { shown: socket, opens: `wsrx://open?url=${encodeURIComponent(socket)}`, command: null, proxied: true }
}
