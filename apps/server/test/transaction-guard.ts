/**
 * Nothing waits for another server inside a transaction, and nothing is announced before it is committed: a platform under test refuses a
 * storage, mail server, captcha or bus that is asked in one.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely } from 'kysely'

const inside = new AsyncLocalStorage<true>()

/** From here on what runs in a transaction of `db` is known as such. */
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
