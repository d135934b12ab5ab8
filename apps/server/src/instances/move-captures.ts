/** Moves finished captures from the data folder of this node to where all nodes find them. Without such a place it does nothing. */
import { chmod, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Deps } from '../deps.ts'
import { every } from '../every.ts'
import type { NamedFiles } from '../ports/storage/named-files.ts'
import { codeOf } from '../start-error.ts'
import { capturesIn, sweepCaptures } from './captures.ts'

type MoveDeps = Pick<Deps, 'captures' | 'config' | 'log' | 'onError'>

const everyMs = 5_000
const sweepMs = 600_000
const lastMs = 5_000
const atOnce = 8
/** An idle connection and its file are closed within this time after the limit. */
const closedWithinMs = 60_000
/** A round ends after this many failures: the place is unreachable. Fewer failures do not keep the others from being moved. */
const failuresMost = 20

const nullIfMissing = (error: unknown): null => {
  if (codeOf(error) === 'ENOENT') return null
  throw error
}

const reasonOf = (error: unknown): string => codeOf(error) || (error as Error).message || (error as Error).name

/** Marks what earlier runs of this node left as finished. To be called before a connection can be captured. */
async function markLeft(own: NamedFiles, { config, onError }: MoveDeps): Promise<void> {
  for await (const { path } of capturesIn(own)) await chmod(join(config.dataDir, path), 0o400).catch(onError)
}

/** Returns a round, which moves every finished capture and reports its failures. */
function openRounds(own: NamedFiles, common: NamedFiles, { config, log }: MoveDeps) {
  let failing = false
  /** The connection of a file that was not written for longer has ended: its worker process was killed before it could finish the file. */
  const leftAfterMs = config.processes > 1 ? config.proxyIdleMinutes * 60_000 + closedWithinMs : Number.POSITIVE_INFINITY

  function report(failures: readonly unknown[]): void {
    if (failures.length > 0 === failing) return
    failing = failures.length > 0
    const message = failing
      ? `Cannot move captured traffic to ${common.place}: ${reasonOf(failures[0])}. It remains in DATA_DIR of this node, which tries again every ${everyMs / 1000} s`
      : `Captured traffic is moved to ${common.place} again`
    log.write({ ...(failing && { level: 'Warning' }), status: failing ? 'Failed' : 'Success', name: 'System', message })
  }

  async function move(path: string, signal: AbortSignal): Promise<void> {
    const file = join(config.dataDir, path)
    try {
      await common.put(path, file, signal)
    } catch (error) {
      // Deleted in the meantime.
      if (!(await stat(file).catch(nullIfMissing))) return
      throw error
    }
    await own.delete(path)
  }

  return async (signal: AbortSignal): Promise<void> => {
    const failures: unknown[] = []
    async function* finished() {
      for await (const { path } of capturesIn(own)) {
        if (failures.length >= failuresMost) return
        const found = await stat(join(config.dataDir, path)).catch(nullIfMissing)
        if (found && ((found.mode & 0o200) === 0 || Date.now() - found.mtimeMs > leftAfterMs)) yield path
      }
    }
    const moveOne = (path: string) => move(path, signal).catch((error: unknown) => void failures.push(error))
    await Readable.from(finished()).forEach(moveOne, { concurrency: atOnce, signal })
    report(failures)
  }
}

export interface CaptureMoves {
  /** Moves what is finished. */
  run(): Promise<void>
  /** Does so a last time, for at most five seconds: the data folder may be lost with the node. */
  close(): Promise<void>
}

/** A worker process moves only at its end: the first process of the node moves its captures, too. */
export async function moveCaptures(deps: MoveDeps, isWorker: boolean): Promise<CaptureMoves> {
  const { captures, config, onError } = deps
  const [own, common] = captures
  if (!common) return { run: async () => undefined, close: async () => undefined }
  const ending = new AbortController()
  const round = openRounds(own, common, deps)
  const run = () => round(ending.signal)
  if (!isWorker) await markLeft(own, deps)
  const timers = isWorker
    ? []
    : [
        every(everyMs, run, onError),
        // While the place is unreachable, the limits hold for the data folder.
        every(sweepMs, () => sweepCaptures(own, config, ending.signal), onError),
      ]
  return {
    run,
    async close() {
      const late = setTimeout(() => ending.abort(), lastMs)
      for (const timer of timers) await timer.close()
      await run().catch(onError)
      clearTimeout(late)
    },
  }
}
