import { setup } from '@vexil/contract/site'
import type { Deps } from '../deps.ts'
import { type Http, route } from '../http/route.ts'
import { giveSession } from '../http/session-cookie.ts'
import { setUp, type WithDemo } from './set-up.ts'

/** `/api/setup`. `withDemo` comes from the rooms above; without it no demo is made. */
export function setupRoutes(
  http: Http,
  deps: Pick<Deps, 'db' | 'bus' | 'config' | 'log' | 'settings' | 'report'>,
  withDemo?: WithDemo,
): void {
  route(http, setup, async ({ body, ip, request, reply }) => {
    giveSession(request, reply, await setUp(deps, body, ip, withDemo))
  })
}
