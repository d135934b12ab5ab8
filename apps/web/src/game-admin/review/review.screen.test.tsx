// @vitest-environment jsdom
import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { button, click, field, named, write } from '../../../test/acts.ts'
import {
  answers,
  areInvalidated,
  dialog,
  dialogButton,
  edit,
  open,
  participationsCall,
  queries,
  refused,
  requests,
  sent,
  team,
  toastTitles,
} from '../../../test/game-admin.tsx'
import { hub } from '../../../test/hub.ts'
import { json, toasts, until } from '../../../test/page.tsx'
import { keys } from '../../api/query-keys.ts'
import ReviewScreen from './review.screen.tsx'

vi.mock('../../api/hub-connection.ts', async () => await import('../../../test/hub.ts'))

const opener = (name: string) =>
  [...document.querySelectorAll('li button[aria-expanded]')].find((one) => one.textContent?.includes(name))

test('RV-2 RV-5 the name of a row opens it, its actions do not; without divisions none is shown', async () => {
  const ebb = team(1, 'Ebb')
  const members = ['u', 'v'].map((id) => ({ userId: id, userName: `name of ${id}`, avatar: null, email: `${id}@example.org` }))
  Object.assign(members[0] ?? {}, { realName: 'Ursula', stdNumber: 'S1', phone: '555', avatar: '/assets/u' })
  answers[participationsCall] = [{ ...ebb, team: { ...ebb.team, members, bio: 'Of the ebb' } }]
  const place = await open(<ReviewScreen />, 'Review')
  const expanded = () => opener('Ebb')?.getAttribute('aria-expanded')
  for (const control of ['button[aria-haspopup=menu]', 'input[type=checkbox]']) {
    await click(place.querySelector(`li ${control}`))
    expect(expanded()).toBe('false')
  }
  await click(button('Accept'))
  expect(expanded()).toBe('false')
  const part = () => document.getElementById(opener('Ebb')?.getAttribute('aria-controls') ?? '')
  expect(part()?.hidden).toBe(true)
  await click(opener('Ebb'))
  expect([expanded(), part()?.hidden, part()?.querySelector('img')?.getAttribute('src')]).toEqual(['true', false, '/assets/u'])
  // The captain is registered, the other member is not.
  const marks = [...place.querySelectorAll('li tbody tr')].map((row) => {
    const signs = [...row.querySelectorAll('svg[role=img]')].map((sign) => sign.getAttribute('aria-label'))
    return [row.textContent?.includes('name of u'), signs, row.lastElementChild?.textContent]
  })
  expect(marks).toEqual([
    [true, ['Captain', 'yes'], ''],
    [false, [], 'no'],
  ])
  const cells = [...place.querySelectorAll('li tbody tr')].map((row) =>
    [...row.querySelectorAll('td')].slice(1, 5).map((cell) => [cell.dataset.label, cell.textContent]),
  )
  expect(place.querySelector<HTMLElement>('li tbody td:last-child')?.dataset.label).toBe('Registered')
  expect(place.querySelectorAll('li thead th[scope=col]')).toHaveLength(6)
  expect(opener('Ebb')?.textContent).toContain('Of the ebb')
  // Others may change the teams while the live channel is silent.
  const { observers } = queries.getQueryCache().find({ queryKey: keys.game(7).participations }) ?? {}
  expect(observers?.map(({ options }) => options.refetchInterval)).toContain(60_000)
  expect(cells[0]).toEqual([
    ['Real name', 'Ursula'],
    ['Student number', 'S1'],
    ['Email', 'u@example.org'],
    ['Phone', '555'],
  ])
  expect(cells[1]?.map(([, text]) => text)).toEqual(['empty', 'empty', 'v@example.org', 'empty'])
  const heads = [...place.querySelectorAll('li thead th')].map(({ textContent }) => textContent)
  expect(heads).toEqual(['User', 'Real name', 'Student number', 'Email', 'Phone', 'Registered'])
  expect(opener('Ebb')?.closest('li')?.textContent).toContain('1 of 2 registered')
  await click([...place.querySelectorAll('li button')].find(({ textContent }) => textContent === 'Accept'))
  expect(expanded()).toBe('true')
  expect(named('Division')).toBeUndefined()
  expect(document.querySelector<HTMLInputElement>('input[aria-label=Status]')?.placeholder).toBe('All statuses')
  const texts: string[] = []
  const walk = document.createTreeWalker(place, NodeFilter.SHOW_TEXT)
  // The tabs, which are not part of the list, have counts.
  while (walk.nextNode()) if (!walk.currentNode.parentElement?.closest('nav')) texts.push(walk.currentNode.textContent ?? '')
  expect(texts.filter((text) => text.trim() === '0')).toEqual([])
})

test('the list of teams is narrowed by division and status, each from its first page', async () => {
  answers[participationsCall] = [
    ...Array.from({ length: 11 }, (_, at) => team(at + 1, `Crew ${at}`, 'Accepted', 'South')),
    team(20, 'Ebb', 'Rejected', 'North'),
  ]
  const place = await open(<ReviewScreen />, 'Review')
  const names = () =>
    [...place.querySelectorAll('li button[aria-controls]:not([aria-haspopup])')].map(({ textContent }) => textContent)
  const choose = async (label: string, option: string) => {
    await click(document.querySelector(`input[aria-label="${label}"]`))
    await click([...document.querySelectorAll('[role=option]')].find(({ textContent }) => textContent === option))
  }
  const pages = () =>
    [...place.querySelectorAll('button')].flatMap(({ textContent }) => (/^\d+$/.test(textContent ?? '') ? [textContent] : []))
  const options = () => [...document.querySelectorAll('[role=option]')].map(({ textContent }) => textContent)
  expect([names().length, pages()]).toEqual([10, ['1', '2']])
  await click([...place.querySelectorAll('button')].find(({ textContent }) => textContent === '2'))
  expect(names()).toEqual([expect.stringContaining('Crew 10'), expect.stringContaining('Ebb')])
  await write(named<HTMLInputElement>('Find a team'), ' CREW 1')
  expect([names().length, pages(), place.textContent?.includes('2 of 12')]).toEqual([2, [], true])
  await write(named<HTMLInputElement>('Find a team'), '')
  expect([names().length, pages()]).toEqual([10, ['1', '2']])
  // The selection counts the teams that are listed.
  await click(named('Select Crew 0'))
  expect(place.textContent).toContain('1 selected')
  expect(rowOf('Crew 0')?.textContent).toContain('South')
  await choose('Division', 'South')
  expect([names().length, place.textContent?.includes('11 of 12')]).toEqual([10, true])
  await click(document.querySelector('input[aria-label="Division"]'))
  expect(options().slice(0, 2)).toEqual(['North', 'South'])
  await choose('Division', 'North')
  expect(names()).toEqual([expect.stringContaining('Ebb')])
  expect([place.textContent?.includes('selected'), field('Select all 1').checked]).toEqual([false, false])
  await choose('Status', 'Accepted')
  expect(names()).toEqual([])
  for (const label of ['Division', 'Status']) {
    const select = document.querySelector(`input[aria-label="${label}"]`)
    await click(select?.closest('[class*=Input-wrapper]')?.querySelector('button'))
  }
  expect(names()).toHaveLength(10)
  // The last page has gone with its teams.
  await click([...place.querySelectorAll('button')].find(({ textContent }) => textContent === '2'))
  expect(names()).toHaveLength(2)
  answers[participationsCall] = (answers[participationsCall] as object[]).slice(0, 4)
  await hub.say('/hub/user', 'VexilGame', { gameId: 7, what: 'participations' })
  await until(() => expect([names().length, pages()]).toEqual([4, []]))
})

test('RV-3 without a team the list shows a message that requests appear automatically', async () => {
  answers[participationsCall] = []
  const place = await open(<ReviewScreen />, 'Review')
  expect(place.textContent).toContain('No teams yetNew requests appear here automatically.')
})

const rowOf = (name: string) => opener(name)?.closest('li')

test('RV-1 RV-8 an action asks, naming the new status; the status of the row changes, a refusal is shown; warnings are shown beside it', async () => {
  answers[`GET ${edit}`] = { ...(answers[`GET ${edit}`] as object), teamMemberCountLimit: 1 }
  const flow = { ...team(3, 'Flow'), registeredMembers: ['u', 'v'] }
  const twice = { ...team(2, 'ebb'), registeredMembers: ['v', 'w'] }
  answers[participationsCall] = [team(1, 'Ebb'), twice, flow]
  await open(<ReviewScreen />, 'Review')
  const marks = ['Ebb', 'ebb', 'Flow'].map((name) => rowOf(name)?.querySelector<HTMLElement>('[class*=mark]'))
  expect(marks.map((one) => one?.textContent)).toEqual(['same name', 'too many, same name', 'too many'])
  expect(marks.map((one) => one?.tabIndex)).toEqual([0, 0, 0])
  await act(async () => marks[1]?.focus())
  expect(document.querySelector('[role=tooltip]')?.textContent).toBe(
    'More members are registered than the game allows. Another team has the same name.',
  )
  await act(async () => marks[2]?.focus())
  expect(document.querySelector('[role=tooltip]')?.textContent).toBe('More members are registered than the game allows.')
  const accept = async () => {
    await click([...(rowOf('Ebb')?.querySelectorAll('button') ?? [])].find(({ textContent }) => textContent === 'Accept'))
    expect(document.body.textContent).toContain('Accept Ebb?')
    await click(dialogButton('Accept'))
  }
  answers['PUT /api/admin/participation/1/Accepted'] = refused('Disk is full', 500)
  await accept()
  expect(toasts()).toContainEqual({ title: 'Could not change the status', message: 'Disk is full', role: 'alert' })
  expect(rowOf('Ebb')?.textContent).toContain('Pending')
  answers['PUT /api/admin/participation/1/Accepted'] = () => {
    answers[participationsCall] = [team(1, 'Ebb', 'Accepted'), twice, flow]
    return new Response(null)
  }
  const reads = () => requests.filter((line) => line === participationsCall).length
  const before = reads()
  queries.setQueryData(keys.game(7).detail, {})
  await accept()
  await until(() => expect(rowOf('Ebb')?.textContent).toContain('Accepted'))
  await until(() => expect(reads()).toBe(before + 1))
  expect(rowOf('Flow')?.textContent).toContain('Pending')
  expect(toastTitles()).toContain('Ebb: Accepted')
  expect(areInvalidated(keys.game(7).detail)).toEqual([true])
  // Teams that are not listed count for the warnings, too.
  await click(document.querySelector('input[aria-label="Status"]'))
  await click([...document.querySelectorAll('[role=option]')].find(({ textContent }) => textContent === 'Accepted'))
  expect([...document.querySelectorAll('li [class*=mark]')].map(({ textContent }) => textContent)).toEqual(['same name'])
})

test('RV-6 FB-2 while one change of the status runs or must wait, no other can be started for the selected teams', async () => {
  answers[participationsCall] = [team(1, 'Ebb'), team(2, 'Flow')]
  let answer = (_: Response) => {}
  answers['PUT /api/admin/participation/1/Accepted'] = () => new Promise<Response>((done) => (answer = done))
  await open(<ReviewScreen />, 'Review')
  await click(named('Select Ebb'))
  const button = (word: string) => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === word)
  const ofRows = () =>
    [...document.querySelectorAll<HTMLButtonElement>('li button')].filter(({ textContent }) => textContent === 'Accept')
  const disabled = () => [...['Accept', 'Reject'].map(button), ...ofRows()].map((one) => one?.disabled)
  expect(disabled()).toEqual([false, false, false, false])
  await click(button('Accept'))
  await click(dialogButton('Accept'))
  await until(() => expect(disabled()).toEqual([true, true, true, true]))
  expect(toastTitles()).toEqual([expect.stringMatching(/^Changing/)])
  await act(async () => answer(json({ title: 'Too many requests', status: 429 }, 429)))
  await until(() => expect(toasts()).toMatchObject([{ message: 'Too many requests' }]))
  expect(disabled()).toEqual([true, true, true, true])
  expect(sent()).toEqual(['PUT /api/admin/participation/1/Accepted'])
})

test('RV-6 several teams are accepted or rejected after one question; the list is saved as CSV', async () => {
  answers[`GET ${edit}`] = { ...(answers[`GET ${edit}`] as object), title: 'Regatta 1/2' }
  const members = [{ userId: 'u', userName: 'ann' }]
  answers[participationsCall] = [
    { ...team(1, 'Ebb'), team: { ...team(1, 'Ebb').team, members } },
    team(2, 'Flow'),
    team(3, 'Tide'),
  ]
  for (const [id, status] of [
    [1, 'Accepted'],
    [2, 'Accepted'],
    [3, 'Rejected'],
  ])
    answers[`PUT /api/admin/participation/${id}/${status}`] = () => new Response(null)
  await open(<ReviewScreen />, 'Review')
  const many = async (word: string, question: string, ...names: string[]) => {
    for (const name of names) await click(named(`Select ${name}`))
    await click([...document.querySelectorAll('button')].find(({ textContent }) => textContent === word))
    expect(dialog()?.textContent).toContain(question)
    expect(dialogButton('Cancel')?.hasAttribute('data-autofocus')).toBe(word === 'Reject')
    await click(dialogButton(word))
  }
  await write(named<HTMLInputElement>('Find a team'), 'Reef')
  expect(document.body.textContent).toContain('No matching teams')
  expect(button('CSV')?.disabled).toBe(true)
  await click(button('Show all'))
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Find a team')
  await act(async () => (document.activeElement as HTMLElement).blur())
  await act(async () => void document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true })))
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Find a team')
  const all = () => {
    const { checked, indeterminate } = field('Select all 3')
    return { checked, indeterminate }
  }
  expect(all()).toEqual({ checked: false, indeterminate: false })
  expect(document.body.textContent).not.toContain('selected')
  await click(named('Select Ebb'))
  expect(document.body.textContent).toContain('1 selected')
  expect(all()).toEqual({ checked: false, indeterminate: true })
  for (const name of ['Flow', 'Tide']) await click(named(`Select ${name}`))
  expect(all()).toEqual({ checked: true, indeterminate: false })
  await click(field('Select all 3'))
  expect(all()).toEqual({ checked: false, indeterminate: false })
  await many('Accept', 'Accept 2 teams?Accepted teams can play and are locked.', 'Ebb', 'Flow')
  expect(toastTitles()).toEqual(['2 teams: Accepted'])
  // The selection ends with the change.
  expect(all()).toEqual({ checked: false, indeterminate: false })
  expect(document.body.textContent).not.toContain('selected')
  await many('Reject', 'Reject 1 team?', 'Tide')
  expect(sent()).toEqual(
    [1, 2].map((id) => `PUT /api/admin/participation/${id}/Accepted`).concat('PUT /api/admin/participation/3/Rejected'),
  )
  expect(toastTitles()).toContain('Tide: Rejected')
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  URL.revokeObjectURL = () => {}
  const names: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download)
  })
  await click(button('CSV'))
  expect(names).toEqual(['Regatta 1 2.csv'])
  const sheet = await (saved.mock.lastCall?.[0] as unknown as Blob | undefined)?.text()
  expect(sheet).toMatch(/^.*Team ID,Team,Division,Status.*\r\n1,Ebb,,Pending,ann,yes,yes,/)
})

test('RV-4 a list of teams that cannot be loaded shows the reason and a way to try again', async () => {
  answers[participationsCall] = refused('Out of order', 500)
  const place = await open(<ReviewScreen />, 'Review')
  expect(place.textContent).toContain('Out of order')
  answers[participationsCall] = [team(1, 'Ebb')]
  await click(button('Retry'))
  await until(() => expect(opener('Ebb')).toBeTruthy())
})

test('RV-7 a new request appears automatically, and an opened row stays open', async () => {
  answers[participationsCall] = [team(1, 'Ebb')]
  await open(<ReviewScreen />, 'Review')
  await click(opener('Ebb'))
  answers[participationsCall] = [team(1, 'Ebb'), team(2, 'Flow')]
  await hub.say('/hub/user', 'VexilGame', { gameId: 7, what: 'participations' })
  await until(() => expect(opener('Flow')).toBeTruthy())
  expect(opener('Ebb')?.getAttribute('aria-expanded')).toBe('true')
})
