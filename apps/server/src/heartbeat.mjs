/** Heartbeats between a process and its parent (decision 0033). JavaScript, since `npm start` runs it on the installed Node. */

/**
 * Milliseconds. `firstWithin`: until the first heartbeat, since a start takes longer. `lateBy`: a watcher this late makes no
 * decision.
 */
export const beats = { every: 1_000, deadAfter: 10_000, firstWithin: 60_000, lateBy: 2_000 }

/** Calls `say` at once and each second. Does not keep the process alive. */
export function beat(send, { every } = beats) {
  send()
  setInterval(send, every).unref()
}

/**
 * Calls `dead` once, when a process sends no heartbeat for `deadAfter`. A watcher that was late was suspended or starved, and
 * possibly the other process too: unread messages wait in the channel until the next round. `now` is a monotonic clock in
 * milliseconds.
 */
export function watchBeats(dead, { every, deadAfter, firstWithin, lateBy } = beats, now = () => performance.now()) {
  let [round, receivedAt, allowed] = [now(), now(), firstWithin]
  const rounds = setInterval(() => {
    const at = now()
    const wasLate = at - round > every + lateBy
    round = at
    if (wasLate || at - receivedAt < allowed) return
    clearInterval(rounds)
    dead()
  }, every)
  rounds.unref()
  return {
    received() {
      receivedAt = now()
      allowed = deadAfter
    },
    stop: () => clearInterval(rounds),
  }
}
