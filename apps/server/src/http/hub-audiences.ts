/** Listeners by hub and game, so that a message costs only its audience. */
import type { HubPath } from '@vexil/contract/live'
import type { Connection } from './hub-connection.ts'

export type GameHub = '/hub/user' | '/hub/monitor'
/** All listeners of a hub or of one game; `only` limits them to some accounts, to signed-in callers (`accounts`) or to `visitors`. */
export type Audience =
  | { readonly hub: GameHub; readonly game: number; readonly only?: ReadonlySet<string> | 'accounts' | 'visitors' }
  | { readonly hub: Exclude<HubPath, GameHub> }

const keyOf = (hub: HubPath, game: number | null) => `${hub} ${game ?? ''}`

export function openAudiences() {
  const audiences = new Map<string, Set<Connection>>()
  return {
    add(connection: Connection): void {
      if (connection.socket.readyState !== connection.socket.OPEN) return
      const key = keyOf(connection.hub.path, connection.game)
      const audience = audiences.get(key) ?? new Set()
      audiences.set(key, audience.add(connection))
    },
    remove(connection: Connection): void {
      const key = keyOf(connection.hub.path, connection.game)
      const audience = audiences.get(key)
      audience?.delete(connection)
      if (audience?.size === 0) audiences.delete(key)
    },
    has: (connection: Connection): boolean =>
      audiences.get(keyOf(connection.hub.path, connection.game))?.has(connection) ?? false,
    connectionsOf(to: Audience): Connection[] {
      const all = [...(audiences.get(keyOf(to.hub, 'game' in to ? to.game : null)) ?? [])]
      const only = 'only' in to ? to.only : undefined
      if (only === undefined) return all
      if (only === 'accounts' || only === 'visitors')
        return all.filter(({ account }) => (account === null) === (only === 'visitors'))
      return all.filter(({ account }) => account !== null && only.has(account))
    },
    gamesOf: (hub: GameHub): number[] =>
      [...audiences.values()].flatMap((audience) => {
        const [one] = audience
        return one?.hub.path === hub && one.game !== null ? [one.game] : []
      }),
  }
}
