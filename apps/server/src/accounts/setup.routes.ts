import { setup } from '@vexil/contract/site'
import type { Deps } from '../deps.ts'
import { openDevices } from '../http/known-device.ts'
import { networkOf } from '../http/network.ts'
import { type Http, route } from '../http/route.ts'
import { setUp, type WithDemo } from './set-up.ts'

/** `/api/setup`. Without `withDemo` no demo game is created. */
export function setupRoutes(
  http: Http,
  deps: Pick<Deps, 'db' | 'bus' | 'config' | 'log' | 'settings' | 'onError' | 'secrets'>,
  withDemo?: WithDemo,
): void {
  const devices = openDevices(deps.secrets)
  route(http, setup, async ({ body, ip, request, reply }) => {
    devices.setCookies(request, reply, await setUp(deps, body, { ip, network: networkOf(ip) }, withDemo))
  })
}
