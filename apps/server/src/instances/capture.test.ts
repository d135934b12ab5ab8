import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openFilesIn } from '../../test/open-files.ts'
import { readPcap } from '../../test/pcap.ts'
import { type CaptureOptions, openCapture } from './capture.ts'

const disk = vi.hoisted(() => ({ isFull: false }))
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const open = async (...asked: Parameters<typeof real.open>) => {
    const file = await real.open(...asked)
    const writev = file.writev.bind(file)
    file.writev = (async (records: Uint8Array[]) => writev(disk.isFull ? records.slice(0, 1) : records)) as typeof file.writev
    return file
  }
  return { ...real, open }
})

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vexil-capture-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const facts = { Challenge: 'Löwe', ChallengeId: 7, Team: '红队', TeamId: 3, ContainerId: 'abc', Flag: 'flag{x}' }
const client = { address: '192.0.2.1', port: 4000 }
const container = { address: '2001:db8::5', port: 80 }
function open(more: Partial<CaptureOptions> = {}) {
  const faults: unknown[] = []
  const folder = more.folder ?? join(root, '7', '3')
  const capture = openCapture({
    folder,
    containerId: '0a1b2c3d-4e5f-4000-8000-000000000000',
    facts,
    client,
    container,
    hasRoom: async () => true,
    failed: (error) => faults.push(error),
    ...more,
  })
  const files = () =>
    readdirSync(folder)
      .sort()
      .map((name) => ({ name, packets: readPcap(readFileSync(join(folder, name))) }))
  return { capture, faults, folder, files }
}

describe('a capture', () => {
  test('begins with its metadata, then holds every chunk in order, with direction and time', async () => {
    const { capture, folder, files, faults } = open()
    const startedAt = Date.now()
    capture.write('out', Buffer.from('name? '))
    capture.write('in', Buffer.from('you\n'))
    await capture.close()
    const [{ name, packets }] = files() as [ReturnType<typeof files>[number]]
    expect(name).toMatch(/^0a1b2c3d-[A-Z0-9]{13}\.pcap$/)
    expect(packets.map(({ from, to }) => [from, to])).toEqual([
      ['0.0.0.0 65535', '192.0.2.1 4000'],
      ['2001:db8:0:0:0:0:0:5 80', '192.0.2.1 4000'],
      ['192.0.2.1 4000', '2001:db8:0:0:0:0:0:5 80'],
    ])
    expect(packets[0]!.payload.toString()).toBe(
      '{\n  "Challenge": "Löwe",\n  "ChallengeId": 7,\n  "Team": "红队",\n  "TeamId": 3,\n  "ContainerId": "abc",\n  "Flag": "flag{x}"\n}',
    )
    expect(packets.slice(1).map(({ payload }) => payload.toString())).toEqual(['name? ', 'you\n'])
    for (const { at } of packets) expect(Math.abs(at - startedAt)).toBeLessThan(5000)
    expect([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777]).toEqual([0o700, 0o400])
    expect(faults).toEqual([])
  })

  test('of a connection without data still has a file', async () => {
    const { capture, files } = open()
    await capture.close()
    expect(files().map(({ packets }) => packets.length)).toEqual([1])
  })

  test('is a complete file at any moment, while the connection is open; it is read-only when the connection has ended', async () => {
    const { capture, files, folder } = open()
    capture.write('in', Buffer.from('early'))
    await expect.poll(() => files()[0]?.packets.map(({ payload }) => payload.toString())[1]).toBe('early')
    const mode = () => statSync(join(folder, files()[0]!.name)).mode & 0o777
    expect(mode()).toBe(0o600)
    await capture.close()
    expect(mode()).toBe(0o400)
  })

  test('splits chunks larger than a packet', async () => {
    const { capture, files } = open()
    const long = Buffer.alloc(150_000, 'x')
    capture.write('in', long)
    await capture.close()
    const parts = files()[0]!.packets.slice(1)
    expect(parts.map(({ payload }) => payload.length)).toEqual([65_000, 65_000, 20_000])
  })

  test('accounts for every byte the disk could not write in time, in each burst', async () => {
    const { capture, files } = open()
    const chunk = Buffer.alloc(60_000, 'y')
    const markers = () =>
      files()[0]
        ?.packets.filter(({ from }) => from === '0.0.0.0 65535')
        .slice(1) ?? []
    for (let flood = 1; flood <= 2; flood++) {
      for (let i = 0; i < 200; i++) capture.write('out', chunk)
      await expect.poll(() => markers().length).toBe(flood)
    }
    capture.write('out', Buffer.from('after'))
    await capture.close()
    const missing = markers().map(({ payload }) => JSON.parse(payload.toString()).Missing)
    const kept = files()[0]!.packets.filter(({ from }) => from === '2001:db8:0:0:0:0:0:5 80')
    expect(kept.pop()!.payload.toString()).toBe('after')
    const sum = (of: readonly number[]) => of.reduce((total, one) => total + one, 0)
    const bytes = sum(kept.map(({ payload }) => payload.length))
    // 8 MiB of each flood wait for the disk.
    expect(bytes).toBeGreaterThan(16_500_000)
    expect(bytes).toBeLessThan(16_800_000)
    expect(bytes + sum(missing.map((one) => one.out))).toBe(2 * 200 * 60_000)
    expect(kept.length + sum(missing.map((one) => one.packets))).toBe(2 * 200)
    for (const one of missing)
      expect(one).toEqual({ packets: expect.toSatisfy((packets) => packets > 0), in: 0, out: expect.any(Number) })
  })

  test('of many connections buffers 64 MiB in total, in each burst and after failures', async () => {
    const flood = async (more: Partial<CaptureOptions>) => {
      const many = Array.from({ length: 20 }, (_, i) => open({ folder: join(root, String(i)), ...more }))
      for (const { capture } of many) for (let i = 0; i < 80; i++) capture.write('out', Buffer.alloc(50_000, 'w'))
      await Promise.all(many.map(({ capture }) => capture.close()))
      return many
    }
    await flood({ hasRoom: async () => false })
    for (let round = 0; round < 2; round++) {
      const taken = (await flood({})).map(({ files }) => files().flatMap(({ packets }) => packets))
      const kept = taken.flat().filter(({ from }) => from === '2001:db8:0:0:0:0:0:5 80')
      const bytes = kept.reduce((sum, { payload }) => sum + payload.length, 0)
      expect(bytes).toBeGreaterThan(66_500_000)
      expect(bytes).toBeLessThan(64 * 1024 * 1024)
      rmSync(root, { recursive: true })
    }
  })

  test('begins a new file after 64 MB', async () => {
    const { capture, files } = open()
    const chunk = Buffer.alloc(60_000, 'z')
    // Data that a slow disk does not accept in time is dropped, so the bytes on the disk count, not the sent ones.
    const sizes = () =>
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.pcap'))
        .map((name) => statSync(join(root, name)).size)
    while (sizes().length < 2 && (sizes()[0] ?? 0) < 80e6) {
      for (let i = 0; i < 10; i++) capture.write('out', chunk)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    for (let i = 0; i < 3; i++) {
      capture.write('out', Buffer.from('z'))
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await capture.close()
    expect(openFilesIn(root)).toEqual([])
    expect(files()).toHaveLength(2)
    const [first, second] = files()
    expect(
      second!.name === first!.name.replace('.pcap', '-2.pcap') || first!.name === second!.name.replace('.pcap', '-2.pcap'),
    ).toBe(true)
    const most = 64 * 1024 * 1024
    const full = sizes().toSorted((a, b) => b - a)[0]!
    expect(full).toBeGreaterThanOrEqual(most)
    expect(full).toBeLessThan(most + 8 * 1024 * 1024 + 100_000)
    const later = files().find(({ name }) => name.endsWith('-2.pcap'))!
    expect(later.packets[0]!.payload.toString()).toContain('"Challenge"')
    // Its metadata has the time of its first chunk, so times never decrease from one file to the next.
    const earlier = files().find(({ name }) => !name.endsWith('-2.pcap'))!
    expect(later.packets[0]!.at).toBeGreaterThanOrEqual(earlier.packets.at(-1)!.at)
  })

  test('that cannot be written reports it once and does no harm', async () => {
    const full = open({ hasRoom: async () => false })
    for (let i = 0; i < 3; i++) full.capture.write('in', Buffer.from('x'))
    await full.capture.close()
    full.capture.write('in', Buffer.from('late'))
    expect(full.faults).toMatchObject([{ message: 'The disk is nearly full' }])
    const nowhere = open({ folder: '/dev/null/folder' })
    nowhere.capture.write('out', Buffer.from('x'))
    await nowhere.capture.close()
    expect(nowhere.faults).toHaveLength(1)
    // A disk that becomes full takes a part of what is written.
    const part = open({ folder: join(root, 'part') })
    await expect.poll(() => part.files()).toHaveLength(1)
    disk.isFull = true
    part.capture.write('out', Buffer.from('x'))
    await expect.poll(() => part.faults).toMatchObject([{ message: 'The disk is full' }])
    disk.isFull = false
    part.capture.write('out', Buffer.from('later'))
    await part.capture.close()
    const [name] = readdirSync(part.folder)
    expect(readFileSync(join(part.folder, name!)).includes('later')).toBe(false)
  })
})
