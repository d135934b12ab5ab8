/** What can be done with the entry of a container. */

export interface EntryLinks {
  /** What is shown and copied. */
  readonly shown: string
  /** Where the open icon leads. */
  readonly opens: string
  /** Its page in the browser, behind the platform proxy where the platform has hosts for that. */
  readonly page: string | null
  /** What to type to connect from one's own machine. */
  readonly commands: readonly { readonly with: 'nc' | 'node' | 'python'; readonly line: string }[]
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

/** An entry is `host:port`, or behind the platform proxy an id of 36 signs. `hosts`: `https://*.example.net`, or null. */
export function entryLinks(entry: string, hosts: string | null = null, options: EntryOptions = {}): EntryLinks {
  if (!entry.includes(':')) return proxiedLinks(entry, hosts, options)
  const port = entry.slice(entry.lastIndexOf(':') + 1)
  const host = entry.slice(0, entry.lastIndexOf(':')).replace(/^\[|\]$/g, '')
  return {
    shown: entry,
    opens: `http://${entry}`,
    page: null,
    commands: [
      { with: 'nc', line: `nc ${host} ${port}` },
      { with: 'python', line: `import socket; s = socket.create_connection(("${host}", ${port}))` },
    ],
    proxied: false,
  }
}

function proxiedLinks(id: string, hosts: string | null, options: EntryOptions): EntryLinks {
  const { site = window.location.origin } = options
  const socket = tunnelUrl(id, options)
  const line = (program: string, runs: string) => `curl -sSO ${site}/${program} && ${runs} ${program} ${socket}`
  return {
    shown: socket,
    opens: `wsrx://open?url=${encodeURIComponent(socket)}`,
    page: hosts && `${hosts.replace('*', id)}/`,
    commands: [
      { with: 'node', line: line('forward.mjs', 'node') },
      { with: 'python', line: line('forward.py', 'python3') },
    ],
    proxied: true,
  }
}
