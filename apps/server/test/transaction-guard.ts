/**
 * No transaction waits for another server, and nothing is announced before the commit: a platform under test refuses calls to the storage, the mail
 * server, the captcha and the bus inside a transaction.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely } from 'kysely'

const inside = new AsyncLocalStorage<true>()

/** From now on, code that runs in a transaction of `db` is detected. */
export function watchTransactions(db: Kysely<never>): void {
  const transaction = db.transaction.bind(db)
  db.transaction = () => {
    const builder = transaction()
    const execute = builder.execute.bind(builder)
    builder.execute = (work) => execute((tx) => inside.run(true, () => work(tx)))
    return builder
  }
}

/** Each function of the port throws when it is called inside a transaction. */
export function forbidInTransactions(name: string, port: object): void {
  for (const [key, value] of Object.entries(port)) {
    if (typeof value !== 'function') continue
    Object.assign(port, {
      [key](...given: unknown[]) {
        if (inside.getStore()) throw new Error(`${name}.${key} was called inside a transaction.`)
        return value.apply(port, given)
      },
    })
  }
}
