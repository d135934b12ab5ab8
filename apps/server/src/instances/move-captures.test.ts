/** Captures that move between two folders, without a platform. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeFile } from '../../test/named-files.suite.ts'
import type { LogEntry } from '../audit.ts'
import type { Deps } from '../deps.ts'
import { openSharedStorage } from '../ports/storage/local.ts'
import type { NamedFiles } from '../ports/storage/named-files.ts'
import { openNamedFolder } from '../ports/storage/named-folder.ts'
import { moveCaptures } from './move-captures.ts'

let root: string
let own: string
let common: string
let log: Partial<LogEntry>[]
let faults: unknown[]
const open: { close(): Promise<void> }[] = []
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
  root = mkdtempSync(join(tmpdir(), 'vexil-move-'))
  ;[own, common] = [join(root, 'own'), join(root, 'common')]
  await openSharedStorage(common)
  log = []
  faults = []
})
afterEach(async () => {
  vi.useRealTimers()
  for (const one of open.splice(0)) await one.close()
  rmSync(root, { recursive: true })
})

const a = 'capture/7/3/a.pcap'
const b = 'capture/7/4/b.pcap'
/** `isFinished`: no process writes it any more. */
function make(name: string, { content = name, isFinished = true, hours = 0 } = {}): void {
  makeFile(join(own, name), content, hours)
  chmodSync(join(own, name), isFinished ? 0o400 : 0o600)
}
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()

async function start({
  place = openNamedFolder(common),
  from = openNamedFolder(own),
  isWorker = false,
  captureGb = 10,
  processes = 2,
} = {}) {
  const deps = {
    captures: [from, place],
    config: { dataDir: own, captureDays: 30, captureGb, processes, proxyIdleMinutes: 10 },
    log: { write: (entry: LogEntry) => void log.push(entry) },
    onError: (error: unknown) => void faults.push(error),
  } as unknown as Deps
  const moves = await moveCaptures(deps, isWorker)
  open.push(moves)
  return moves
}
/** Lets the next round begin. */
const next = () => vi.advanceTimersByTime(5_000)

describe('captures of a node', () => {
  test('move when they are finished, and running ones stay', async () => {
    await start()
    make(a)
    make(b, { isFinished: false })
    make('capture/7/4/notes.txt')
    expect(filesIn(common)).toEqual([])
    next()
    await expect.poll(() => filesIn(own)).toEqual(['b.pcap', 'notes.txt'])
    expect(readFileSync(join(common, a), 'utf8')).toBe(a)
    expect(readdirSync(join(own, 'capture/7'))).toEqual(['4'])
    chmodSync(join(own, b), 0o400)
    next()
    await expect.poll(() => filesIn(own)).toEqual(['notes.txt'])
    expect([filesIn(common), log, faults]).toEqual([['a.pcap', 'b.pcap'], [], []])
  })

  test('of earlier runs, which may have been killed, move after the start; a worker process leaves them', async () => {
    for (const name of [a, b]) make(name, { isFinished: false })
    const worker = await start({ isWorker: true })
    next()
    await worker.close()
    expect([filesIn(own), filesIn(common)]).toEqual([['a.pcap', 'b.pcap'], []])
    await start()
    next()
    await expect.poll(() => filesIn(own)).toEqual([])
    expect(filesIn(common)).toEqual(['a.pcap', 'b.pcap'])
  })

  test.each([
    [1, ['a.pcap', 'b.pcap']],
    [2, ['b.pcap']],
  ])(
    'of a worker process that was killed move when their connection would have ended by now (processes: %i)',
    async (processes, left) => {
      await start({ processes })
      make(a, { isFinished: false, hours: 12 / 60 })
      make(b, { isFinished: false, hours: 10 / 60 })
      make('capture/7/4/finished.pcap')
      next()
      await expect.poll(() => filesIn(own)).toEqual(left)
      await open.at(-1)?.close()
      expect([filesIn(own), log, faults]).toEqual([left, [], []])
    },
  )

  test.each([false, true])('move before the node ends (worker process: %s)', async (isWorker) => {
    const moves = await start({ isWorker })
    make(a)
    await moves.close()
    expect([filesIn(own), filesIn(common), vi.getTimerCount()]).toEqual([[], ['a.pcap'], 0])
    make(b)
    next()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(filesIn(own)).toEqual(['b.pcap'])
  })

  test('do not delay the end of the node when the place does not answer', async () => {
    const place: NamedFiles = {
      ...openNamedFolder(common),
      put: (_name, _path, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    }
    const moves = await start({ place })
    make(a)
    next()
    const closed = moves.close()
    await vi.advanceTimersByTimeAsync(5_000)
    await closed
    expect([filesIn(own), filesIn(common)]).toEqual([['a.pcap'], []])
  })

  test('remain while moving fails, which is logged once, and move afterwards, which is logged too', async () => {
    const real = openNamedFolder(common)
    const put = vi.fn<NamedFiles['put']>(async () => {
      throw Object.assign(new Error('no'), { code: 'ECONNREFUSED' })
    })
    await start({ place: { ...real, put } })
    make(a)
    for (let round = 1; round <= 3; round++) {
      next()
      await expect.poll(() => put.mock.calls.length).toBe(round)
      await new Promise(setImmediate)
    }
    const refused = {
      level: 'Warning',
      status: 'Failed',
      name: 'System',
      message: `Cannot move captured traffic to ${common}: ECONNREFUSED. It remains in DATA_DIR of this node, which tries again every 5 s`,
    }
    await expect.poll(() => log).toEqual([refused])
    expect([filesIn(own), filesIn(common)]).toEqual([['a.pcap'], []])
    put.mockImplementation(real.put)
    next()
    await expect.poll(() => filesIn(own)).toEqual([])
    await expect
      .poll(() => log)
      .toEqual([refused, { status: 'Success', name: 'System', message: `Captured traffic is moved to ${common} again` }])
    expect([filesIn(common), faults]).toEqual([['a.pcap'], []])
  })

  test('that cannot be moved do not keep others, up to twenty of them; then the round ends', async () => {
    const real = openNamedFolder(common)
    const put = vi.fn<NamedFiles['put']>(async (name, ...given) => {
      if (name.includes('bad')) throw new Error('bad')
      return real.put(name, ...given)
    })
    await start({ place: { ...real, put } })
    for (let i = 10; i < 20; i++) make(`capture/1/1/bad-${i}.pcap`)
    make('capture/2/1/good.pcap')
    next()
    await expect.poll(() => filesIn(common)).toEqual(['good.pcap'])
    await expect.poll(() => log.map(({ status }) => status)).toEqual(['Failed'])
    for (let i = 20; i < 99; i++) make(`capture/1/1/bad-${i}.pcap`)
    put.mockClear()
    next()
    await new Promise((later) => setImmediate(later))
    await expect.poll(() => put.mock.calls.length).toBeGreaterThanOrEqual(20)
    await open.at(-1)?.close()
    // At most twice, with the last round at the end; eight files are moved at a time.
    expect(put.mock.calls.length).toBeLessThan(2 * 40)
    expect(filesIn(own).length).toBe(89)
  })

  test('that are deleted while they move are no failure', async () => {
    const put = vi.fn<NamedFiles['put']>(async () => {
      rmSync(join(own, a))
      throw Object.assign(new Error('gone'), { code: 'ENOENT' })
    })
    await start({ place: { ...openNamedFolder(common), put } })
    make(a)
    next()
    await expect.poll(() => put.mock.calls.length).toBe(1)
    await open.at(-1)?.close()
    expect([log, faults]).toEqual([[], []])
  })

  test('that are deleted while they are listed keep no others', async () => {
    const real = openNamedFolder(own)
    const list: NamedFiles['list'] = async function* (folder) {
      yield { name: 'capture/1/1/deleted.pcap', size: 1, changedAt: new Date() }
      yield* real.list(folder)
    }
    make(a, { isFinished: false })
    await start({ from: { ...real, list } })
    expect(faults).toMatchObject([{ code: 'ENOENT' }])
    next()
    await expect.poll(() => filesIn(common)).toEqual(['a.pcap'])
    await open.at(-1)?.close()
    expect([log, faults.length]).toEqual([[], 1])
  })

  test('that replace a part of an earlier attempt are whole', async () => {
    makeFile(join(common, a), 'part', 0)
    await start()
    make(a, { content: 'the whole file' })
    next()
    await expect.poll(() => filesIn(own)).toEqual([])
    expect(readFileSync(join(common, a), 'utf8')).toBe('the whole file')
  })

  test('are limited in the data folder while they cannot move', async () => {
    const put = async () => Promise.reject(new Error('unreachable'))
    await start({ place: { ...openNamedFolder(common), put }, captureGb: 5e-9 })
    make(a, { content: '12345', hours: 2 })
    make(b, { content: '12345', hours: 1 })
    vi.advanceTimersByTime(600_000)
    await expect.poll(() => filesIn(own)).toEqual(['b.pcap'])
  })
})

test('without a common place nothing is moved or marked', async () => {
  make(a, { isFinished: false })
  const deps = { captures: [openNamedFolder(own)], config: { dataDir: own } } as unknown as Deps
  const moves = await moveCaptures(deps, false)
  next()
  await moves.close()
  writeFileSync(join(own, a), 'still written')
  expect(readFileSync(join(own, a), 'utf8')).toBe('still written')
})
