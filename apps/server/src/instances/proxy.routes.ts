import * as contract from '@vexil/contract/instances'
import { ProxyOff } from '@vexil/core/rules'
import { type Http, route } from '../http/route.ts'

/** Tunnels to instances. Without an engine the platform proxy is off, and says so before it looks at anything. */
export function proxyRoutes(http: Http): void {
  const off = async () => {
    throw new ProxyOff()
  }
  route(http, contract.proxyInstance, off)
  route(http, contract.proxyTestContainer, off)
}
