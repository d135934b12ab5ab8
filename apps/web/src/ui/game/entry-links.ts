export interface EntryLinks {
  /** Shown and copied. */
  readonly shown: string
  readonly opens: string
  /** Its page in the browser; through the platform proxy where the platform has hosts for it. */
  readonly page: string | null
  readonly commands: readonly { readonly with: 'nc' | 'node' | 'python'; readonly line: string }[]
  readonly proxied: boolean
}

interface EntryOptions {
  readonly site?: string
  /** Test containers have another tunnel address. */
  readonly test?: boolean
}

/** Address of the WebSocket tunnel to a container. `id` is its GUID. */
export function tunnelUrl(id: string, { site = window.location.origin, test = false }: EntryOptions = {}): string {
  return `${site.replace(/^http/, 'ws')}/api/proxy/${test ? 'noinst/' : ''}${id}`
}

/** An entry is `host:port`, or an id of 36 characters behind the platform proxy. `hosts`: `https://*.example.net`, or null. */
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
