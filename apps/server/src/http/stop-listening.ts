/** The end of listening, without resetting connections that clients take for open. */
import type { Server } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'

/** A turn of the event loop that took longer (ms) leaves time for a connection to come behind the look at the queue. */
const shortTurn = 0.2
/** So many in a row in which nothing was accepted: the first may be over before it came to the queue. */
const quietTurns = 3
/** After so many milliseconds the length of a turn counts no more, and after so many it ends in any case. */
const [patient, within] = [500, 5_000]

/**
 * Accepts what waits in the listening socket's queue, then closes that socket and idle connections. The system resets what is still in the
 * queue then, even where other processes listen on the same port, and Node accepts one connection a turn, so a busy process has some there.
 */
export async function stopListening(server: Server): Promise<void> {
  let accepted: boolean
  const note = () => {
    accepted = true
  }
  server.on('connection', note)
  const begun = performance.now()
  for (let [at, quiet] = [begun, 0]; quiet < quietTurns && at - begun < within; ) {
    accepted = false
    await turn()
    const took = performance.now() - at
    at += took
    quiet = !accepted && (took < shortTurn || at - begun > patient) ? quiet + 1 : 0
  }
  server.off('connection', note)
  server.close()
}
