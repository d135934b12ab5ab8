/** Tests that every storage of named files must pass. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import type { NamedFiles } from '../src/ports/storage/named-files.ts'
import { openFilesIn } from './open-files.ts'

export function namedFilesSuite(open: () => Promise<NamedFiles>): void {
  const here = mkdtempSync(join(tmpdir(), 'vexil-named-'))
  afterAll(() => rmSync(here, { recursive: true }))
  const { signal } = new AbortController()
  const aFile = (content: string | Buffer) => {
    const path = join(mkdtempSync(join(here, 'one-')), 'file')
    writeFileSync(path, content)
    return path
  }
  async function filled(...names: readonly string[]): Promise<NamedFiles> {
    const files = await open()
    for (const name of names) await files.put(name, aFile(name), signal)
    return files
  }
  const namesIn = async (files: NamedFiles, folder: string) => {
    const names: string[] = []
    for await (const { name } of files.list(folder)) names.push(name)
    return names.sort()
  }
  const read = async (files: NamedFiles, name: string) => {
    const found = await files.get(name)
    return found && [found.size, String(await buffer(found.stream))]
  }

  describe('named files', () => {
    test('a file is stored whole under its name, and replaces one of this name', async () => {
      const files = await filled('a/7/x.pcap', 'a/7/y.pcap')
      const bytes = Buffer.alloc(300_000, 7)
      await files.put('a/7/x.pcap', aFile(bytes), signal)
      const found = await files.get('a/7/x.pcap')
      expect([found?.size, found && (await buffer(found.stream)).equals(bytes)]).toEqual([bytes.length, true])
      expect(await read(files, 'a/7/y.pcap')).toEqual([10, 'a/7/y.pcap'])
      await files.put('a/7/empty.pcap', aFile(''), signal)
      expect(await read(files, 'a/7/empty.pcap')).toEqual([0, ''])
    })

    test('a file that is missing here, and a copy that is cancelled, leave nothing behind', async () => {
      const files = await open()
      await expect(files.put('a/7/x.pcap', join(here, 'missing'), signal)).rejects.toMatchObject({ code: 'ENOENT' })
      await expect(files.put('a/7/y.pcap', aFile('y'), AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
      expect(await namesIn(files, '')).toEqual([])
    })

    test('no file remains open after a copy, a failed copy, and a look at a folder', async () => {
      const files = await filled('a/7/x')
      const path = aFile('y')
      await files.put('a/7/y', path, signal)
      await files.put('a/7/z', path, AbortSignal.abort()).catch(() => undefined)
      await files.get('a/7')
      // No longer: the garbage collector closes files that were left open.
      await expect.poll(() => openFilesIn(here)).toEqual([])
    })

    test('lists have the files of one folder and of those below, with size and time', async () => {
      const files = await filled('a/7/3/x', 'a/7/3/y', 'a/7/4/x', 'a/70/x', 'a/8/x')
      expect(await namesIn(files, 'a/7/')).toEqual(['a/7/3/x', 'a/7/3/y', 'a/7/4/x'])
      expect(await namesIn(files, 'a/9/')).toEqual([])
      expect([(await files.folders('a/7/')).sort(), (await files.folders('a/')).sort()]).toEqual([
        ['3', '4'],
        ['7', '70', '8'],
      ])
      expect([await files.folders('a/9/'), await files.folders('a/7/3/')]).toEqual([[], []])
      for await (const { size, changedAt } of files.list('a/8/'))
        expect([size, Math.abs(changedAt.getTime() - Date.now()) < 60_000]).toEqual([5, true])
    })

    test('a file is deleted, and no other', async () => {
      const files = await filled('a/7/x', 'a/7/y', 'a/8/x')
      expect([await files.delete('a/7/x'), await files.delete('a/7/x'), await files.delete('a/9/x')]).toEqual([
        true,
        false,
        false,
      ])
      expect(await namesIn(files, 'a/')).toEqual(['a/7/y', 'a/8/x'])
      expect([await read(files, 'a/7/x'), await read(files, 'a/7')]).toEqual([null, null])
      expect(await read(files, 'a/7/y')).toEqual([5, 'a/7/y'])
    })

    test('a folder is deleted with all its files, and no other; a missing one is no error', async () => {
      const files = await filled('a/7/3/v', 'a/7/3/w', 'a/7/3/x', 'a/7/3/y', 'a/7/3/z', 'a/7/4/x', 'a/70/x')
      await files.deleteFolder('a/7/3/')
      await files.deleteFolder('a/9/')
      expect(await namesIn(files, 'a/')).toEqual(['a/7/4/x', 'a/70/x'])
      expect(await files.folders('a/7/')).toEqual(['4'])
      await files.deleteFolder('a/7/')
      expect(await files.folders('a/')).toEqual(['70'])
    })

    test('a file that is deleted while it is read is read to its end', async () => {
      const files = await open()
      await files.put('a/x', aFile(Buffer.alloc(500_000, 1)), signal)
      const found = await files.get('a/x')
      expect(await files.delete('a/x')).toBe(true)
      expect(found && (await buffer(found.stream)).length).toBe(500_000)
    })
  })
}

/** Makes a file of this age in a local folder. */
export function makeFile(path: string, content: string, hours: number): void {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, content)
  utimesSync(path, new Date(), new Date(Date.now() - hours * 3_600_000))
}
