// @vitest-environment jsdom
import { gameLimits } from '@vexil/core/limits'
import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { button, click, field, named, settle, write } from '../../../test/acts.ts'
import {
  answers,
  areInvalidated,
  bodies,
  currentPath,
  dialog,
  dialogButton,
  edit,
  open,
  part,
  participationsCall,
  queries,
  refused,
  requests,
  saveByKeys,
  sent,
  setGameTimes,
  team,
  toastTitles,
} from '../../../test/game-admin.tsx'
import { hub } from '../../../test/hub.ts'
import { json, toasts, until } from '../../../test/page.tsx'
import { keys } from '../../api/query-keys.ts'
import { hasUnsaved } from '../../shell/unsaved.tsx'
import ChallengeScreen from '../challenges/challenge.screen.tsx'
import ReviewScreen from '../review/review.screen.tsx'
import InfoScreen from './info.screen.tsx'

vi.mock('../../api/hub-connection.ts', async () => await import('../../../test/hub.ts'))

test('GI-2 saving shows a message and makes the public lists refetch; a refusal does neither', async () => {
  await open(<InfoScreen />, 'Info')
  const lists = () => requests.filter((line) => line.startsWith('GET /api/game?')).length
  const before = lists()
  await write(field('Summary'), 'Three days at sea')
  answers[`PUT ${edit}`] = refused('Disk is full', 500)
  await click(button('Save 1 change'))
  expect(toasts()).toContainEqual(expect.objectContaining({ message: 'Disk is full', role: 'alert' }))
  expect(lists()).toBe(before)
  answers[`PUT ${edit}`] = answers[`GET ${edit}`] as object
  const others = [keys.edit.games(), keys.game(7).detail]
  for (const key of others) queries.setQueryData(key, [])
  const notices = requests.filter((line) => line === `GET ${edit}/notices`).length
  await saveByKeys()
  await until(() => expect(toastTitles()).toContain('Saved'))
  expect(areInvalidated(...others)).toEqual([true, true])
  expect(bodies[`PUT ${edit}`]).toMatchObject({ summary: 'Three days at sea' })
  await until(() => expect(lists()).toBe(before + 1))
  // Parts of the game that are not saved with it are not read again.
  expect(requests.filter((line) => line === `GET ${edit}/notices`)).toHaveLength(notices)
  requests.length = 0
  await saveByKeys()
  expect(sent()).toEqual([])
})

test('GI-2 a game that was shown is shown at once, and the lists are read again; players see a hidden one nowhere', async () => {
  const game = answers[`GET ${edit}`] as object
  answers[`GET ${edit}`] = { ...game, hidden: true }
  const place = await open(<InfoScreen />, 'Info')
  expect(place.querySelector('header')?.textContent).toMatch(/Upcoming.*Hidden/)
  const lists = () => requests.filter((line) => line.startsWith('GET /api/game?')).length
  const before = lists()
  answers[`PUT ${edit}`] = () => {
    // The answer for the game arrives late.
    answers[`GET ${edit}`] = () => new Promise<Response>(() => {})
    return json({ ...game, hidden: false })
  }
  await click(button('Show game'))
  await click(dialogButton('Show'))
  await until(() => expect(button('Show game')).toBeUndefined())
  expect(place.querySelector('header')?.textContent).not.toContain('Hidden')
  await until(() => expect(lists()).toBe(before + 1))
})

test('GI-1 the fields of a game have their limits, a division its rules, and the key of the game can be copied', async () => {
  const writeText = vi.fn(async () => {})
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  const place = await open(<InfoScreen />, 'Info')
  await click(button('Copy public key'))
  expect(writeText).toHaveBeenCalledWith('key')
  expect(button('Copied')).toBeTruthy()
  expect(['Title', 'Summary', 'Invite code empty: open to all'].map((label) => field(label).maxLength)).toEqual([
    gameLimits.titleMax,
    gameLimits.summaryMax,
    gameLimits.inviteCodeMax,
  ])
  expect(field('Divisions').placeholder).toBe('Type a name and press Enter')
  const add = async (name: string, way: 'enter' | 'leave') => {
    await act(async () => field('Divisions').focus())
    await write(field('Divisions'), name)
    if (way === 'leave') await act(async () => field('Divisions').blur())
    else
      await act(async () => void field('Divisions').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })))
  }
  const names = () => [...place.querySelectorAll('.mantine-Pill-label')].map(({ textContent }) => textContent)
  await add(' All ', 'leave')
  expect(names()).toEqual(['All'])
  expect(place.textContent).toContain(`At most ${gameLimits.divisionMax} characters, and not “all”.`)
  await click(place.querySelector('.mantine-Pill-remove'))
  expect(place.textContent).not.toContain('and not “all”.')
  for (let at = 0; at <= gameLimits.divisionsMax; at++) await add(`Division ${at}`, 'enter')
  expect(names()).toHaveLength(gameLimits.divisionsMax)
  await write(field('Team size'), '')
  expect(field('Team size').closest('.mantine-InputWrapper-root')?.textContent).toMatch(
    /A whole number from 0 to 100000\. 0 means no limit\.$/,
  )
  expect(place.textContent?.match(/0 means no limit\./g)).toHaveLength(2)
})

test('an unknown game is not found, with a way to the list of games, and its changes are not listened to', async () => {
  answers['GET /api/edit/games/9'] = refused('Game not found', 404)
  const place = await open(<ReviewScreen />, 'Review', 9)
  await until(() => expect(place.querySelector('a[href="/admin/games"]')).toBeTruthy())
  const ofGame = hub.connections.filter(({ address }) => address.endsWith('=9'))
  expect(ofGame).not.toEqual([])
  await until(() => expect(ofGame.map(({ isClosed }) => isClosed)).not.toContain(false))
})

test('GI-2 discarded changes are replaced by the stored values', async () => {
  const place = await open(<InfoScreen />, 'Info')
  await write(field('Summary'), 'Three days at sea')
  await write(field('Title'), ' ')
  const start = field('Start').value
  await write(field('Start'), 'soon')
  await leave(field('Start'))
  expect(place.textContent).toContain('Enter a title.')
  await click(button('Discard'))
  expect([field('Summary').value, field('Title').value, field('Start').value]).toEqual(['', 'Regatta', start])
  expect(named('Back to games')?.getAttribute('href')).toBe('/admin/games')
  expect(place.textContent).not.toContain('Enter a title.')
  expect([button('Save')?.disabled, button('Discard')?.disabled]).toEqual([true, true])
  expect(sent()).toEqual([])
})

const leave = (control: HTMLElement) => act(async () => void control.dispatchEvent(new FocusEvent('focusout', { bubbles: true })))

test('GI-2 the answer of a saved game is shown at once; until then no code can be generated', async () => {
  const place = await open(<InfoScreen />, 'Info')
  await write(field('Title'), 'Regatta 2')
  const code = field('Invite code empty: open to all')
  expect(['autocomplete', 'spellcheck'].map((name) => code.getAttribute(name))).toEqual(['off', 'false'])
  const generate = () => named<HTMLButtonElement>('Generate code')?.disabled
  expect(generate()).toBe(false)
  const saved = Promise.withResolvers<Response>()
  answers[`PUT ${edit}`] = () => saved.promise
  await click(button('Save 1 change'))
  expect(generate()).toBe(true)
  const game = answers[`GET ${edit}`] as object
  answers[`GET ${edit}`] = () => new Promise<Response>(() => {})
  await act(async () => saved.resolve(json({ ...game, title: 'Regatta II' })))
  await until(() => expect(place.querySelector('h1')?.textContent).toBe('Regatta II'))
  expect([field('Title').value, button('Save')?.disabled]).toEqual(['Regatta II', true])
})

test('GI-2 discarded changes of a game are not in the form of the next one', async () => {
  answers['GET /api/edit/games/8'] = { ...(answers[`GET ${edit}`] as object), id: 8, title: 'Sloop' }
  await open(<InfoScreen />, 'Info')
  await write(field('Summary'), 'Three days at sea')
  await click(document.querySelector('a[href="/admin/games/8/Info"]'))
  await click(dialogButton('Discard'))
  await until(() => expect(field('Title').value).toBe('Sloop'))
  expect([field('Summary').value, button('Save')?.disabled]).toEqual(['', true])
})

test('GI-4 after the end a game is opened again without a question', async () => {
  setGameTimes(-3, -1)
  const place = await open(<InfoScreen />, 'Info')
  await write(field('End'), new Date(Date.now() + 3_600_000).toISOString())
  await leave(field('End'))
  expect(place.textContent).toMatch(/End moves .* later\./)
  await click(button('Save 1 change'))
  expect([dialog(), sent()]).toEqual([null, [`PUT ${edit}`]])
})

test('GI-1 an empty title, an end before the start and too many hours are marked at their fields and nothing is saved', async () => {
  const place = await open(<InfoScreen />, 'Info')
  expect(place.textContent).toContain('Duration: 2 hours.')
  expect(place.textContent).not.toContain('The game has started.')
  await write(field('Title'), ' ')
  await write(field('End'), '2125-01-01T00:00:00Z')
  await leave(field('End'))
  expect(place.textContent).toContain('Enter a title.')
  expect(place.textContent).toContain('The end must be after the start.')
  expect(['Title', 'Start', 'End'].map((label) => field(label).getAttribute('aria-invalid'))).toEqual(['true', 'true', 'true'])
  expect(place.textContent).not.toContain('Duration')
  expect(button('Save 2 changes')?.disabled).toBe(true)
  // Valid hours have the time of the deadline below, invalid ones the error.
  const below = () => {
    const hours = field('Deadline after the end').closest('[class*=InputWrapper-root]')
    return [hours?.querySelector('time')?.dateTime, hours?.textContent?.includes('Hours from 0 to 1000000.')]
  }
  expect(place.querySelector('time[datetime="2125-01-01T00:00:00.000Z"]')?.textContent).toMatch(/1 Jan 2125.* 00:00/)
  expect(['hidden', 'practice', 'accept', 'writeup'].map((id) => place.querySelector(`label[for=${id}]`) !== null)).toEqual(
    Array(4).fill(true),
  )
  expect(below()).toEqual(['2125-01-01T00:00:00.000Z', false])
  await write(field('Deadline after the end'), '1000001')
  expect(below()).toEqual([undefined, true])
  await saveByKeys()
  expect(sent()).toEqual([])
})

test('GI-4 GI-5 GI-6 moved times of a running game are confirmed with their effects; a removed division is shown with its teams; codes are generated', async () => {
  setGameTimes(-1, 1, { organizations: ['Guest', 'Open'] })
  answers[participationsCall] = [
    team(1, 'Ebb', 'Accepted', 'Guest'),
    team(2, 'Flow', 'Accepted', 'Guest'),
    team(3, 'Tide', 'Pending', 'Open'),
  ]
  const place = await open(<InfoScreen />, 'Info')
  expect(field('Start').closest('.mantine-InputWrapper-root')?.textContent).toContain('The game has started.')
  expect(place.textContent).not.toContain('Long titles are cut')
  await write(field('Title'), 'x'.repeat(60))
  expect(place.textContent).not.toContain('Long titles are cut')
  await write(field('Title'), 'x'.repeat(61))
  expect(place.textContent).toContain('Long titles are cut')
  await write(field('Title'), 'Regatta')
  const zone = /\d\d:\d\d:\d\d UTC/
  expect(field('End').closest('.mantine-InputWrapper-root')?.textContent).toMatch(zone)
  await write(field('End'), new Date(Date.now() + 4 * 3_600_000).toISOString())
  await leave(field('End'))
  expect(place.textContent).toMatch(/Duration: \S+ hours, was 2\./)
  await click(place.querySelector('.mantine-Pill-remove'))
  expect(place.textContent).toContain('Guest was removed; 2 teams are in it.')
  const random = vi.spyOn(crypto, 'getRandomValues')
  await click(named('Generate code'))
  expect(random).toHaveBeenCalled()
  await click(button('Save 3 changes'))
  expect(dialog()?.textContent).toContain('Change the times of a running game?')
  expect(dialog()?.textContent).toMatch(
    /End moves (3 hours|179 minutes) later\. Submissions until then count\. 2 teams see the new time immediately\./,
  )
  await click(dialogButton('Cancel'))
  expect(sent()).toEqual([])
  await write(field('End'), new Date(Date.now() - 60_000).toISOString())
  await leave(field('End'))
  await click(button('Save 3 changes'))
  expect(dialog()?.textContent).toContain('The challenges close when you save.')
  await click(dialogButton('Cancel'))
  await click(button('Save 3 changes'))
  await click(dialogButton('Save'))
  expect(bodies[`PUT ${edit}`]).toMatchObject({ organizations: ['Open'], inviteCode: expect.stringMatching(/^\w{24}$/) })
})

test('GI-4 without teams a moved start has no sentence about teams', async () => {
  setGameTimes(48, 72)
  answers[participationsCall] = [team(1, 'Tide', 'Pending', 'Open')]
  const place = await open(<InfoScreen />, 'Info')
  await write(field('Start'), new Date(Date.now() + 24 * 3_600_000).toISOString())
  await leave(field('Start'))
  expect(place.textContent).toMatch(/Start moves (1 day|1,4\d\d minutes) earlier\./)
  expect(place.textContent).not.toMatch(/\d teams? see/)
  // Before its start no team plays, so nothing is confirmed.
  await click(button('Save 1 change'))
  expect([dialog(), sent()]).toEqual([null, [`PUT ${edit}`]])
})

test('GI-3 a game that was played is deleted only after its title is typed; one without submissions after a question', async () => {
  const looked = Promise.withResolvers<Response>()
  answers['GET /api/game/7/submissions'] = () => looked.promise
  await open(<InfoScreen />, 'Info')
  await write(field('Summary'), 'Half written')
  await click(button('Delete'))
  expect(button('Delete')?.dataset.loading).toBe('true')
  looked.resolve(json([{}]))
  await until(() => expect(dialog()).toBeTruthy())
  expect(dialog()?.textContent).toContain('all submissions, writeups, results and captured traffic are deleted too')
  expect(dialogButton('Delete')?.disabled).toBe(true)
  await write(dialog()?.querySelector('input') ?? undefined, 'regatta')
  expect(dialogButton('Delete')?.disabled).toBe(true)
  await write(dialog()?.querySelector('input') ?? undefined, 'Regatta')
  const deleted = Promise.withResolvers<Response>()
  answers[`DELETE ${edit}`] = () => deleted.promise
  await click(dialogButton('Delete'))
  expect(sent()).toEqual([`DELETE ${edit}`])
  expect(requests).toContain('GET /api/game/7/submissions?count=1')
  expect([button('Delete')?.dataset.loading, toastTitles()]).toEqual(['true', ['Deleting the game']])
  const lists = () => requests.filter((line) => line.startsWith('GET /api/game?')).length
  const before = lists()
  await act(async () => deleted.resolve(new Response(null)))
  await until(() => expect(currentPath()).toBe('/admin/games'))
  await until(() => expect(lists()).toBe(before + 1))
})

test.each([
  ['a game', <InfoScreen key="info" />, 'Info', edit, 'Regatta deleted'],
  ['a challenge', <ChallengeScreen key="challenge" />, 'challenges/3', part, 'Buoy deleted'],
])(
  'GI-3 CE-6 after another screen was opened, the end of the deletion of %s neither leaves it nor discards its changes',
  async (_, screen, tab, line, title) => {
    const deleted = Promise.withResolvers<Response>()
    answers[`DELETE ${line}`] = () => deleted.promise
    await open(screen, tab)
    await click(button('Delete'))
    if (tab !== 'Info') expect(dialog()?.textContent).toContain('Its flags, files and captured traffic are deleted too.')
    await click(dialogButton('Delete'))
    await click(document.querySelector('a[href="/elsewhere"]'))
    expect(hasUnsaved()).toBe(true)
    deleted.resolve(new Response(null))
    await until(() => expect(toastTitles()).toContain(title))
    expect([currentPath(), hasUnsaved()]).toEqual(['/elsewhere', true])
  },
)

test('GI-3 when the submissions of a game cannot be read, it is not deleted and the reason is shown', async () => {
  answers['GET /api/game/7/submissions'] = refused('Disk is full')
  setGameTimes(-2, -1)
  await open(<InfoScreen />, 'Info')
  await click(button('Delete'))
  expect(toasts()).toContainEqual({ title: 'Could not delete the game', message: 'Disk is full', role: 'alert' })
  expect(button('Delete')?.disabled).toBe(false)
  expect([dialog(), sent()]).toEqual([null, []])
})

test('READY-1 images that a node lacks are pulled again by a button, and the new state is shown', async () => {
  const image = (state: string, ...nodes: object[]) => ({
    ...{ image: 'echo:1', pulledAt: null, state, nodes },
    challenges: [{ id: 3, title: 'Buoy' }],
  })
  answers[`GET ${edit}/challenges`] = [
    { ...{ id: 3, title: 'Buoy', category: 'Web', type: 'StaticContainer', isEnabled: true, flagCount: 1, fileCount: 0 } },
  ]
  answers[`GET ${edit}/images`] = [image('done', { node: 'east', state: 'failed', problem: 'not found' })]
  answers[`POST ${edit}/images`] = [image('done', { node: 'east', state: 'here', problem: null })]
  await open(<InfoScreen />, 'Info')
  await until(() => expect(button('Pull images again')).toBeTruthy())
  await click(button('Pull images again'))
  await until(() => expect(button('Pull images again')).toBeUndefined())
  expect(sent()).toEqual([`POST ${edit}/images`])
})

test('READY-1 teams, mail, captcha, engine, images and disk are checked; the worst comes first, and what is fine is folded', async () => {
  const challenge = {
    id: 3,
    title: 'Buoy',
    category: 'Web',
    type: 'StaticContainer',
    isEnabled: true,
    flagCount: 1,
    fileCount: 0,
  }
  const image = (node: object) => ({ image: 'echo:1', pulledAt: null, state: 'done', nodes: [node], challenges: [challenge] })
  const idle = { silentSince: null, checkFailsSince: null }
  const chart = { ...challenge, ...idle, id: 4, title: 'Chart', type: 'DynamicAttachment', fileCount: 1, containerImage: null }
  answers[`GET ${edit}/challenges`] = [{ ...challenge, ...idle, containerImage: 'echo:1' }, chart]
  answers[participationsCall] = [team(1, 'Ebb', 'Accepted'), team(2, 'Flow'), team(3, 'Tide')]
  answers['GET /api/captcha'] = { type: 'None', siteKey: '' }
  answers['GET /api/admin/mails'] = { data: [], length: 0, total: 0, configured: true }
  answers['GET /api/admin/engine'] = { state: 'unreachable' }
  answers['GET /api/admin/disk'] = { free: 1_073_741_824, total: 107_374_182_400 }
  answers[`GET ${edit}/images`] = [image({ node: '', state: 'failed', problem: 'no route' })]
  const first = await open(<InfoScreen />, 'Info')
  const lines = (place: ParentNode) =>
    [...place.querySelectorAll<HTMLElement>('li[data-level]')].map((line) => [
      line.dataset.level,
      line.querySelector('[role=img]')?.getAttribute('aria-label'),
      line.textContent,
    ])
  await until(() => expect(lines(first)).not.toEqual([]))
  expect(lines(first)).toEqual([
    ['red', 'Must be fixed', 'The image echo:1 is missing: no route'],
    ['red', 'Must be fixed', 'Cannot reach the container engine'],
    ['red', 'Must be fixed', 'The disk is nearly full: 1.0 GiB left'],
    ['amber', 'Should be checked', expect.stringContaining('Chart has 1 file for the accepted teams')],
    ['amber', 'Should be checked', '2 teams are waiting for review'],
    ['amber', 'Should be checked', 'No captcha: bots can register accounts'],
    ['green', 'Passed', '2 challenges are enabled'],
    ['green', 'Passed', expect.stringMatching(/^From /)],
    ['green', 'Passed', 'Emails can be sent'],
  ])
  expect(lines(first.querySelector('details') as HTMLElement)).toHaveLength(3)
  expect(first.textContent).not.toContain('Everything is ready.')
  expect(button('Pull images again')).toBeTruthy()
  // The tab counts what is open, also for screen readers.
  const tab = first.querySelector('nav [aria-current=page]')
  expect(tab?.textContent).toBe('Information66 open')
  expect(tab?.querySelector('[aria-hidden=true]:not(svg)')?.textContent).toBe('6')
  first.remove()
  answers[`GET ${edit}/challenges`] = [{ ...challenge, ...idle, containerImage: 'echo:1' }]
  answers[participationsCall] = [team(1, 'Ebb', 'Accepted')]
  answers['GET /api/captcha'] = { type: 'HashPow', siteKey: '' }
  answers['GET /api/admin/engine'] = { state: 'reachable' }
  answers['GET /api/admin/disk'] = { free: 53_687_091_200, total: 107_374_182_400 }
  answers[`GET ${edit}/images`] = [image({ node: '', state: 'here', problem: null })]
  const place = await open(<InfoScreen />, 'Info')
  await until(() => expect(place.textContent).toContain('Everything is ready.'))
  expect(lines(place).map(([level]) => level)).toEqual(Array(7).fill('green'))
  expect(lines(place).at(-1)?.[2]).toBe('50.0 GiB of disk space free')
  expect(place.querySelector('nav [aria-current=page]')?.textContent).toBe('Information')
})

test('READY-1 the list waits for the mails, the captcha and the disk; without containers neither engine nor images are asked', async () => {
  const slow = ['GET /api/admin/mails', 'GET /api/captcha', 'GET /api/admin/disk']
  const held = slow.map(() => Promise.withResolvers<Response>())
  slow.forEach((line, at) => {
    answers[line] = () => (held[at] as (typeof held)[0]).promise
  })
  const fields = { category: 'Web', type: 'StaticAttachment', isEnabled: true, flagCount: 1, fileCount: 0 }
  const row = { id: 3, title: 'Buoy', ...fields, silentSince: null, checkFailsSince: null }
  answers[`GET ${edit}/challenges`] = [row]
  const place = await open(<InfoScreen />, 'Info')
  const lines = () => place.querySelectorAll('li[data-level]').length
  for (const [at, body] of [{ configured: true, data: [] }, { type: 'HashPow' }, { free: 90e9, total: 100e9 }].entries()) {
    expect([lines(), place.querySelector('[data-waiting]') !== null]).toEqual([0, true])
    await act(async () => held[at]?.resolve(json(body)))
    await settle()
  }
  expect([lines(), place.querySelector('[data-waiting]')]).toEqual([5, null])
  expect(requests.filter((line) => /engine|images/.test(line))).toEqual([])
  // The times have their zones.
  await act(async () => place.querySelector<HTMLElement>('li[data-level] time')?.focus())
  expect(document.querySelector('[role=tooltip]')?.textContent).toMatch(/ 00:00:00 UTC · .* 02:00:00 UTC · /)
})

test('a chosen poster is uploaded at once and shown; a file of another kind is refused', async () => {
  const choose = async (type: string) => {
    const input = document.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement
    Object.defineProperty(input, 'files', { configurable: true, value: [new File(['x'], 'poster', { type })] })
    await act(async () => void input.dispatchEvent(new Event('change', { bubbles: true })))
    await settle()
  }
  const place = await open(<InfoScreen />, 'Info')
  await choose('application/pdf')
  const invalid = 'File invalid (check format and size)'
  expect(toasts()).toEqual([{ title: 'Failed to load file', message: invalid, role: 'alert' }])
  expect(sent()).toEqual([])
  answers[`PUT ${edit}/poster`] = refused('Disk is full', 500)
  await choose('image/png')
  expect(toasts()).toEqual([{ title: 'Failed to load file', message: 'Disk is full', role: 'alert' }])
  requests.length = 0
  const chooser = () => document.querySelector('input[type=file]') as HTMLInputElement
  expect(chooser().disabled).toBe(false)
  const answered = Promise.withResolvers<Response>()
  answers[`PUT ${edit}/poster`] = () => {
    answers[`GET ${edit}`] = { ...(answers[`GET ${edit}`] as object), poster: '/assets/1/poster' }
    return answered.promise
  }
  expect(chooser().accept).toContain('image/png')
  expect(chooser().nextElementSibling?.textContent).toMatch(/^Choose a poster /)
  await choose('image/png')
  expect([chooser().disabled, toastTitles()]).toEqual([true, ['Uploading']])
  await act(async () => answered.resolve(json('/assets/1/poster')))
  await until(() => expect(place.querySelector('img[alt="Poster"]')?.getAttribute('src')).toBe('/assets/1/poster'))
  expect(sent()).toEqual([`PUT ${edit}/poster`])
  expect(toastTitles()).toEqual(['Poster changed'])
})

test('changes by other administrators and published notices are read again, each by itself', async () => {
  await open(<InfoScreen />, 'Info')
  const reads = {
    game: edit,
    challenges: `${edit}/challenges`,
    notices: `${edit}/notices`,
    participations: '/api/game/7/participations',
  }
  const readAfter = async (target: string, message: unknown, name: keyof typeof reads) => {
    requests.splice(0)
    await hub.say('/hub/user', target, message)
    await until(() => expect(requests).toContain(`GET ${reads[name]}`))
    return Object.entries(reads).flatMap(([each, path]) => (requests.includes(`GET ${path}`) ? [each] : []))
  }
  for (const what of ['game', 'challenges', 'participations', 'notices'] as const)
    expect(await readAfter('VexilGame', { what }, what), what).toEqual([what])
  expect(await readAfter('ReceivedGameNotice', {}, 'notices')).toEqual(['notices'])
})

test('GI-3 a game without a submission, or before its start, is deleted without typing its title', async () => {
  answers['GET /api/game/7/submissions'] = refused('Not started', 400, 'game.not_started')
  await open(<InfoScreen />, 'Info')
  await click(button('Delete'))
  expect(dialog()?.querySelector('input')).toBeNull()
  expect(dialog()?.textContent).toContain('Delete Regatta?Its challenges, files, registrations and captured traffic')
  await click(dialogButton('Cancel'))
  expect(sent()).toEqual([])
  answers[`DELETE ${edit}`] = refused('Disk is full', 500)
  await click(button('Delete'))
  await click(dialogButton('Delete'))
  expect(toasts()).toEqual([{ title: 'Could not delete the game', message: 'Disk is full', role: 'alert' }])
})
