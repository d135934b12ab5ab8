import type { Readable } from 'node:stream'
import { fileLimits } from '@vexil/core/limits'
import { mustBeAbleToHandInWriteup } from '@vexil/core/participation'
import { FileEmpty, WriteupNotPdf } from '@vexil/core/rules'
import { type Actor, audit } from '../audit.ts'
import type { Db, Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { withStored } from '../files/file-leases.ts'
import { fileStamp } from '../files/file-names.ts'
import { discardBytes } from '../files/release-file.ts'
import { enterFile } from '../files/store-file.ts'
import { findWriteupContext, lockOwnParticipation, putWriteup, type WriteupContext } from './writeups.queries.ts'

export interface HandIn {
  readonly gameId: number
  readonly file: { readonly fileName: string; readonly type: string; readonly stream: Readable }
  readonly by: Actor
}

/** Checked before the upload is read, and again before it is stored. @throws as mustBeAbleToHandInWriteup */
export async function mustBeAbleToHandIn(db: Db | Tx, gameId: number, accountId: string): Promise<WriteupContext> {
  const context = await findWriteupContext(db, gameId, accountId)
  mustBeAbleToHandInWriteup(context, { required: context.required, deadline: context.deadline.getTime() })
  return context
}

/**
 * Stores a writeup and replaces an earlier one, whose file is released within seconds (files/release-file.ts).
 * @throws FileEmpty, FileTooLarge, WriteupNotPdf, then as mustBeAbleToHandInWriteup; FileNotStored, DiskFull
 */
export async function handInWriteup(
  deps: Pick<Deps, 'db' | 'storage' | 'log' | 'onError'>,
  { gameId, file, by }: HandIn,
): Promise<void> {
  const { hash, size, start } = await deps.storage.put(file.stream, fileLimits.writeupBytes)
  try {
    if (size === 0) throw new FileEmpty()
    const isPdf = file.type === 'application/pdf' && file.fileName.endsWith('.pdf') && start.toString('latin1', 0, 5) === '%PDF-'
    if (!isPdf) throw new WriteupNotPdf()
    const { gameTitle, teamName } = await withStored(deps, [{ hash }], async (tx) => {
      await lockOwnParticipation(tx, gameId, by.id)
      const context = await mustBeAbleToHandIn(tx, gameId, by.id)
      const name = `Writeup-${gameId}-${context.teamId}-${fileStamp(new Date(context.now))}.pdf`
      await enterFile(tx, { hash, size, type: 'application/pdf', name })
      await putWriteup(tx, context.participationId, hash, name)
      return context
    })
    const message = `${teamName} submitted a writeup for ${gameTitle} (#${gameId})`
    audit(deps, by, message)
  } catch (error) {
    await discardBytes(deps, hash).catch(deps.onError)
    throw error
  }
}
