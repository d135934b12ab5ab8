import { openSessionFacts } from './accounts/session-facts.ts'
import { findSession, renewSession, sessionHash } from './accounts/sessions.ts'
import type { Visits } from './accounts/visits.ts'
import type { Deps } from './deps.ts'
import type { Gate } from './http/gate.ts'

export function openSessionGate({ db, log, versions }: Pick<Deps, 'db' | 'log' | 'versions'>, visits: Visits): Gate {
  const sessions = openSessionFacts(versions)
  let isSetUp = false
  return {
    catchUp: versions.catchUp,
    async findActor(token) {
      const found = await findSession(db, token)
      if (found) sessions.keep(sessionHash(token), found)
      return found
    },
    renew: (token) => renewSession(db, token),
    sessionOf: sessionHash,
    knownActor: (session) => sessions.find(session),
    denied: (actor, ip, path) => log.write({ status: 'Denied', name: actor.userName, ip, message: `Refused: ${path}` }),
    seen: ({ id }, ip) => visits.seen(id, ip),
    async isSetUp() {
      isSetUp ||=
        (await db.selectFrom('accounts').select('id').where('role', '=', 'Admin').limit(1).executeTakeFirst()) !== undefined
      return isSetUp
    },
  }
}
