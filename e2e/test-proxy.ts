/** With `VEXIL_TEST_PROXY=haproxy` or `nginx` each test platform runs behind that proxy, with its sample from `deploy/`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const kinds = {
  haproxy: async () => (await import('../tools/nodes/haproxy.ts')).haproxy,
  nginx: async () => (await import('../tools/nodes/nginx.ts')).nginx,
}

export interface TestProxy {
  /** Settings of the platform. */
  readonly env: Readonly<Record<string, string>>
  /** Called once the platform is healthy. @returns the proxy's address */
  start(platform: string): Promise<string>
  stop(): Promise<void>
}

/** @returns null without the variable. @throws an error if the proxy cannot be installed */
export async function chooseProxy(freePort: () => Promise<number>): Promise<TestProxy | null> {
  const name = process.env.VEXIL_TEST_PROXY
  if (!name) return null
  const kind = await kinds[name as keyof typeof kinds]()
  if (!kind.isInstalled()) throw new Error(`${name} could not be installed`)
  const port = await freePort()
  let stop = async () => {}
  return {
    env: { PUBLIC_URL: `http://127.0.0.1:${port}`, TRUSTED_PROXIES: '127.0.0.1' },
    async start(platform) {
      const folder = mkdtempSync(join(tmpdir(), 'vexil-proxy-'))
      // The samples have three nodes.
      const proxy = await kind.start(folder, port, [platform, platform, platform])
      stop = async () => {
        await proxy.stop()
        rmSync(folder, { recursive: true })
      }
      return proxy.url
    },
    stop: () => stop(),
  }
}
