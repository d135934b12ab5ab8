/** Stops listening without resetting queued connections, which clients consider open. */
import type { Server } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'

/** In a longer turn of the event loop (ms), a connection may arrive after the check of the queue. */
const shortTurn = 0.2
/** Required turns in sequence without a new connection: the first may end before a connection is queued. */
const quietTurns = 3
/** Milliseconds after which the length of a turn is ignored, and after which it ends in any case. */
const [shortTurnsFor, endWithin] = [500, 5_000]

/**
 * Accepts queued connections before it closes the socket: the system resets those left, even if other processes listen on the port, and Node accepts
 * one per turn.
 */
export async function stopListening(server: Server): Promise<void> {
  let accepted: boolean
  const note = () => {
    accepted = true
  }
  server.on('connection', note)
  const startedAt = performance.now()
  for (let [at, quiet] = [startedAt, 0]; quiet < quietTurns && at - startedAt < endWithin; ) {
    accepted = false
    await turn()
    const elapsed = performance.now() - at
    at += elapsed
    quiet = !accepted && (elapsed < shortTurn || at - startedAt > shortTurnsFor) ? quiet + 1 : 0
  }
  server.off('connection', note)
  server.close()
}
