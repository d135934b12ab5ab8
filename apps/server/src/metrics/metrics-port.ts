/** The port for Prometheus: `GET /metrics`, and no other address. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Metric } from './figures.ts'
import { addUp } from './kept-counts.ts'

export interface MetricsPort {
  readonly port: number
  close(): Promise<void>
}

/** Collections are not repeated while one runs, so many scrapes cost as much as one. Rejects when the port cannot be opened. */
export async function openMetricsPort(
  { host, port }: { readonly host: string; readonly port: number },
  collect: () => Promise<readonly (readonly Metric[])[]>,
  onError: (error: unknown) => void,
): Promise<MetricsPort> {
  let running: Promise<string> | null = null
  const text = () => {
    running ??= collect()
      .then((all) => addUp(all).metrics())
      .finally(() => {
        running = null
      })
    return running
  }
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end()
    text().then(
      (body) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(body),
      (error: unknown) => {
        onError(error)
        response.writeHead(500).end()
      },
    )
  })
  server.listen({ host, port })
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
