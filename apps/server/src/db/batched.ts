/** Many small readings as one: what is asked while a turn of the event loop lasts goes to the database in one query. */
import DataLoader from 'dataloader'
import type { Db, Tx } from './transaction.ts'

/** A query for more than these takes long enough for others to notice. */
const most = 256

/**
 * A reading of one key that is gathered with those of the same turn; a query never begins before it was asked for. `read` answers in the
 * order of its keys, of which some may be alike. Each database and each transaction gathers for itself. Costs a share of one query.
 */
export function batched<K, V>(
  read: (db: Db | Tx, keys: readonly K[]) => Promise<readonly V[]>,
): (db: Db | Tx, key: K) => Promise<V> {
  const loaders = new WeakMap<Db | Tx, DataLoader<K, V>>()
  return (db, key) => {
    let loader = loaders.get(db)
    if (!loader) {
      loader = new DataLoader((keys) => read(db, keys), { cache: false, maxBatchSize: most, batchScheduleFn: setImmediate })
      loaders.set(db, loader)
    }
    return loader.load(key)
  }
}
