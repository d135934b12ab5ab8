export interface EntryLinks {
  /** Shown and copied. */
  readonly shown: string
  readonly opens: string
  /** Web page of the instance; through the platform proxy if the platform has host names for it. */
  readonly page: string | null
  readonly commands: readonly {
    readonly with: 'nc' | 'openssl' | 'ncat' | 'pwntools' | 'node' | 'python'
    readonly line: string
  }[]
  readonly proxied: boolean
}

interface EntryOptions {
  /** `host:port` that accepts TLS connections. */
  readonly tls?: string | null
  readonly site?: string
  /** Test containers have another tunnel address. */
  readonly test?: boolean
}

/** Address of the WebSocket tunnel to a container. `id` is its GUID, or `{GUID}/{name of a port}`. */
export function tunnelUrl(id: string, { site = window.location.origin, test = false }: EntryOptions = {}): string {
  return `${site.replace(/^http/, 'ws')}/api/proxy/${test ? 'noinst/' : ''}${id}`
}

/** An entry is `host:port`, or an id of 36 characters behind the platform proxy, with `/{name}` for a named port. `hosts`: `https://*.example.net`, or null. */
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
    // `{id}/{name of the port}` is one label.
    page: hosts && `${hosts.replace('*', id.replace('/', '-'))}/`,
    commands: [
      ...tlsCommands(options.tls ?? null),
      { with: 'node', line: line('forward.mjs', 'node') },
      { with: 'python', line: line('forward.py', 'python3') },
    ],
    proxied: true,
  }
}

/** The host name is given to openssl twice: only recent versions send the name of `-connect` as SNI. */
function tlsCommands(tls: string | null): EntryLinks['commands'] {
  if (tls === null) return []
  const [host, port] = tls.split(':')
  return [
    { with: 'ncat', line: `ncat --ssl ${host} ${port}` },
    { with: 'openssl', line: `openssl s_client -quiet -servername ${host} -connect ${tls}` },
    { with: 'pwntools', line: `remote("${host}", ${port}, ssl=True)` },
  ]
}
