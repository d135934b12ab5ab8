// @vitest-environment jsdom
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { button, click, settle } from '../../test/acts.ts'
import { json, openPage, toasts, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { previewBytes } from './capture.ts'
import TrafficScreen from './traffic.screen.tsx'

afterEach(() => void vi.unstubAllGlobals())

const game = { id: 3, title: 'Cup', start: '2020-01-01T00:00:00+00:00', end: '2126-01-01T00:00:00+00:00', status: 'Accepted' }
const challenge = (id: number, title: string) => ({
  id,
  title,
  category: 'Pwn',
  type: 'DynamicContainer',
  isEnabled: true,
  count: 1,
})
const team = { id: 5, teamId: 9, name: 'Red', organization: 'Harbour School', avatar: '/assets/red', count: 2 }
const files = [
  { fileName: 'early.pcap', size: 1024, updateTime: '2026-11-22T08:00:00+00:00' },
  { fileName: 'late.pcap', size: 1024, updateTime: '2026-11-22T09:00:00+00:00' },
]
const missing = () => json({ title: 'No captured traffic', status: 404, code: 'capture.not_found' }, 404)

async function open(address: string, answers: Record<string, () => Response | Promise<Response>> = {}, start = game.start) {
  const requests: string[] = []
  const known: Record<string, () => Response | Promise<Response>> = {
    'GET /api/game/games/3/captures': () => json([challenge(7, 'Echo'), { ...challenge(8, 'Maze'), isEnabled: false }]),
    'GET /api/game/captures/7': () => json([team, { ...team, id: 6, teamId: 12, name: null, organization: null, count: 1 }]),
    'GET /api/game/captures/7/5': () => json(files),
    ...answers,
  }
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const line = `${init?.method ?? 'GET'} ${input}`
    // Excludes the live channel, which reconnects at any time.
    if (input.startsWith('/api/')) requests.push(line)
    return known[line]?.() ?? missing()
  })
  const page = (
    <Routes>
      <Route path="/games/:id/monitor/traffic" element={<TrafficScreen />} />
    </Routes>
  )
  const place = await openPage(
    page,
    [
      [keys.config, { title: 'GZ' }],
      [keys.profile, { userName: 'Watcher', role: 'Monitor' }],
      [keys.game(3).detail, { ...game, start }],
    ],
    `/games/3/monitor/traffic${address}`,
  )
  await settle()
  return { place, requests }
}
const named = (name: string) => document.querySelector(`[aria-label="${name}"]`)
const column = (name: string) => named(name)?.textContent ?? ''

test('TF-2 without a captured challenge a message names what must be switched on', async () => {
  const { place } = await open('', { 'GET /api/game/games/3/captures': () => json([]) })
  expect(place.textContent).toContain('No recorded challenges')
  expect(place.textContent).toContain('VEXIL_CONTAINER_CAPTURE and reach containers through the platform proxy')
})

test('an address that names a challenge by anything but a number chooses none', async () => {
  for (const [id, isChosen] of [
    ['7x', false],
    ['x7', false],
    ['07', false],
    ['12345678901', false],
    ['1234567890', true],
  ] as const) {
    const { place, requests } = await open(`?challenge=${id}&team=5`)
    expect([id, requests.includes(`GET /api/game/captures/${id}`)]).toEqual([id, isChosen])
    expect([id, place.textContent?.includes('Select a challenge.')]).toEqual([id, !isChosen])
    place.remove()
  }
})

test('before the start of the game its captured traffic is shown, too', async () => {
  const { place } = await open('', {}, '2125-12-31T00:00:00+00:00')
  expect(column('Challenges')).toMatch(/^Challenges2Echo/)
  expect(place.textContent).not.toContain('The game has not started')
})

test('P2.33 TF-3 TF-4 challenge, team and files open one after the other, the newest file first, with their total size', async () => {
  const { requests } = await open('')
  expect(column('Teams')).toContain('Select a challenge.')
  expect(requests.filter((line) => line.includes('/captures'))).toEqual(['GET /api/game/games/3/captures'])
  await click(named('Challenges')?.querySelector('button'))
  expect(column('Teams')).toMatch(/^Teams2Red/)
  expect(column('Files')).toContain('Select a team.')
  await click(named('Teams')?.querySelector('button'))
  expect(column('Files')).toMatch(/2 · 2.0 KiB.*late.pcap1.0 KiB · .*early.pcap1.0 KiB · /)
  expect([...document.querySelectorAll<HTMLTimeElement>('[aria-label=Files] time')].map(({ dateTime }) => dateTime)).toEqual([
    '2026-11-22T09:00:00.000Z',
    '2026-11-22T08:00:00.000Z',
  ])
  expect(document.querySelector('[aria-label=Files] li a')?.getAttribute('title')).toBe('late.pcap')
  expect(named('Packet format')?.textContent).toBe('TCPUDP')
  const file = named('Download late.pcap')
  const links = () => [file, named('Download all (ZIP)')].map((link) => link?.getAttribute('href'))
  expect(file?.getAttribute('target')).toBe('_blank')
  expect(links()).toEqual(['/api/game/captures/7/5/late.pcap?format=tcp', '/api/game/captures/7/5/all?format=tcp'])
  await click(named('Packet format')?.querySelector('[value=udp]'))
  expect(links()).toEqual(['/api/game/captures/7/5/late.pcap?format=udp', '/api/game/captures/7/5/all?format=udp'])
  expect(requests.some((line) => line.includes('pcap'))).toBe(false)
})

test('TF-1 another challenge clears the team and its files; a challenge without captures is empty, not an error, any other refusal is one', async () => {
  await open('?challenge=7&team=5')
  expect(column('Files')).toContain('late.pcap')
  expect(column('Challenges')).toContain('EchoContainer, flag per team1 teamMazeContainer, flag per team · disabled1 team')
  expect(column('Teams')).toContain('RedHarbour School2 files#121 file')
  const pressed = () => [...document.querySelectorAll('[aria-pressed=true]')].map((one) => one.querySelector('.cut')?.textContent)
  expect(pressed()).toEqual(['Echo', 'Red'])
  // Each challenge has the sign of its category.
  expect(named('Challenges')?.querySelectorAll('li svg')).toHaveLength(2)
  expect(named('Teams')?.querySelector('img')?.getAttribute('src')).toBe('/assets/red')
  await click(named('Challenges')?.querySelectorAll('button')[1])
  expect(pressed()).toEqual(['Maze'])
  expect(column('Teams')).toContain('No team has connected to it yet.')
  expect(column('Files')).toContain('Select a team.')
  const refused = () => json({ title: 'Out of order', status: 500, code: 'server.unknown' }, 500)
  const { place } = await open('?challenge=7', { 'GET /api/game/captures/7': refused })
  expect(place.querySelector('[aria-label=Teams]')?.textContent).toContain('Out of order')
})

test('P2.33 TF-3 one file is deleted after a question, and the lists are requested again', async () => {
  let answer = (_: Response) => {}
  const { requests } = await open('?challenge=7&team=5', {
    'DELETE /api/game/captures/7/5/early.pcap': () => new Promise((done) => (answer = done)),
  })
  await click(named('Delete early.pcap'))
  expect(document.querySelector('[role=dialog]')?.textContent).toMatch(/^Delete this file\?This cannot be undone\./)
  expect(requests.filter((line) => line.startsWith('DELETE'))).toEqual([])
  await click(button('Delete'))
  const areDisabled = () => ['Delete late.pcap', 'Delete all'].map((name) => named(name)?.hasAttribute('disabled'))
  expect(areDisabled()).toEqual([true, true])
  await act(async () => answer(new Response(null)))
  await settle()
  expect(areDisabled()).toEqual([false, false])
  const after = requests.slice(requests.indexOf('DELETE /api/game/captures/7/5/early.pcap') + 1)
  expect(after.sort()).toEqual(['GET /api/game/captures/7', 'GET /api/game/captures/7/5', 'GET /api/game/games/3/captures'])
  expect(toasts().at(-1)?.title).toBe('File deleted')
  const { place } = await open('?challenge=7&team=5', { 'GET /api/game/captures/7/5': () => json(files.slice(0, 1)) })
  expect(place.querySelector('[aria-label=Files]')?.textContent).toContain('1 · 1.0 KiB')
  await click(place.querySelector('[aria-label="Delete all"]'))
  expect(document.body.textContent).toContain('Delete 1 file?')
})

test('TF-6 one button requests everything shown again', async () => {
  let answer = (): Response | Promise<Response> => json([team])
  const { requests } = await open('?challenge=7&team=5', { 'GET /api/game/captures/7': () => answer() })
  const before = requests.length
  const works = () => named('Refresh')?.hasAttribute('data-loading')
  expect(works()).toBe(false)
  const held = Promise.withResolvers<Response>()
  answer = () => held.promise
  await click(named('Refresh'))
  expect(works()).toBe(true)
  await act(async () => held.resolve(json([team])))
  await until(() => expect(works()).toBe(false))
  expect(requests.slice(before).sort()).toEqual([
    'GET /api/game/captures/7',
    'GET /api/game/captures/7/5',
    'GET /api/game/games/3/captures',
  ])
})

test('P2.33 TF-4 all files are deleted after a question; without files there is nothing to delete or download', async () => {
  const { requests } = await open('?challenge=7&team=5', { 'DELETE /api/game/captures/7/5/all': () => new Response(null) })
  await click(named('Delete all'))
  expect(document.querySelector('[role=dialog]')?.textContent).toMatch(/Delete all 2 files\?.*This cannot be undone\./)
  await click(button('Cancel'))
  expect(requests.filter((line) => line.startsWith('DELETE'))).toEqual([])
  await click(named('Delete all'))
  await click(button('Delete'))
  expect(requests).toContain('DELETE /api/game/captures/7/5/all')
  expect(toasts().at(-1)?.title).toBe('Files deleted')
})

test('TF-4 without files there is nothing to delete or download', async () => {
  await open('?challenge=7&team=6')
  expect(column('Files')).toContain('No files.')
  expect(column('Files')).not.toContain('0 ·')
  expect(named('Delete all')?.hasAttribute('disabled')).toBe(true)
  const all = named('Download all (ZIP)')
  expect([all?.hasAttribute('href'), all?.getAttribute('aria-disabled')]).toEqual([false, 'true'])
})

test('TF-5 a failed deletion shows the reason', async () => {
  let status = 500
  const refused = () => json({ title: 'Could not delete the captured traffic', status, code: 'server.unknown' }, status)
  const { requests } = await open('?challenge=7&team=5', { 'DELETE /api/game/captures/7/5/early.pcap': refused })
  await click(named('Delete early.pcap'))
  await click(button('Delete'))
  // Another monitor may have deleted it.
  expect(requests.slice(-3).sort()).toEqual([
    'GET /api/game/captures/7',
    'GET /api/game/captures/7/5',
    'GET /api/game/games/3/captures',
  ])
  expect(toasts()).toContainEqual({
    title: 'Could not delete',
    message: 'Could not delete the captured traffic',
    role: 'alert',
  })
  // FB-2: after too many requests all buttons wait.
  status = 429
  await click(named('Delete early.pcap'))
  await click(button('Delete'))
  const areDisabled = ['Delete early.pcap', 'Delete late.pcap', 'Delete all'].map((name) => named(name)?.hasAttribute('disabled'))
  expect(areDisabled).toEqual([true, true, true])
})

/** One packet with facts from 0.0.0.0:65535 to 192.0.2.1:4000, if `withFacts`, then `count` packets from the client to the container, and `more`. */
function capture(
  count = 1,
  withFacts = true,
  text = 'GET /flag',
  more: readonly ('out' | 'platform')[] = [],
): Uint8Array<ArrayBuffer> {
  const hex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  const header = hex('d4c3b2a1020004000000000000000000ffff000001000000')
  const record = (from: string, fromPort: string, to: string, toPort: string, text: string) => {
    const length = (62 + text.length).toString(16).padStart(2, '0')
    const head = `00000000 20a10700 ${length}000000 ${length}000000 001100110011001100110011 86dd 60000000 0000 11 40`
    const rest = `00000000000000000000ffff${from} 00000000000000000000ffff${to} ${fromPort}${toPort} 0000 0000`
    return [...hex(`${head}${rest}`.replace(/ /g, '')), ...new TextEncoder().encode(text)]
  }
  const facts = record('00000000', 'ffff', 'c0000201', '0fa0', '{"Challenge":"Echo","TeamId":9,"Other":1}')
  const sent = record('c0000201', '0fa0', '0a000001', '0050', text)
  const others = {
    out: record('0a000001', '0050', 'c0000201', '0fa0', '404'),
    platform: record('00000000', 'ffff', 'c0000201', '0fa0', 'closed'),
  }
  const packets = [...Array.from({ length: count }, () => sent), ...more.map((one) => others[one])]
  return Uint8Array.from([...header, ...(withFacts ? facts : []), ...packets.flat()])
}

test('the view of a capture shows its facts and its packets as text and hexadecimal', async () => {
  const file = 'GET /api/game/captures/7/5/late.pcap'
  let answer = (): Response | Promise<Response> => new Response(capture(1, true, 'GET /flag', ['out', 'platform']))
  const { requests } = await open('?challenge=7&team=5', { [file]: () => answer() })
  await click(named('Inspect late.pcap'))
  const dialog = document.querySelector('[role=dialog]')
  // Known names are translated, others are unchanged.
  expect([...(dialog?.querySelectorAll('dl > div') ?? [])].map(({ textContent }) => textContent)).toEqual([
    'ChallengeEcho',
    'Team ID9',
    'Other1',
  ])
  expect(dialog?.textContent).toContain('3 packets.')
  expect(dialog?.querySelector('header')?.textContent ?? dialog?.textContent).toContain('late.pcap')
  const lines = [...(dialog?.querySelectorAll('[aria-expanded]') ?? [])]
  const signs = lines.map((one) => one.querySelector('[role=img]'))
  expect(lines.map((one, i) => [one.textContent?.replace(/^.*\.500/, ''), signs[i]?.ariaLabel, signs[i]?.classList[1]])).toEqual([
    ['9GET /flag', 'To the container', 'tabler-icon-arrow-right'],
    ['3404', 'From the container', 'tabler-icon-arrow-left'],
    ['6closed', 'Platform note', 'tabler-icon-info-circle'],
  ])
  expect(dialog?.textContent).not.toContain('Shows at most')
  // One page has no pager.
  expect([...(dialog?.querySelectorAll('button') ?? [])].map(({ textContent }) => textContent)).not.toContain('1')
  expect(dialog?.querySelector('[aria-expanded]')?.textContent).toMatch(/^\d\d:\d\d:00\.5009GET \/flag$/)
  await click(dialog?.querySelector('[aria-expanded]'))
  const shown = document.getElementById(lines[0]?.getAttribute('aria-controls') ?? '')
  expect(shown?.querySelector('[aria-label="Text"]')?.textContent).toBe('GET /flag')
  // Both parts scroll, by the keyboard too.
  expect([...(shown?.querySelectorAll('section') ?? [])].map(({ tabIndex }) => tabIndex)).toEqual([0, 0])
  expect(dialog?.querySelector('[aria-label="Hex"]')?.textContent).toContain('47 45 54 20 2f 66 6c 61 67')
  expect(dialog?.textContent).toContain('To the container · 192.0.2.1:4000 → 10.0.0.1:80')
  expect(lines.map((one) => one.getAttribute('aria-expanded'))).toEqual(['true', 'false', 'false'])
  // Another tab in between does not read the file again.
  await act(async () => void window.dispatchEvent(new Event('visibilitychange')))
  await settle()
  expect(requests.filter((line) => line === file)).toHaveLength(1)
  await click(lines[0])
  expect([lines[0]?.getAttribute('aria-expanded'), dialog?.querySelector('[aria-label="Text"]')]).toEqual(['false', null])
  await click(dialog?.querySelector('[aria-label=Close]'))
  expect(document.querySelector('[role=dialog]')).toBeNull()
  // The file may still be written, so that it is read each time, and what was read before is not shown.
  answer = () => new Promise(() => {})
  await click(named('Inspect late.pcap'))
  expect(requests.filter((line) => line === file)).toHaveLength(2)
  expect(document.querySelector('[role=dialog]')?.textContent).not.toContain('3 packets.')
})

test('the view of a long capture is limited and shows so, with a hundred packets on a page', async () => {
  await open('?challenge=7&team=5', { 'GET /api/game/captures/7/5/late.pcap': () => new Response(capture(2001)) })
  await click(named('Inspect late.pcap'))
  const dialog = document.querySelector('[role=dialog]')
  expect(dialog?.textContent).toContain('2,000 packets.')
  expect(dialog?.textContent).toContain('Shows at most 2,000 packets of the first 5.0 MiB.')
  expect(dialog?.querySelectorAll('[aria-expanded]')).toHaveLength(100)
  // A line has the first 160 bytes, with one space where there are several or a line ends.
  const long = `GET /flag\r\n\tHost:  echo ${'x'.repeat(150)}`
  await open('?challenge=7&team=5', { 'GET /api/game/captures/7/5/late.pcap': () => new Response(capture(150, false, long)) })
  await click([...document.querySelectorAll('[aria-label="Inspect late.pcap"]')].at(-1))
  const short = [...document.querySelectorAll('[role=dialog]')].at(-1)
  expect(short?.querySelector('dl')).toBeNull()
  const opened = () => [...(short?.querySelectorAll('[aria-expanded=true]') ?? [])].length
  const first = short?.querySelector('[aria-expanded]')
  expect(first?.textContent).toMatch(/\.500174GET \/flag Host: echo x{136}$/)
  await click(first)
  expect([opened(), short?.querySelector('[aria-label="Text"]')?.textContent?.length]).toEqual([1, 173])
  await click([...(short?.querySelectorAll('button') ?? [])].find((one) => one.textContent === '2'))
  expect(short?.querySelectorAll('[aria-expanded]')).toHaveLength(50)
  expect(short?.querySelector('[aria-current=page]')?.textContent).toBe('2')
  // What was opened belongs to its packet.
  expect(opened()).toBe(0)
})

test('the view of a capture that is cut between two packets shows so', async () => {
  const start = capture()
  const file = new Uint8Array(previewBytes + 1)
  file.set(start)
  // One record up to the limit.
  new DataView(file.buffer).setUint32(start.length + 8, previewBytes - start.length - 16, true)
  await open('?challenge=7&team=5', { 'GET /api/game/captures/7/5/late.pcap': () => new Response(file) })
  await click(named('Inspect late.pcap'))
  expect(document.querySelector('[role=dialog]')?.textContent).toContain('1 packet. Shows at most')
})

test('the view of an invalid capture shows an error', async () => {
  await open('?challenge=7&team=5', { 'GET /api/game/captures/7/5/late.pcap': () => new Response('PK') })
  await click(named('Inspect late.pcap'))
  expect(document.querySelector('[role=dialog] [role=alert]')?.textContent).toContain('Cannot read this file here')
})
