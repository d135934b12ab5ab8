/** A process with a storage on the folder of its first argument; answers calls that its parent sends. */
import { buffer } from 'node:stream/consumers'
import { openSharedStorage } from '../src/ports/storage/local.ts'
import type { Storage } from '../src/ports/storage/storage.ts'
import { codeOf } from '../src/start-error.ts'

export type Call = {
  readonly id: number
  readonly name: 'put' | 'get' | 'has' | 'delete' | 'list'
  readonly args: readonly unknown[]
}
export type Answer = { readonly id: number; readonly value?: unknown; readonly code?: string }

const [, , folder = ''] = process.argv

async function answer(storage: Storage, { name, args }: Call): Promise<unknown> {
  if (name === 'list') {
    const hashes: string[] = []
    for await (const hash of storage.list(args[0] as number)) hashes.push(hash)
    return hashes
  }
  const value = await (storage[name] as (...given: readonly unknown[]) => Promise<unknown>)(...args)
  if (name !== 'get' || value === null) return value
  const { size, stream } = value as NonNullable<Awaited<ReturnType<Storage['get']>>>
  return { size, bytes: await buffer(stream) }
}

const storage = await openSharedStorage(folder)
process.on('message', (call: Call) => {
  answer(storage, call).then(
    (value) => process.send?.({ id: call.id, value }),
    (error: unknown) => process.send?.({ id: call.id, code: codeOf(error) || String(error) }),
  )
})
process.send?.({ id: 0 })
