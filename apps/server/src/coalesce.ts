/** Collects what is passed within one turn of the event loop and sends it together, in order. */
export function coalesce<T>(send: (all: T[]) => void): (one: T) => void {
  let waiting: T[] = []
  return (one) => {
    if (waiting.push(one) > 1) return
    setImmediate(() => {
      const all = waiting
      waiting = []
      send(all)
    })
  }
}
