/** Batches small reads: all keys requested in one turn of the event loop go to the database in one query. */
import DataLoader from 'dataloader'
import { inDatabase, runForNone } from '../request-trace.ts'
import type { Db, Tx } from './transaction.ts'

const most = 256

/** A read of one key, batched per database or transaction. `read` keeps the order of its keys, which may repeat. Costs a share of one query. */
export function batched<K, V>(
  read: (db: Db | Tx, keys: readonly K[]) => Promise<readonly V[]>,
): (db: Db | Tx, key: K) => Promise<V> {
  const loaders = new WeakMap<Db | Tx, DataLoader<K, V>>()
  return (db, key) => {
    let loader = loaders.get(db)
    if (!loader) {
      loader = new DataLoader((keys) => read(db, keys), {
        cache: false,
        maxBatchSize: most,
        batchScheduleFn: (send) => runForNone(() => setImmediate(send)),
      })
      loaders.set(db, loader)
    }
    const one = loader
    return inDatabase(() => one.load(key))
  }
}
