/** The folders of captured traffic, without a platform. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeFile } from '../../test/named-files.suite.ts'
import type { NamedFiles } from '../ports/storage/named-files.ts'
import { openNamedFolder } from '../ports/storage/named-folder.ts'
import {
  captureFolder,
  countFiles,
  countParticipations,
  deleteAll,
  deleteFile,
  deleteOfChallenge,
  listCaptured,
  listFiles,
  openFile,
  sweepCaptures,
  zipEntries,
} from './captures.ts'

let dataDir: string
let place: NamedFiles
let places: NamedFiles[]
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'vexil-captures-'))
  place = openNamedFolder(dataDir)
  places = [place]
})
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true })
})

/** `path` below the folder of captures; `hours` since its last change. */
function make(path: string, content: string | number = 'x', hours = 1): void {
  const file = join(dataDir, 'capture', path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, typeof content === 'number' ? Buffer.alloc(content) : content)
  utimesSync(file, new Date(), new Date(Date.now() - hours * 3_600_000))
}
const left = () => readdirSync(join(dataDir, 'capture'), { recursive: true }).map(String).sort()
const namesOf = async (challenge: number, participation: number) =>
  (await listFiles(places, challenge, participation)).map(({ name }) => name)

describe('a listing', () => {
  test('has the participations of one challenge, by numeric names only', async () => {
    for (const path of ['7/3/a.pcap', '7/12/a.pcap', '8/4/a.pcap', '7/x/a', '7/0/a', '7/3x/a', '7/x3/a', '7/12345678901/a'])
      make(path)
    make('7/12/b.pcap')
    make('7/4/notes.txt')
    expect([...(await countFiles(places, 7))].sort(([a], [b]) => a - b)).toEqual([
      [3, 1],
      [12, 2],
    ])
    expect([await countParticipations(places, 7), await countParticipations(places, 9)]).toEqual([3, 0])
    expect((await countFiles(places, 9)).size).toBe(0)
  })

  test('has the files of one participation, oldest first, then by name; other files are skipped', async () => {
    make('7/3/c.pcap', 'one', 3)
    make('7/3/b.pcap', 'three', 2)
    make('7/3/notes.txt')
    make('7/4/d.pcap')
    make('8/3/e.pcap')
    mkdirSync(join(dataDir, 'capture/7/3/folder.pcap'))
    for (const name of ['z', 'a', 'm']) {
      make(`7/3/${name}.pcap`)
      utimesSync(join(dataDir, `capture/7/3/${name}.pcap`), 1000, 1000)
    }
    expect(await namesOf(7, 3)).toEqual(['a.pcap', 'm.pcap', 'z.pcap', 'c.pcap', 'b.pcap'])
    const [, , , file] = await listFiles(places, 7, 3)
    expect([file!.size, Math.abs(Date.now() - 3 * 3_600_000 - file!.changedAt.getTime()) < 60_000]).toEqual([3, true])
  })

  test('is empty when the folder is missing or is a file; other errors are thrown', async () => {
    expect(await namesOf(7, 3)).toEqual([])
    make('7')
    expect(await namesOf(7, 3)).toEqual([])
    expect(await countParticipations(places, 7)).toBe(0)
    await expect(listFiles([openNamedFolder('\0')], 7, 3)).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' })
  })
})

const team = { challengeId: 7, participationId: 3, format: 'udp' } as const

describe('a file', () => {
  test('is opened with its current length', async () => {
    make('7/3/a.pcap', 'hello')
    const { size, stream } = await openFile(places, { ...team, name: 'a.pcap' })
    truncateSync(join(dataDir, 'capture/7/3/a.pcap'), 100)
    expect([size, String(await buffer(stream))]).toEqual([5, 'hello'])
    make('7/3/empty.pcap', '')
    const empty = await openFile(places, { ...team, name: 'empty.pcap' })
    expect([empty.size, (await buffer(empty.stream)).length]).toEqual([0, 0])
  })

  test.each(['b.txt', '../4/a.pcap', '../../secret.pcap', 'none.pcap', ''])(
    'that is outside the folder is not found: %s',
    async (name) => {
      for (const path of ['7/3/a.pcap', '7/3/b.txt', '7/4/a.pcap', 'secret.pcap']) make(path)
      const before = left()
      for (const refused of [() => openFile(places, { ...team, name }), () => deleteFile(places, 7, 3, name)])
        await expect(refused()).rejects.toMatchObject({ code: 'capture.file_not_found' })
      expect(left()).toEqual(before)
    },
  )

  test('is deleted with the folders it leaves empty, and no others', async () => {
    for (const path of ['7/3/a.pcap', '7/3/b.pcap', '7/4/a.pcap', '8/3/a.pcap']) make(path)
    await deleteFile(places, 7, 3, 'a.pcap')
    expect(left()).toEqual(['7', '7/3', '7/3/b.pcap', '7/4', '7/4/a.pcap', '8', '8/3', '8/3/a.pcap'])
    await deleteFile(places, 7, 3, 'b.pcap')
    expect(left()).toEqual(['7', '7/4', '7/4/a.pcap', '8', '8/3', '8/3/a.pcap'])
    await deleteFile(places, 7, 4, 'a.pcap')
    expect(left()).toEqual(['8', '8/3', '8/3/a.pcap'])
  })
})

describe('all files of a participation', () => {
  test('are archived below one folder, with their times', async () => {
    make('7/3/a.pcap', 'first', 2)
    make('7/3/b.pcap', 'second', 1)
    make('7/4/c.pcap')
    const entries = []
    const packed = await zipEntries(places, { ...team, inner: 'inner' })
    make('7/3/0.pcap', 'third', 9)
    for await (const { name, time, stream } of packed) {
      // The file grows before it is read.
      truncateSync(join(dataDir, 'capture', name.replace('inner', '7/3')), 100)
      entries.push([name, Math.round((Date.now() - time!.getTime()) / 3_600_000), String(await buffer(stream as never))])
    }
    expect(entries).toEqual([
      ['inner/a.pcap', 2, 'first'],
      ['inner/b.pcap', 1, 'second'],
    ])
    await expect(zipEntries(places, { ...team, participationId: 5, inner: 'inner' })).rejects.toMatchObject({
      code: 'capture.not_found',
    })
  })

  test('are deleted with the folder, without an error if there are none', async () => {
    for (const path of ['7/3/a.pcap', '7/3/notes.txt', '7/4/a.pcap']) make(path)
    await deleteAll(places, 7, 3)
    expect(left()).toEqual(['7', '7/4', '7/4/a.pcap'])
    await expect(deleteAll(places, 7, 3)).rejects.toMatchObject({ code: 'capture.not_found' })
    await deleteAll(places, 7, 4)
    expect(left()).toEqual([])
    expect(captureFolder(dataDir, 7, 4)).toBe(join(dataDir, 'capture', '7', '4'))
  })
})

test('the captured traffic of a challenge is deleted whole, and no other', async () => {
  for (const path of ['7/3/a.pcap', '7/4/notes.txt', '8/3/a.pcap', 'x/3/a.pcap']) make(path)
  expect((await listCaptured(place)).sort()).toEqual([7, 8])
  await deleteOfChallenge(place, 7)
  await deleteOfChallenge(place, 9)
  expect(left()).toEqual(['8', '8/3', '8/3/a.pcap', 'x', 'x/3', 'x/3/a.pcap'])
})

describe('the sweep', () => {
  const sweep = (days: number, bytes: number, signal = new AbortController().signal) =>
    sweepCaptures(place, { captureDays: days, captureGb: bytes / 1e9 }, signal)
  const files = () => left().filter((name) => name.endsWith('.pcap'))

  test('deletes by age, then the oldest until the rest fits', async () => {
    make('1/1/old.pcap', 10, 49)
    make('1/1/young.pcap', 10, 47)
    make('2/1/c.pcap', 400, 1)
    make('1/2/b.pcap', 400, 20)
    make('1/3/a.pcap', 400, 30)
    await sweep(2, 10_000)
    expect(files()).toEqual(['1/1/young.pcap', '1/2/b.pcap', '1/3/a.pcap', '2/1/c.pcap'])
    await sweep(2, 1210)
    expect(files()).toEqual(['1/1/young.pcap', '1/2/b.pcap', '1/3/a.pcap', '2/1/c.pcap'])
    await sweep(2, 1200)
    expect(files()).toEqual(['1/2/b.pcap', '1/3/a.pcap', '2/1/c.pcap'])
    await sweep(2, 800)
    expect(files()).toEqual(['1/2/b.pcap', '2/1/c.pcap'])
    await sweep(2, 400)
    expect(left()).toEqual(['2', '2/1', '2/1/c.pcap'])
  })

  test('stops with the node, and does nothing for an empty folder', async () => {
    await sweep(2, 0)
    make('1/1/a.pcap', 10, 100)
    await sweep(2, 0, AbortSignal.abort())
    expect(files()).toEqual(['1/1/a.pcap'])
  })

  test('continues after a file that is deleted concurrently', async () => {
    for (let i = 0; i < 20; i++) make(`1/1/${i}.pcap`, 10, 100 - i)
    await Promise.all([sweep(1, 0), sweep(1, 0), sweep(1, 0)])
    expect(left()).toEqual([])
  })
})

describe('two places', () => {
  let common: string
  beforeEach(() => {
    common = mkdtempSync(join(dataDir, 'common-'))
    places = [place, openNamedFolder(common)]
  })
  const makeCommon = (path: string, content: string, hours = 1) => makeFile(join(common, 'capture', path), content, hours)
  const read = async (name: string) => String(await buffer((await openFile(places, { ...team, name })).stream))

  test('are listed as one, and a file that is in both once', async () => {
    make('7/3/a.pcap', 'own', 2)
    makeCommon('7/3/a.pcap', 'moved')
    makeCommon('7/3/b.pcap', 'x', 3)
    makeCommon('7/4/c.pcap', 'x')
    make('7/5/d.pcap')
    make('7/3/z.pcap')
    utimesSync(join(common, 'capture/7/3/b.pcap'), 1000, 1000)
    utimesSync(join(dataDir, 'capture/7/3/z.pcap'), 1000, 1000)
    expect((await listFiles(places, 7, 3)).map(({ name, size }) => [name, size])).toEqual([
      ['b.pcap', 1],
      ['z.pcap', 1],
      ['a.pcap', 3],
    ])
    expect(await countParticipations(places, 7)).toBe(3)
    expect([...(await countFiles(places, 7))].sort(([a], [b]) => a - b)).toEqual([
      [3, 3],
      [4, 1],
      [5, 1],
    ])
  })

  test('are read in their order', async () => {
    make('7/3/a.pcap', 'own')
    makeCommon('7/3/a.pcap', 'moved')
    makeCommon('7/3/b.pcap', 'common')
    expect([await read('a.pcap'), await read('b.pcap')]).toEqual(['own', 'common'])
  })

  test('lose a file, or all files of a participation, together', async () => {
    for (const path of ['7/3/a.pcap', '7/3/b.pcap', '7/4/a.pcap']) {
      make(path)
      makeCommon(path, 'x')
    }
    makeCommon('7/3/c.pcap', 'x')
    await deleteFile(places, 7, 3, 'a.pcap')
    await deleteFile(places, 7, 3, 'c.pcap')
    await expect(deleteFile(places, 7, 3, 'c.pcap')).rejects.toMatchObject({ code: 'capture.file_not_found' })
    expect(await namesOf(7, 3)).toEqual(['b.pcap'])
    await deleteAll(places, 7, 3)
    expect([await namesOf(7, 3), await namesOf(7, 4)]).toEqual([[], ['a.pcap']])
    await expect(deleteAll(places, 7, 3)).rejects.toMatchObject({ code: 'capture.not_found' })
  })

  test('give an archive of all files that are still there when it comes to them', async () => {
    make('7/3/a.pcap', 'own', 3)
    makeCommon('7/3/b.pcap', 'x', 2)
    makeCommon('7/3/c.pcap', 'common', 1)
    const entries = await zipEntries(places, { ...team, inner: 'inner' })
    await deleteFile(places, 7, 3, 'b.pcap')
    const texts = []
    for await (const { name, stream } of entries) texts.push([name, String(await buffer(stream))])
    expect(texts).toEqual([
      ['inner/a.pcap', 'own'],
      ['inner/c.pcap', 'common'],
    ])
  })
})

test('a file that is converted and not read is closed', async () => {
  const bytes = new PassThrough()
  places = [{ ...place, get: async () => ({ size: 5, stream: bytes }) }]
  const { stream, size } = await openFile(places, { ...team, name: 'a.pcap', format: 'tcp' })
  expect([size, bytes.destroyed]).toEqual([null, false])
  stream.destroy()
  await expect.poll(() => bytes.destroyed).toBe(true)
})
