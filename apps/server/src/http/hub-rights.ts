/** Checks the right to listen at the handshake, and again when rights change. */
import { mayUse, type SignedInAccount } from './gate.ts'
import type { openAudiences } from './hub-audiences.ts'
import { type Connection, closeForReconnect, closePermanently, write } from './hub-connection.ts'
import { handshakeResponse, isHandshake, wrongProtocol } from './hub-protocol.ts'
import type { Http } from './route.ts'

interface HubRights {
  /** Answers the handshake; without the right to listen, with a close message with `allowReconnect: false`. */
  greet(connection: Connection, message: string): Promise<void>
  checkAgain(connection: Connection): Promise<void>
}

export function openHubRights(
  { http, gameExists }: { readonly http: Http; readonly gameExists: (game: number) => Promise<boolean> },
  audiences: ReturnType<typeof openAudiences>,
): HubRights {
  async function mayListen({ hub, game, token }: Connection): Promise<boolean> {
    if (hub.least !== 'anyone' && !mayUse(hub.least, await findActor(token))) return false
    return !hub.hasGame || (game !== null && (await gameExists(game)))
  }

  const findActor = async (token: string | null): Promise<SignedInAccount | null> =>
    token === null ? null : ((await http.gate.findActor(token))?.actor ?? null)

  function refuse(connection: Connection): void {
    audiences.remove(connection)
    closePermanently(connection)
  }

  return {
    async greet(connection, message) {
      if (!isHandshake(message)) {
        write(connection, wrongProtocol)
        connection.socket.close()
        return
      }
      write(connection, handshakeResponse)
      // Added before the check, so that `recheck` covers a right withdrawn in between.
      audiences.add(connection)
      if (!(await mayListen(connection))) refuse(connection)
    },
    async checkAgain(connection) {
      const { hub, token } = connection
      try {
        if (hub.least === 'anyone') {
          if (!mayUse('user', await findActor(token))) connection.account = null
        } else if (audiences.has(connection) && !(await mayListen(connection))) refuse(connection)
      } catch {
        // The right cannot be checked; allowed listeners reconnect when the database is back.
        audiences.remove(connection)
        closeForReconnect(connection)
      }
    },
  }
}
