// @vitest-environment jsdom
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { challengeLimits } from '@vexil/core/limits'
import { act, type ReactNode } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { write as fill, field as labelled, settle } from '../../test/acts.ts'
import { json, openPage, toasts, type, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { hasUnsaved } from '../shell/unsaved.tsx'
import { readMoment } from '../ui/fields/read-moment.ts'
import { t } from '../ui/text/texts.tsx'
import ChallengeScreen from './challenges/challenge.screen.tsx'
import ListScreen from './challenges/challenge-list.screen.tsx'
import InfoScreen from './information/info.screen.tsx'
import ReviewScreen from './review/review.screen.tsx'

vi.mock('../api/live.ts', async (original) => ({ ...(await original<object>()), useLive: () => 'live' }))
afterEach(() => void vi.unstubAllGlobals())

let game: Record<string, unknown>
let teams: Record<string, unknown>[]
let sent: { line: string; body: Record<string, unknown> }[]
let refuse: Response | undefined
/** Writing calls are answered after it. */
let held: Promise<void> | undefined
let listed: ReturnType<typeof listRow>[]
let listReads = 0
beforeEach(() => {
  listed = [listRow(1, 'Buoy', { isEnabled: true }), listRow(2, 'Bell')]
  sent = []
  refuse = undefined
  held = undefined
  teams = []
  game = {
    id: 7,
    title: 'Regatta',
    hidden: true,
    summary: '',
    content: '',
    start: '2126-01-01T00:00:00+00:00',
    end: '2126-01-01T02:00:00+00:00',
    writeupDeadline: '2126-01-01T02:00:00+00:00',
    organizations: [],
    teamMemberCountLimit: 0,
    containerCountLimit: 3,
    inviteCode: null,
    writeupNote: '',
    bloodBonus: 52459530,
    publicKey: 'key',
  }
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const line = `${init?.method ?? 'GET'} ${input}`
    if (init?.method && init.method !== 'GET') {
      const body = init.body ? JSON.parse(String(init.body)) : {}
      sent.push({ line, body })
      await held
      if (refuse) return refuse
      if (line === 'PUT /api/edit/games/7') game = { ...game, ...body }
    }
    if (input === '/api/edit/games/7') return json(game)
    if (input.endsWith('/participations')) return json(teams)
    if (input.endsWith('/challenges')) return json(listed)
    return json([])
  })
})

async function open(screen: ReactNode, tab: string) {
  const place = await openPage(
    <Routes>
      <Route path="/admin/games/:id/*" element={screen} />
    </Routes>,
    [
      [keys.config, { title: 'GZ' }],
      [keys.profile, { userName: 'Admin', role: 'Admin' }],
    ],
    `/admin/games/7/${tab}`,
  )
  await until(() => expect(place.querySelector('h1')).not.toBeNull())
  await settle()
  return place
}
const button = (text: string, within: ParentNode = document) =>
  [...within.querySelectorAll<HTMLElement>('button, [role=menuitem]')].filter((one) => one.textContent === text).at(-1)
const click = async (element: HTMLElement | null | undefined) => {
  expect(element).toBeTruthy()
  await act(async () => element?.click())
  await settle()
}
const dialog = () => document.querySelector('[role=dialog]') ?? document

test('NEW-1 showing a hidden game asks once and describes who will see what; no other field changes', async () => {
  const place = await open(<InfoScreen />, 'Info')
  await click(button('Show game'))
  const question = dialog().textContent
  expect(question).toContain('Show Regatta?')
  expect(question).toContain('It appears in the list')
  expect(question).toContain('1 challenge is enabled.')
  await click(button('Cancel'))
  expect(sent).toEqual([])
  await click(button('Show game'))
  await click(button('Show', dialog()))
  expect(sent.map(({ line }) => line)).toEqual(['PUT /api/edit/games/7'])
  await until(() => expect(toasts()).toEqual([expect.objectContaining({ title: 'Regatta is visible', role: 'status' })]))
  expect(sent[0]?.body).toMatchObject({ hidden: false, title: 'Regatta', containerCountLimit: 3, bloodBonus: 52459530 })
  expect(button('Show game', place)).toBeUndefined()
})

test('NEW-1 showing a game without enabled challenges offers to enable those that are ready, before players see it', async () => {
  const many = [3, 4, 5, 6, 7].map((id) => listRow(id, `Bell ${id}`))
  listed = [listRow(1, 'Buoy'), listRow(2, 'Flagless', { flagCount: 0 }), ...many]
  await open(<InfoScreen />, 'Info')
  const box = () => document.querySelector<HTMLInputElement>('[role=dialog] input[type=checkbox]')
  await click(button('Show game'))
  expect(dialog().textContent).toContain('Also enable 6 challenges that are ready')
  expect(dialog().textContent).toContain('Buoy, Bell 3, Bell 4, Bell 5, Bell 6, +1')
  expect(dialog().textContent).not.toContain('Flagless')
  expect(box()?.checked).toBe(true)
  await click(box())
  await click(button('Cancel', dialog()))
  expect(sent).toEqual([])
  await click(button('Show game'))
  expect(box()?.checked).toBe(true)
  refuse = json({ title: 'The challenge has no flag', status: 400 }, 400)
  // The list is read again, since some may have been enabled before the refusal.
  listed = [listRow(1, 'Buoy', { isEnabled: true }), ...many]
  await click(button('Show', dialog()))
  expect(sent.splice(0)).toEqual([{ line: 'PUT /api/edit/games/7/challenges/1', body: { isEnabled: true } }])
  expect(toasts().at(-1)).toMatchObject({ title: 'Could not save', message: 'The challenge has no flag' })
  refuse = undefined
  await click(button('Show game'))
  expect(dialog().textContent).toContain('Also enable 5 challenges that are ready')
  // A disabled challenge next to an enabled one may be meant for later.
  expect(box()?.checked).toBe(false)
  await click(box())
  await click(button('Show', dialog()))
  expect(sent.map(({ line }) => line)).toEqual([
    ...many.map(({ id }) => `PUT /api/edit/games/7/challenges/${id}`),
    'PUT /api/edit/games/7',
  ])
  expect(sent.at(-1)?.body).toMatchObject({ hidden: false })
})

test('NEW-1 a hidden game has the button alone, a shown one the switch; after a refusal it stays hidden and the reason is shown', async () => {
  game = { ...game, hidden: false }
  teams = [team(1, 'Ebb', 'Accepted'), team(2, 'Flow', 'Pending')]
  await open(<InfoScreen />, 'Info')
  expect(button('Show game')).toBeUndefined()
  await click(document.querySelector<HTMLElement>('#hidden'))
  expect(document.body.textContent).toContain('The game is removed from all lists. 2 teams can still open it.')
  await click(button('Save 1 change'))
  expect(sent.splice(0).map(({ body }) => body)).toMatchObject([{ hidden: true }])
  expect(document.querySelector('#hidden')).toBeNull()
  refuse = json({ title: 'Disk is full', status: 500 }, 500)
  await click(button('Show game'))
  await click(button('Show', dialog()))
  expect(toasts()).toContainEqual({ title: 'Could not save', message: 'Disk is full', role: 'alert' })
  expect(button('Show game')).toBeTruthy()
})

test('GI-1 while the information is being saved no field of it can be changed', async () => {
  const place = await open(<InfoScreen />, 'Info')
  const fields = () => [...place.querySelectorAll<HTMLInputElement>('input:not([type=hidden], [type=file]), textarea')]
  const free = () => fields().flatMap((one) => (one.disabled ? [] : [one.labels?.[0]?.textContent ?? one.outerHTML]))
  await type(labelled('Title'), 'Spring regatta')
  const before = free()
  expect(before).toHaveLength(fields().length)
  const { promise, resolve } = Promise.withResolvers<void>()
  held = promise
  expect(hasUnsaved()).toBe(true)
  await click(button('Save 1 change'))
  expect(free()).toEqual([])
  // What is being sent is not lost when the page closes.
  expect(hasUnsaved()).toBe(false)
  await act(async () => resolve())
  await until(() => expect(free()).toEqual(before))
})

test('DATE-1 GI-1 a typed start is saved as its instant; an invalid start or end prevents saving and loses nothing', async () => {
  await open(<InfoScreen />, 'Info')
  const start = [...document.querySelectorAll('label')].find((one) => one.textContent === 'Start')
  const field = document.getElementById(start?.htmlFor ?? '') as HTMLInputElement
  await type(field, 'soon')
  await act(async () => field.dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
  expect(document.body.textContent).toContain('Invalid date and time')
  expect((button('Save 1 change') as HTMLButtonElement | undefined)?.disabled).toBe(true)
  await type(field, '2125-12-31T09:00:00Z')
  await act(async () => field.dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
  for (const [end, stays] of [
    ['', true],
    ['2126-01-01T02:00:00Z', false],
  ] as const) {
    await type(labelled('End'), end)
    await act(async () => labelled('End').dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
    expect(document.body.textContent?.includes('Invalid date and time')).toBe(stays)
  }
  await click(button('Save 1 change'))
  expect(sent[0]?.body).toMatchObject({ start: '2125-12-31T09:00:00.000Z', hidden: true })
})

test('P2.19 P3.14 P9.6 P9.11 every field of a game is saved and read back', async () => {
  game = { ...game, hidden: false, practiceMode: true, acceptWithoutReview: false, writeupRequired: false }
  const texts = {
    Title: 'Regatta II',
    Summary: 'Three buoys',
    'Team size': '4',
    'Instances per team': '2',
    'Invite code empty: open to all': 'ahoy',
    'Deadline after the end': '1.5',
    Instructions: 'One **PDF**.',
    Details: 'Rules: **sail**.',
  }
  const times = { Start: '2126-01-02T09:00:00Z', End: '2126-01-02T19:00:00Z' }
  const switches = ['hidden', 'practice', 'accept', 'writeup']
  const checked = () => switches.map((id) => [...document.querySelectorAll<HTMLInputElement>(`#${id}`)].at(-1)?.checked)
  await open(<InfoScreen />, 'Info')
  expect(document.body.textContent?.match(/0 means no limit\./g)).toHaveLength(2)
  expect(checked()).toEqual([false, true, false, false])
  for (const [label, text] of Object.entries(texts)) await fill(labelled(label), text)
  for (const [label, text] of Object.entries(times)) {
    await fill(labelled(label), text)
    await act(async () => labelled(label).dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
  }
  for (const id of switches) await click(document.querySelector<HTMLElement>(`#${id}`))
  await act(async () => labelled('Divisions').focus())
  await fill(labelled('Divisions'), 'Sail')
  await act(async () => labelled('Divisions').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })))
  await click(button('Save 15 changes'))
  expect(sent).toEqual([
    {
      line: 'PUT /api/edit/games/7',
      body: {
        title: 'Regatta II',
        summary: 'Three buoys',
        teamMemberCountLimit: 4,
        containerCountLimit: 2,
        inviteCode: 'ahoy',
        start: '2126-01-02T09:00:00.000Z',
        end: '2126-01-02T19:00:00.000Z',
        writeupDeadline: '2126-01-02T20:30:00.000Z',
        writeupNote: 'One **PDF**.',
        content: 'Rules: **sail**.',
        organizations: ['Sail'],
        hidden: true,
        practiceMode: false,
        acceptWithoutReview: true,
        writeupRequired: true,
        bloodBonus: 52459530,
      },
    },
  ])
  await open(<InfoScreen />, 'Info')
  for (const [label, text] of Object.entries(texts)) expect(labelled(label).value, label).toBe(text)
  for (const [label, text] of Object.entries(times))
    expect(readMoment(labelled(label).value, Date.parse(text)), label).toBe(Date.parse(text))
  // The game is hidden, so a button replaces the switch.
  expect([checked(), button('Show game') !== undefined]).toEqual([[undefined, false, true, true], true])
  expect([...document.querySelectorAll('.mantine-Pill-label')].at(-1)?.textContent).toBe('Sail')
})

const team = (id: number, name: string, status: string) => ({
  id,
  status,
  organization: null,
  registeredMembers: ['u'],
  team: { id, name, bio: null, avatar: null, locked: false, captainId: 'u', members: [] },
})

test('REV-8 RV-1 waiting teams are on top with one button that accepts; harmful actions are in the menu of the row', async () => {
  teams = [team(1, 'Ebb', 'Accepted'), team(2, 'Flow', 'Pending')]
  const place = await open(<ReviewScreen />, 'Review')
  const rows = () => [...place.querySelectorAll('li')].filter((one) => /Ebb|Flow/.test(one.textContent ?? ''))
  expect(rows().map((row) => /Ebb|Flow/.exec(row.textContent ?? '')?.[0])).toEqual(['Flow', 'Ebb'])
  const words = (row: Element | undefined) => [...(row?.querySelectorAll('button') ?? [])].map((one) => one.textContent)
  expect(words(rows()[0])).toContain('Accept')
  expect(words(rows()[0])).not.toContain('Reject')
  expect(words(rows()[1])).not.toContain('Suspend')
  await click(rows()[1]?.querySelector<HTMLElement>('[aria-haspopup=menu]'))
  await click(button('Suspend'))
  expect(sent).toEqual([])
  await click(button('Suspend', dialog()))
  expect(sent.map(({ line }) => line)).toEqual(['PUT /api/admin/participation/1/Suspended'])
})

const challenge = {
  id: 3,
  title: 'Buoy',
  content: '',
  category: 'Misc',
  type: 'StaticAttachment',
  hints: [],
  additionalContainers: [] as object[],
  namedPorts: [] as object[],
  isEnabled: false,
  acceptedCount: 0,
  fileName: null,
  attachment: null,
  originalScore: 1000,
  minScoreRate: 0.25,
  difficulty: 5,
  bloodBonus: null,
  flags: [] as object[],
}

/** A server that stores one challenge; it answers all other calls as before. */
function keepChallenge(patch: object = {}) {
  let stored = { ...challenge, ...patch }
  const before = fetch
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const line = `${init?.method ?? 'GET'} ${input.replace('/api/edit/games/7/challenges', '')}`
    const body = init?.body ? JSON.parse(String(init.body)) : {}
    if (init?.method && init.method !== 'GET') sent.push({ line, body })
    if (line === 'POST /3/flags') {
      stored = {
        ...stored,
        flags: [...stored.flags, ...body.map((row: object, at: number) => ({ id: at + 1, attachment: null, ...row }))],
      }
      return new Response(null)
    }
    if (line === 'PUT /3') {
      if (body.isEnabled && stored.flags.length === 0)
        return json({ title: 'A challenge without a flag', status: 400, code: 'challenge.no_flag' }, 400)
      stored = { ...stored, ...body }
      return json(stored)
    }
    if (line === 'POST ') return json({ ...challenge, ...body, id: 9 })
    return line === 'GET /3' || line === 'GET /9' ? json(stored) : before(input)
  })
  return () => stored
}
const openChallenge = () =>
  openPage(
    <Routes>
      <Route path="/admin/games/:id/challenges/:chalId" element={<ChallengeScreen />} />
    </Routes>,
    [
      [keys.config, { title: 'GZ' }],
      [keys.profile, { userName: 'Admin', role: 'Admin' }],
    ],
    '/admin/games/7/challenges/3',
  )
const area = (label: string) => {
  const id = [...document.querySelectorAll('label')].find((one) => one.textContent === label)?.htmlFor
  return document.getElementById(id ?? '') as HTMLTextAreaElement
}
const write = (field: HTMLTextAreaElement, text: string) =>
  act(async () => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(field, text)
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })

test('NEW-2 one button and one question save text and flags of a simple challenge and enable it, in this order', async () => {
  const stored = keepChallenge()
  await openChallenge()
  await until(() => expect(area('One flag per line')).not.toBeNull())
  await write(area('Description'), 'Find it')
  await write(area('One flag per line'), 'flag{a}\nflag{a}\nflag{b}')
  await click(button('Save and enable'))
  expect(sent).toEqual([])
  await click(button('Enable', dialog()))
  await until(() => expect(stored().isEnabled).toBe(true))
  expect(sent.map(({ line }) => line)).toEqual(['PUT /3', 'POST /3/flags', 'PUT /3'])
  expect(stored()).toMatchObject({ content: 'Find it', flags: [{ flag: 'flag{a}' }, { flag: 'flag{b}' }] })
  // What the server did not accept stays in the field to be corrected.
  expect(area('One flag per line').value).toBe('flag{a}')
  await settle()
  expect(button('Save and enable')).toBeUndefined()
})

test('P2.24 every field of a container, and the common file name, are saved and read back', async () => {
  const container = {
    type: 'DynamicContainer',
    containerImage: 'echo:1',
    containerExposePort: 80,
    cpuCount: 1,
    memoryLimit: 64,
    storageLimit: 256,
    containerNetwork: 'Open',
    readyTimeout: 120,
    readyText: '',
    profile: 'default',
    runtime: '',
    checkImage: '',
    checkMinutes: 0,
    additionalContainers: [],
    namedPorts: [],
    enableTrafficCapture: false,
  }
  const ready = { 'Ready within': '60', 'Ready text': 'welcome' }
  const check = { 'Solver image': 'solver:3', 'Every (minutes)': '30' }
  const texts = { Image: 'lantern:3', Port: '31337', CPU: '5', Memory: '128', Storage: '512', ...ready, ...check }
  const capture = () => [...document.querySelectorAll<HTMLInputElement>('input[role=switch]')].at(-1)
  keepChallenge(container)
  await openChallenge()
  await until(() => expect(area('Image')).not.toBeNull())
  for (const [label, text] of Object.entries(texts)) await fill(labelled(label), text)
  await click(labelled('Network'))
  const isolated = () =>
    [...document.querySelectorAll<HTMLElement>('[role=option]')].find((one) => one.textContent?.startsWith('Isolated'))
  await click(isolated())
  // The same choice again changes nothing.
  await click(labelled('Network'))
  await click(isolated())
  await click(labelled('Security profile'))
  await click([...document.querySelectorAll<HTMLElement>('[role=option]')].find((one) => one.textContent?.startsWith('Strict')))
  await fill(labelled('Runtime'), ' runsc ')
  await click(capture())
  await click(button('Add port'))
  const named = (label: string) => document.querySelector<HTMLInputElement>(`input[aria-label="${label}"]`) as HTMLInputElement
  await fill(named('Name of port 1'), 'sql')
  expect(document.body.textContent).toContain('More ports: each needs a name and a port')
  await fill(named('Port 1'), '5432')
  await click(button('Save 14 changes'))
  expect(sent).toEqual([
    {
      line: 'PUT /3',
      body: {
        containerImage: 'lantern:3',
        containerExposePort: 31337,
        cpuCount: 5,
        memoryLimit: 128,
        storageLimit: 512,
        containerNetwork: 'Isolated',
        readyTimeout: 60,
        readyText: 'welcome',
        profile: 'strict',
        runtime: 'runsc',
        checkImage: 'solver:3',
        checkMinutes: 30,
        namedPorts: [{ name: 'sql', port: 5432 }],
        enableTrafficCapture: true,
      },
    },
  ])
  await openChallenge()
  await until(() => expect(labelled('Image').value).toBe('lantern:3'))
  for (const [label, text] of Object.entries(texts)) expect(labelled(label).value, label).toBe(text)
  expect([labelled('Network').value, capture()?.checked, named('Port 1').value]).toEqual(['Isolated', true, '5432'])

  sent = []
  keepChallenge({ type: 'DynamicAttachment', fileName: 'attachment' })
  await openChallenge()
  await until(() => expect(labelled('Common file name').value).toBe('attachment'))
  expect(document.body.textContent).toContain('Every team downloads its file under this name.')
  expect([...document.querySelectorAll('p')].map(({ textContent }) => textContent)).toContain('File per team')
  await fill(labelled('Common file name'), ' ')
  expect(labelled('Common file name').closest('.mantine-InputWrapper-root')?.textContent).toContain('Enter a name.')
  expect(labelled('Common file name').maxLength).toBe(challengeLimits.fileNameMax)
  await fill(labelled('Common file name'), 'chart')
  await click(button('Save 1 change'))
  expect(sent).toEqual([{ line: 'PUT /3', body: { fileName: 'chart' } }])
  await openChallenge()
  await until(() => expect(labelled('Common file name').value).toBe('chart'))
})

test('NEW-2 CL-1 without a flag enabling is not offered; the reason focuses the missing field, a typed flag suffices', async () => {
  const stored = keepChallenge()
  await openChallenge()
  await until(() => expect(area('One flag per line')).not.toBeNull())
  const state = () => document.querySelector<HTMLInputElement>('header input[role=switch]')
  expect(state()?.disabled).toBe(true)
  await write(area('Description'), 'Find it')
  expect(button('Save and enable')?.hasAttribute('disabled')).toBe(true)
  const reason = () => [...document.querySelectorAll('a')].find((one) => one.textContent === 'Add a flag before enabling it')
  for (let time = 0; time < 2; time++) {
    await click(reason())
    expect(document.activeElement).toBe(area('One flag per line'))
    await act(async () => area('Description')?.focus())
  }
  await write(area('One flag per line'), 'flag{here}')
  expect(reason()).toBeUndefined()
  await click(button('Save and enable'))
  await click(button('Enable', dialog()))
  await until(() => expect(stored()).toMatchObject({ content: 'Find it', isEnabled: true }))
})

test('NEW-2 the editor creates the next challenge, with category and type of the last one preselected', async () => {
  localStorage.setItem('new-challenge', JSON.stringify({ category: 'Crypto', type: 'StaticAttachment' }))
  keepChallenge()
  await openChallenge()
  await until(() => expect(button('New challenge')).toBeTruthy())
  await click(button('New challenge'))
  const fields = [...(document.querySelector('[role=dialog]')?.querySelectorAll('input') ?? [])]
  await type(fields[0], 'Second')
  await click(document.querySelector<HTMLElement>('[role=dialog] [aria-label=Close]'))
  await until(() => expect(document.body.textContent).toContain(t('shell.unsaved')))
  await click(button('Cancel'))
  expect(fields[0]?.value).toBe('Second')
  await act(
    async () =>
      void document.querySelector('[role=dialog] form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })),
  )
  await settle()
  expect(sent.at(-1)).toEqual({ line: 'POST ', body: { title: 'Second', category: 'Crypto', type: 'StaticAttachment' } })
  await until(() => expect(document.querySelector('[role=dialog]')).toBeNull())
  localStorage.setItem('new-challenge', '{"category":"Nonsense","type":7}')
})

test('NEW-3 files of each team are in the editor; flags of a container have a page, which the head leads to', async () => {
  const heads = () => [...document.querySelectorAll('h2')].map(({ textContent }) => textContent)
  const toFlags = () => document.querySelector('header a[href$="/challenges/3/Flags"]')
  keepChallenge({ type: 'DynamicAttachment', fileName: 'file' })
  await openChallenge()
  await until(() => expect(heads()).toEqual(expect.arrayContaining(['Upload files', 'Add links', 'Flags'])))
  expect(toFlags()).toBeNull()
  expect(document.body.textContent).not.toContain('One flag per line')
  // The reason why it cannot be enabled leads to the files.
  await click([...document.querySelectorAll('a')].find((one) => one.textContent === 'Add a flag before enabling it'))
  expect(document.activeElement?.textContent).toContain('Drop files')
})

test('NEW-3 a container keeps its flags on a separate page', async () => {
  keepChallenge({ type: 'StaticContainer', containerImage: 'echo:1' })
  await openChallenge()
  await until(() => expect(document.querySelector('header a[href$="/challenges/3/Flags"]')?.textContent).toBe('Flags'))
  expect(document.body.textContent).not.toContain('One flag per line')
})

test('NEW-4 the editor has one switch, that of the challenge; without changes it is the one way to enable it', async () => {
  keepChallenge({ flags: [{ id: 1, flag: 'flag{a}', attachment: null }] })
  await openChallenge()
  await until(() => expect(area('Description')).not.toBeNull())
  expect(document.querySelectorAll('header input[role=switch]')).toHaveLength(1)
  expect(button('Show game')).toBeUndefined()
  expect([button('Save and enable'), button('Enable')]).toEqual([undefined, undefined])
  await write(area('Description'), 'Find it')
  expect(button('Save and enable')?.hasAttribute('disabled')).toBe(false)
  await type(labelled('Title'), ' ')
  expect(button('Save and enable')?.hasAttribute('disabled')).toBe(true)
})

const listRow = (id: number, title: string, patch: object = {}) => ({
  id,
  title,
  category: 'Misc',
  type: 'StaticAttachment',
  isEnabled: false,
  score: 1000,
  minScore: 250,
  originalScore: 1000,
  acceptedCount: 3,
  flagCount: 1,
  fileCount: 0,
  containerImage: null,
  silentSince: null,
  checkFailsSince: null,
  ...patch,
})

/** A challenge of the list that another administrator has deleted. */
let deletedElsewhere = 0
/** Changes of challenges that the server is processing. */
let underWay = 0
/** Changes of challenges are answered after it. */
let gate: Promise<void> | undefined
let mostAtOnce = 0
/** A server that stores a list of challenges and refuses to enable those whose flags have been deleted. */
function keepList(rows: ReturnType<typeof listRow>[]) {
  let stored = rows
  const before = fetch
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const method = init?.method ?? 'GET'
    if (!input.includes('/challenges')) return before(input)
    const id = Number(/challenges\/(\d+)$/.exec(input)?.[1])
    const body = init?.body ? JSON.parse(String(init.body)) : {}
    if (method === 'GET') listReads++
    else sent.push({ line: `${method} ${id}`, body })
    if (method === 'PUT') {
      mostAtOnce = Math.max(mostAtOnce, ++underWay)
      await new Promise((resolve) => setTimeout(resolve))
      await gate
      underWay--
    }
    if (method !== 'GET' && refuse) return refuse.clone()
    if (method !== 'GET' && id === deletedElsewhere)
      return json({ title: 'Challenge not found', code: 'challenge.not_found', status: 404 }, 404)
    if (method === 'DELETE') {
      stored = stored.filter((row) => row.id !== id)
      return new Response(null)
    }
    if (method === 'PUT') {
      if (body.isEnabled && stored.some((row) => row.id === id && 'emptied' in row))
        return json({ title: 'No flag', status: 400 }, 400)
      stored = stored.map((row) => (row.id === id ? { ...row, ...body } : row))
      return json(stored.find((row) => row.id === id))
    }
    return json(stored)
  })
  return () => stored
}
const named = (name: string) => document.querySelector<HTMLElement>(`[aria-label="${name}"]`)

test('ADM-1 CL-5 the list is one dense table whose titles lead to the form; what is missing is shown beside the title', async () => {
  keepList([
    listRow(1, 'Buoy'),
    listRow(2, 'Bell', { flagCount: 0, checkFailsSince: '2026-11-22T08:00:00+00:00' }),
    listRow(3, 'Pump', { type: 'DynamicContainer', category: 'Pwn', flagCount: 0, score: 1200, originalScore: 1500 }),
    listRow(4, 'Tide', { category: 'Pwn', flagCount: 0, isEnabled: true, silentSince: '2026-11-22T08:00:00+00:00' }),
  ])
  const place = await open(<ListScreen />, 'challenges')
  await until(() => expect(place.querySelectorAll('tbody tr')).toHaveLength(4))
  const rows = [...place.querySelectorAll('tbody tr')]
  expect(rows.map((row) => row.querySelector('a')?.getAttribute('href'))).toEqual([
    '/admin/games/7/challenges/2',
    '/admin/games/7/challenges/1',
    '/admin/games/7/challenges/3',
    '/admin/games/7/challenges/4',
  ])
  expect(rows[0]?.textContent).toContain('no flag')
  expect(rows[0]?.querySelector('a[href$="/2#flags"]')?.textContent).toBe('no flag')
  const links = [...(rows[0]?.querySelectorAll<HTMLElement>('a[title]') ?? [])]
  expect(links.map(({ title }) => title)).toEqual(['Bell', 'Add a flag before enabling it'])
  expect(place.querySelectorAll('thead th[scope=col]')).toHaveLength(8)
  // One that is enabled can always be disabled.
  const fixed = rows.map((row) => row.querySelector<HTMLInputElement>('input[role=switch]')?.disabled)
  expect(fixed).toEqual([true, false, false, false])
  expect(rows[1]?.textContent).not.toContain('no flag')
  expect(rows[2]?.textContent).toContain('no image')
  // A service that fails now is marked more strongly than what is still to be done.
  const marks = rows.map((row) =>
    [...row.querySelectorAll<HTMLElement>('[class*=mark]')].map((one) => [one.textContent, 'bad' in one.dataset]),
  )
  expect(marks).toEqual([
    [['no flag, solver check fails', true]],
    [],
    [['no image', false]],
    [['no flag, does not answer', true]],
  ])
  expect(rows.map((row) => row.hasAttribute('data-off'))).toEqual([true, true, true, false])
  // A switch that cannot be used says why.
  const tip = () => document.querySelector('[role=tooltip]')?.textContent
  const point = (at: number, event: string) =>
    act(async () => void rows[at]?.querySelector('input[role=switch]')?.dispatchEvent(new MouseEvent(event, { bubbles: true })))
  await point(1, 'pointerover')
  await settle(400)
  expect(tip()).toBeUndefined()
  await point(1, 'pointerout')
  await point(0, 'pointerover')
  await until(() => expect(tip()).toBe('Add a flag before enabling it'))
  await point(0, 'pointerout')
  const flags = rows.map((row) => row.querySelector('td:last-child a')?.getAttribute('aria-label'))
  expect(flags).toEqual(['Flags of Bell: 0', 'Flags of Buoy: 1', 'Flags of Pump: template', 'Flags of Tide: 0'])
  const heads = [...place.querySelectorAll('thead th')].map(({ textContent }) => textContent)
  expect(heads.slice(4)).toEqual(['Type', 'Current / initial', 'Solved', 'Flags'])
  const cells = (row: number) => [...(rows[row]?.querySelectorAll('td') ?? [])].slice(4).map(({ textContent }) => textContent)
  expect([cells(1), cells(2)]).toEqual([
    ['Text or file', '1,000 / 1,000', '3', '1'],
    ['Container, flag per team', '1,200 / 1,500', '3', 'template'],
  ])
  const choose = async (label: string, option: string, description = '') => {
    await click(document.querySelector<HTMLElement>(`input[aria-label="${label}"]`))
    // The sign of a category is not read besides its name.
    expect(document.querySelectorAll('[role=option] [role=img], tbody [role=img]')).toHaveLength(0)
    const chosen = [...document.querySelectorAll<HTMLElement>('[role=option]')].find(({ textContent }) =>
      textContent?.startsWith(option + description),
    )
    await click(chosen)
  }
  const sign = () => named('Category')?.closest('[class*=Input-wrapper]')?.querySelector('[data-position=left] svg')
  expect(sign()).toBeNull()
  const titles = () => [...place.querySelectorAll('tbody tr')].map((row) => row.querySelector('a')?.textContent)
  // Each filter keeps the others.
  await choose('Category', 'Pwn')
  expect([titles(), sign()?.tagName]).toEqual([['Pump', 'Tide'], 'svg'])
  await fill(named('Find a challenge') as HTMLInputElement, 'e')
  expect(titles()).toEqual(['Tide'])
  await choose('Type', 'Text or file', 'A description, with one file or link')
  expect(titles()).toEqual(['Tide'])
  await choose('Category', 'Misc')
  expect(titles()).toEqual(['Bell'])
  await fill(named('Find a challenge') as HTMLInputElement, 'nothing')
  expect(place.textContent).toContain('No matching challenges')
  const clear = (label: string) =>
    click(
      document
        .querySelector(`input[aria-label="${label}"]`)
        ?.closest('[class*=Input-wrapper]')
        ?.querySelector<HTMLElement>('button'),
    )
  await fill(named('Find a challenge') as HTMLInputElement, '')
  await clear('Category')
  expect(titles()).toEqual(['Bell', 'Buoy', 'Tide'])
  await clear('Type')
  expect(titles()).toHaveLength(4)
  await fill(named('Find a challenge') as HTMLInputElement, 'nothing')
  await click(button('Show all'))
  expect(titles()).toHaveLength(4)
  expect(document.activeElement).toBe(named('Find a challenge'))
  // Sixty rows fit on at most two screens of 900 pixels.
  const styles = readFileSync(join(import.meta.dirname, 'challenges/challenge-list.module.css'), 'utf8')
  const [, height] = /--row: (\d+)px/.exec(styles) ?? []
  expect(60 * Number(height)).toBeLessThanOrEqual(2 * 900)
})

test('ADM-1 CL-5 several challenges are enabled, disabled and deleted at once after a question; a refusal does not stop the others', async () => {
  const stored = keepList([
    listRow(1, 'Buoy'),
    listRow(2, 'Bell', { emptied: true }),
    listRow(3, 'Beacon', { type: 'DynamicContainer', containerImage: 'beacon:1', flagCount: 1200 }),
    listRow(4, 'Tide', { flagCount: 0 }),
  ])
  await open(<ListScreen />, 'challenges')
  await until(() => expect(named('Select Buoy')).toBeTruthy())
  expect(named('Flags of Beacon: 1,200')?.textContent).toBe('1,200')
  expect(button('Enable')).toBeUndefined()
  expect((named('Select all on this page') as HTMLInputElement).indeterminate).toBe(false)
  await click(named('Select Buoy'))
  await click(named('Select Bell'))
  await click(named('Select Beacon'))
  const all = () => {
    const { checked, indeterminate } = named('Select all on this page') as HTMLInputElement
    return { checked, indeterminate }
  }
  expect(all()).toEqual({ checked: false, indeterminate: true })
  await click(named('Select Tide'))
  expect(all()).toEqual({ checked: true, indeterminate: false })
  expect(document.body.textContent).toContain('4 selected')
  // What a filter hides is not changed.
  await fill(named('Find a challenge') as HTMLInputElement, 'b')
  expect(document.body.textContent).toContain('3 selected')
  await fill(named('Find a challenge') as HTMLInputElement, '')
  await click(button('Enable'))
  expect(dialog().textContent).toContain('Enable 3 challenges?Players see it while the game runs.')
  await click(button('Enable', dialog()))
  expect(stored().map(({ id, isEnabled }) => [id, isEnabled])).toEqual([
    [1, true],
    [2, false],
    [3, true],
    [4, false],
  ])
  expect(toasts().at(-1)?.title).toBe('2 challenges enabled. 1 was refused: No flag')
  expect(mostAtOnce).toBe(1)
  refuse = json({ title: 'Disk is full', status: 500 }, 500)
  await click(named('Select Tide'))
  await click(named('Select Bell'))
  const offered = () => ['Enable', 'Disable'].map((text) => button(text)?.matches(':enabled'))
  expect(offered()).toEqual([true, false])
  await click(named('Select Buoy'))
  expect(offered()).toEqual([true, true])
  // Only those that are enabled are disabled.
  await click(button('Disable'))
  expect(dialog().textContent).toContain('Disable 1 challenge?')
  // Before the start this has no effect on players.
  expect(button('Cancel', dialog())?.hasAttribute('data-autofocus')).toBe(false)
  await click(button('Cancel'))
  await click(named('Select Buoy'))
  await click(button('Delete'))
  expect(dialog().textContent).toContain('Delete 2 challenges?Their flags, files and submissions are deleted too.')
  expect(button('Cancel', dialog())?.hasAttribute('data-autofocus')).toBe(true)
  const before = listReads
  await click(button('Delete', dialog()))
  expect(toasts()).toContainEqual({ title: 'Could not save the change', message: 'Disk is full', role: 'alert' })
  // Some may have been deleted before the failure.
  await until(() => expect(listReads).toBe(before + 1))
  refuse = undefined
  await click(button('Delete'))
  expect(dialog().textContent).toContain('Delete 2 challenges?')
  await click(button('Cancel'))
  expect(stored()).toHaveLength(4)
  await click(button('Delete'))
  await click(button('Delete', dialog()))
  expect(stored().map(({ id }) => id)).toEqual([1, 3])
  for (const some of [true, false, true]) {
    await click(named('Select all on this page'))
    expect(button('Disable') !== undefined).toBe(some)
    expect(document.querySelectorAll('tr[data-picked]')).toHaveLength(some ? 2 : 0)
  }
  deletedElsewhere = 3
  await click(button('Disable'))
  expect(dialog().textContent).toContain('Players can no longer see it.')
  const changed = Promise.withResolvers<void>()
  gate = changed.promise
  await click(button('Disable', dialog()))
  expect(['Disable', 'Delete'].map((text) => button(text)?.matches(':disabled'))).toEqual([true, true])
  expect(toasts().at(-1)?.title).toMatch(/^Changing challenges/)
  gate = undefined
  await act(async () => changed.resolve())
  await settle()
  expect(stored().map(({ isEnabled }) => isEnabled)).toEqual([false, true])
  expect(toasts().at(-1)?.title).toBe('1 challenge disabled. 1 was refused: Challenge not found')
  await click(named('Select all on this page'))
  await click(button('Delete'))
  await click(button('Delete', dialog()))
  expect(toasts().at(-1)?.title).toBe('2 challenges deleted.')
  deletedElsewhere = 0
})

test.each([
  ['runs', '2099-01-01T00:00:00+00:00'],
  ['has ended', '2020-01-02T00:00:00+00:00'],
])(
  'challenges of a game that %s are deleted after its title is typed; FB-2 after too many requests the buttons wait',
  async (state, end) => {
    game = { ...game, start: '2020-01-01T00:00:00+00:00', end }
    keepList([listRow(1, 'Buoy')])
    await open(<ListScreen />, 'challenges')
    await click(named('Select Buoy'))
    await click(button('Enable'))
    const running = 'The game is running: all players are notified of a new challenge.'
    expect(dialog().textContent).toContain(state === 'runs' ? running : 'Players see it while the game runs.')
    await click(button('Cancel', dialog()))
    await until(() => expect(dialog()).toBe(document))
    refuse = json({ title: 'Too many requests', status: 429 }, 429)
    await click(button('Delete'))
    expect(button('Delete', dialog())?.matches(':disabled')).toBe(true)
    await fill(dialog().querySelector('input') ?? undefined, 'Regatta')
    await click(button('Delete', dialog()))
    expect(toasts()).toContainEqual(expect.objectContaining({ message: 'Too many requests' }))
    expect(['Enable', 'Delete'].map((text) => button(text)?.matches(':enabled'))).toEqual([false, false])
    refuse = undefined
  },
)

test('READY-1 the information page lists what is missing with a link to it, and the tab shows the number', async () => {
  teams = [team(1, 'Ebb', 'Pending')]
  keepList([listRow(4, 'Bell', { isEnabled: true, flagCount: 0 })])
  const place = await open(<InfoScreen />, 'Info')
  await until(() => expect(place.textContent).toContain('Bell has no flag'))
  const link = [...place.querySelectorAll('a')].find((one) => one.textContent === 'Bell has no flag')
  expect(link?.getAttribute('href')).toBe('/admin/games/7/challenges/4#flags')
  expect(place.textContent).toContain('1 team is waiting for review')
  expect(place.textContent).toContain('it is not in any list')
  expect(place.textContent).toMatch(/From [^()]* 00:00 to [^()]* 02:00 \(/)
  expect(place.querySelector('nav [aria-current]')?.textContent).toMatch(/[1-9] open/)
  const passed = place.querySelectorAll('details li').length
  expect(place.querySelector('details summary')?.textContent).toBe(`${passed} checks passed`)
})
