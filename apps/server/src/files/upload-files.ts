import type { Readable } from 'node:stream'
import { AssetTooLarge, FileNotStored, FileTooLarge, RuleError } from '@vexil/core/rules'
import type { Deps } from '../deps.ts'
import { withStored } from './file-leases.ts'
import { discardBytes } from './release-file.ts'
import { baseName, enterFile, type PutFile, putFile } from './store-file.ts'

/** Stores all files of a form or none, each of at most `max` bytes: inserts the rows in one transaction after all bytes are stored. Skips empty files. */
export async function uploadFiles(
  deps: Pick<Deps, 'db' | 'storage' | 'log' | 'onError'>,
  files: AsyncIterable<{ fileName: string; stream: Readable }>,
  { max, commonName }: { readonly max: number; readonly commonName: string | undefined },
): Promise<{ hash: string; name: string }[]> {
  const put: (PutFile & { name: string })[] = []
  try {
    for await (const { fileName, stream } of files) {
      put.push({ ...(await putFile(deps, stream, max)), name: baseName(commonName ?? fileName) })
    }
    const kept = put.filter((file) => file.size > 0)
    // Ordered by hash, so that two uploads of the same files cannot deadlock.
    const inOrder = [...new Map(kept.map((file) => [file.hash, file])).values()].sort((a, b) => (a.hash < b.hash ? -1 : 1))
    await withStored(deps, inOrder, async (tx) => {
      for (const file of inOrder) await enterFile(tx, { ...file, pinned: true })
    })
    return kept.map(({ hash, name }) => ({ hash, name }))
  } catch (error) {
    if (error instanceof FileTooLarge) throw new AssetTooLarge({ max })
    throw error instanceof RuleError || isRequestError(error) ? error : notStored(deps, error)
  } finally {
    // After success only empty parts have no row.
    for (const { hash } of put) await discardBytes(deps, hash).catch(deps.onError)
  }
}

const isRequestError = (error: unknown) => typeof (error as { statusCode?: unknown }).statusCode === 'number'

function notStored({ log, onError }: Pick<Deps, 'log' | 'onError'>, error: unknown): FileNotStored {
  onError(error)
  log.write({ level: 'Error', status: 'Failed', name: 'System', message: `Could not store upload: ${String(error)}` })
  return new FileNotStored()
}
