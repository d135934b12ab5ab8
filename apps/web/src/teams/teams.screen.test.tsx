// @vitest-environment jsdom
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { TeamInfo } from '@vexil/contract/teams'
import { act, type ReactNode, useEffect } from 'react'
import { Link } from 'react-router'
import { expect, onTestFinished, test, vi } from 'vitest'
import { button, click, field, named, send, settle, write } from '../../test/acts.ts'
import { Back, device, openPage, toasts, until, Where, where } from '../../test/page.tsx'
import { acts, type RecordedCall, refuse, serve } from '../../test/server.ts'
import { keys } from '../api/query-keys.ts'
import { gameQuery, myGamesQuery, myTeamsQuery } from '../api/shared.queries.ts'
import TeamsScreen from './teams.screen.tsx'

const member = (id: string, captain = false) => ({ id, userName: `${id}-name`, bio: null, avatar: null, captain })
const team = (id: number, name: string, captain: string, others: string[] = [], part: Partial<TeamInfo> = {}): TeamInfo => ({
  id,
  name,
  bio: `Of ${name}`,
  avatar: null,
  locked: false,
  members: [member(captain, true), ...others.map((one) => member(one))],
  ...part,
})
const code = (of: TeamInfo) => `${of.name}:${of.id}:${String(of.id % 10).repeat(32)}`

type Answer = (call: RecordedCall, teams: TeamInfo[]) => unknown

/** The teams screen for `ann`, next to another part, on a server with these teams; `answer` may change the list. */
async function open(teams: TeamInfo[] = [], answer: Answer = () => undefined, address = '/Teams', beside: ReactNode = null) {
  const requests = serve((call) => {
    const given = answer(call, teams)
    if (given !== undefined || call.method !== 'GET') return given
    const invited = teams.find(({ id }) => call.path === `/api/team/${id}/invite`)
    if (invited) return code(invited)
    return call.path === '/api/team' ? teams : []
  })
  const place = await openPage(
    <>
      <Where />
      <Link to="/Teams?team=2">the second team</Link>
      <TeamsScreen />
      {beside}
    </>,
    [
      [keys.config, { title: 'Harbour', setupRequired: false }],
      [keys.profile, { userId: 'ann', userName: 'ann-name', role: 'User' }],
    ],
    address,
  )
  await settle()
  return { place, requests }
}
const dialogs = () => [...document.querySelectorAll<HTMLElement>('[role=dialog]')]
/** The confirmation, if one is open, else the topmost dialog. */
const dialog = () => dialogs().find((one) => /\?/.test(one.querySelector('h2')?.textContent ?? '')) ?? dialogs().at(-1)
const inDialog = (text: string) => [...(dialog()?.querySelectorAll('button') ?? [])].find((one) => one.textContent === text)
const card = (place: ParentNode, name: string) =>
  [...place.querySelectorAll<HTMLElement>('li > button')].find((one) => one.textContent?.includes(name))
const tips = () => [...document.querySelectorAll('[role=tooltip]')].map(({ textContent }) => textContent)
/** Points at an element, by mouse or finger. */
const point = (at: Element | null | undefined, pointerType = 'mouse') =>
  act(async () => void at?.dispatchEvent(Object.assign(new Event('pointerover', { bubbles: true }), { pointerType })))
const invited = () => dialog()?.querySelector('[role=group]')?.textContent ?? ''

test('TEAM-2 an invite link opens the join dialog with its code; closing the dialog removes the code from the address', async () => {
  const gulls = team(1, 'Gulls', 'bob')
  const { requests } = await open([], undefined, `/Teams?${new URLSearchParams({ join: code(gulls) })}`, <Back />)
  expect(field('Invite code').value).toBe(code(gulls))
  expect(acts(requests)).toEqual([])
  await send(field('Invite code'))
  expect(acts(requests)).toEqual([{ call: 'POST /api/team/accept', body: code(gulls) }])
  expect(where()).toBe('/Teams')
  await until(() => expect(dialog()).toBeUndefined())
  // The link is not an entry of the history any more.
  await click(button('Back'))
  expect([where(), dialog()]).toEqual(['/Teams', undefined])
})

test('TEAMS-9 TEAM-2 an invite link on the way to a game keeps the game when its dialog is closed, and leads to the game after joining', async () => {
  const way = { for: '7', division: 'Open' }
  const join = code(team(1, 'Gulls', 'bob'))
  await open([], undefined, `/Teams?${new URLSearchParams({ ...way, join })}`)
  await click(named('Close'))
  expect(where()).toBe('/Teams?for=7&division=Open')
  await click(button('Join a team'))
  await write(field('Invite code'), join)
  await send(field('Invite code'))
  // The answer does not name the team.
  await until(() => expect(where()).toMatch(/^\/games\/7\?/))
  expect(new URLSearchParams(where()?.split('?')[1]).get('division')).toBe('Open')
})

test('the list of teams is read again every two minutes', async () => {
  const pauses = new Set<unknown>()
  function Pauses() {
    const queries = useQueryClient()
    useEffect(() => {
      for (const { options } of queries.getQueryCache().find(myTeamsQuery)?.observers ?? []) pauses.add(options.refetchInterval)
    })
    return null
  }
  await open([], undefined, '/Teams', <Pauses />)
  expect([...pauses]).toEqual([120_000])
})

test('TEAM-1 joining shows a message and the team; a refusal of the server is shown in the dialog, with the typed text', async () => {
  const gulls = team(1, 'Gulls', 'bob', ['ann'])
  let full = true
  const { place, requests } = await open([], ({ method }, teams) => {
    if (method !== 'POST') return undefined
    if (full) return refuse('The team is full', 'team.full')
    teams.push(gulls)
  })
  await click(button('Join a team'))
  await write(field('Invite code'), code(gulls))
  await send(field('Invite code'))
  expect(dialog()?.textContent).toContain('The team is full')
  expect(toasts()).toEqual([])
  expect(field('Invite code').value).toBe(code(gulls))
  expect(card(place, 'Gulls')).toBeUndefined()
  full = false
  await send(field('Invite code'))
  expect(acts(requests)).toEqual(Array(2).fill({ call: 'POST /api/team/accept', body: code(gulls) }))
  expect(toasts()).toEqual([expect.objectContaining({ title: 'You joined the team', role: 'status' })])
  await until(() => expect(card(place, 'Gulls')).toBeTruthy())
  await until(() => expect(dialog()).toBeUndefined())
})

test('TEAM-4 a user without a team sees what teams are and both ways to get one', async () => {
  const { place } = await open()
  expect(place.textContent).toContain('No teams yet')
  // In the message, and not in the head as well.
  expect([...place.querySelectorAll('button')].map(({ textContent }) => textContent)).toEqual(['Join a team', 'Create a team'])
  expect(place.textContent).toContain('Points belong to a team.')
  await click(button('Join a team'))
  await until(() => expect(document.activeElement).toBe(field('Invite code')))
  expect(field('Invite code').getAttribute('autocomplete')).toBe('off')
  await click(named('Close'))
  await until(() => expect(dialog()).toBeUndefined())
  await click(button('Join a team'))
  await click(inDialog('Cancel'))
  await until(() => expect(dialog()).toBeUndefined())
  for (const close of [() => inDialog('Cancel'), () => named('Close')]) {
    await click(button('Create a team'))
    await until(() => expect(document.activeElement).toBe(field('Name')))
    expect(field('Name').getAttribute('autocomplete')).toBe('off')
    await click(close())
    await until(() => expect(dialog()).toBeUndefined())
  }
})

test('TEAM-3 a team is created with a name and a description; the message names it and mentions invitations', async () => {
  const made = team(3, 'Kombu', 'ann', [], {
    bio: null,
    avatar: '/assets/team.webp',
    members: [{ ...member('ann', true), avatar: '/assets/ann.webp' }],
  })
  const held = Promise.withResolvers<void>()
  const { place, requests } = await open([], ({ method }, teams) => {
    if (method !== 'POST') return undefined
    return held.promise.then(() => {
      teams.push(made)
      return made
    })
  })
  await click(button('Create a team'))
  expect([field('Name').maxLength, field('About the team').maxLength]).toEqual([20, 72])
  expect(dialog()?.textContent).toContain('0 / 72')
  await send(field('Name'))
  expect(field('Name').getAttribute('aria-invalid')).toBe('true')
  expect(acts(requests)).toEqual([])
  await write(field('Name'), ' Kombu ')
  expect(field('Name').getAttribute('aria-invalid')).toBeNull()
  await write(field('About the team'), ' weeds')
  expect(dialog()?.textContent).toContain('6 / 72')
  await send(field('Name'))
  expect(acts(requests)).toEqual([{ call: 'POST /api/team', body: { name: 'Kombu', bio: 'weeds' } }])
  expect([field('Name').disabled, field('About the team').disabled]).toEqual([true, true])
  await act(async () => held.resolve())
  await settle()
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Kombu created. Invite members next' })])
  await until(() => expect(card(place, 'Kombu')?.textContent).toMatch(/No description yet\..*Captain/))
  expect(card(place, 'Kombu')?.querySelector('.tabler-icon-star')).toBeTruthy()
  const pictures = [...(card(place, 'Kombu')?.querySelectorAll('img') ?? [])].map((one) => one.getAttribute('src'))
  expect(pictures).toEqual(['/assets/team.webp', '/assets/ann.webp'])
})

test('a team of more than six members shows six of them and the number of the others', async () => {
  const crew = Array.from({ length: 7 }, (_, at) => `m${at}`)
  const { place } = await open([
    team(1, 'Gulls', 'bob', ['ann', ...crew]),
    team(2, 'Terns', 'bob', ['ann', ...crew.slice(0, 4)], { locked: true }),
  ])
  const faces = (name = 'Gulls') =>
    [...(card(place, name)?.querySelectorAll('[role=img]') ?? [])].map((one) => one.getAttribute('aria-label'))
  // Six members, and the lock of a team in a running game.
  expect(faces('Terns')).toEqual(['Locked', 'bob-name', 'ann-name', 'm0-name', 'm1-name', 'm2-name', 'm3-name'])
  expect(card(place, 'Terns')?.textContent).toMatch(/Of Terns.*Member$/)
  expect(card(place, 'Terns')?.querySelector('.tabler-icon-star')).toBeNull()
  expect(faces()).toEqual(['bob-name', 'ann-name', 'm0-name', 'm1-name', 'm2-name', 'm3-name'])
  expect(card(place, 'Gulls')?.textContent).toMatch(/Member.*\+3$/)
  const more = [...(card(place, 'Gulls')?.querySelectorAll('span') ?? [])].findLast(({ textContent }) => textContent === '+3')
  await point(more)
  await until(() => expect(tips()).toContain('m4-name, m5-name, m6-name'))
  for (const [name, tip] of [
    ['Locked', 'Locked: the team is in a game, so members cannot leave or be removed until it ends.'],
    ['ann-name', 'ann-name'],
  ] as const) {
    await point(card(place, 'Terns')?.querySelector(`[aria-label="${name}"]`))
    await until(() => expect(tips()).toContain(tip))
  }
})

test('TEAM-3 a captain sees that each player may own only one team; a member may create one; a refusal keeps the typed text', async () => {
  await open([team(1, 'Gulls', 'ann')])
  await click(button('Create a team'))
  expect(dialog()?.textContent).toContain('Each player may own only one team, and you are captain of Gulls')
  expect(dialog()?.querySelector('input, form')).toBeNull()
  await until(() => expect(document.activeElement).toBe(inDialog('Close')))
  await click(inDialog('Close'))
  await until(() => expect(dialog()).toBeUndefined())
  await open([team(2, 'Terns', 'bob', ['ann'])], ({ method }) =>
    method === 'POST' ? refuse('You own a team already', 'team.owned') : undefined,
  )
  await click(button('Create a team'))
  await write(field('Name'), 'Kombu')
  await send(field('Name'))
  expect(dialog()?.textContent).toContain('You own a team already')
  expect(field('Name').value).toBe('Kombu')
})

test('TEAM-5 the captain may transfer to, and remove, each other member, but not themselves', async () => {
  const members = [member('bob'), member('ann', true), member('cy')]
  const { place } = await open([team(1, 'Gulls', 'ann', [], { members })], undefined, '/Teams', <Back />)
  await click(card(place, 'Gulls'))
  // The team has a description; only that of a new one is counted.
  expect(field('About the team').value).toBe('Of Gulls')
  expect(dialog()?.textContent).not.toContain('/ 72')
  expect([...(dialog()?.querySelectorAll('h3') ?? [])].at(-1)?.textContent).toBe('3 members')
  const rows = [...(dialog()?.querySelectorAll('ul > li') ?? [])].filter((row) => row.textContent?.endsWith('-name'))
  expect(rows.map((row) => [row.textContent, row.querySelectorAll('button').length])).toEqual([
    ['ann-name', 0],
    ['bob-name', 2],
    ['cy-name', 2],
  ])
  expect(rows.map((row) => row.querySelector('svg[role=img]')?.getAttribute('aria-label'))).toEqual([
    'Captain',
    undefined,
    undefined,
  ])
  await act(async () => named('Remove bob-name')?.focus())
  await until(() => expect(tips()).toContain('Remove'))
  // Without a lock there is no warning.
  await act(async () => inDialog('Disband team')?.focus())
  await settle()
  expect(tips()).toEqual([])
  // The opened team is an entry of the history.
  expect(where()).toBe('/Teams?team=1')
  await click(button('Back'))
  expect(where()).toBe('/Teams')
  await until(() => expect(dialog()).toBeUndefined())
})

test('TEAM-5 the captain is transferred after a question that names team and user; the dialog changes to that of a member at once', async () => {
  let listed = 0
  let fails = true
  const late = Promise.withResolvers<void>()
  const gulls = team(1, 'Gulls', 'bob', ['ann'], { bio: null, avatar: '/assets/gulls.webp' })
  gulls.members?.push({ ...member('cy'), avatar: '/assets/cy.webp' })
  const { place, requests } = await open(
    [team(1, 'Gulls', 'ann', ['bob', 'cy']), team(2, 'Terns', 'dan', ['ann'])],
    ({ path }, teams) => {
      // The list is late after the change: the answer to the change is enough.
      if (path === '/api/team' && ++listed > 2) return late.promise.then(() => teams)
      if (!path.endsWith('/transfer')) return undefined
      if (fails) return refuse('The team is full', 'team.full')
      teams[0] = gulls
      return teams[0]
    },
  )
  await click(card(place, 'Gulls'))
  await click(named('Make bob-name captain'))
  expect(dialog()?.textContent).toContain('Transfer Gulls to bob-name?You stay in the team as a member.')
  await click(inDialog('Cancel'))
  expect(acts(requests)).toEqual([])
  await click(named('Make bob-name captain'))
  await click(inDialog('Make captain'))
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Could not change the captain', message: 'The team is full' })])
  await until(() => expect(listed).toBe(2))
  fails = false
  await click(named('Make bob-name captain'))
  await click(inDialog('Make captain'))
  expect(acts(requests)).toEqual(Array(2).fill({ call: 'PUT /api/team/1/transfer', body: { newCaptainId: 'bob' } }))
  await until(() => expect(inDialog('Leave team')).toBeTruthy())
  expect(dialog()?.querySelector('input, form')).toBeNull()
  expect(dialog()?.textContent).toContain('No description yet.')
  const pictures = [...(dialog()?.querySelectorAll('img') ?? [])].map((one) => one.getAttribute('src'))
  expect(pictures).toEqual(['/assets/gulls.webp', '/assets/cy.webp'])
  expect(named('Remove cy-name')).toBeUndefined()
  expect(card(place, 'Gulls')?.textContent).not.toContain('Captain')
  // The other team is not changed.
  expect(card(place, 'Terns')).toBeTruthy()
  expect(listed).toBe(3)
  late.resolve()
  await until(() => expect(toasts()).toEqual([expect.objectContaining({ title: 'bob-name is now captain', role: 'status' })]))
})

test('TEAM-6 a member is removed after a question; the buttons of a locked team work and show a warning, the server decides, and a refusal reads the list again', async () => {
  let locked = true
  const gulls = team(1, 'Gulls', 'ann', ['bob', 'cy'], { locked: true })
  const { place, requests } = await open([gulls], ({ path }, teams) => {
    if (!path.includes('/kick/')) return undefined
    if (locked) {
      // Another member has joined since the list was read.
      teams[0] = team(1, 'Gulls', 'ann', ['bob', 'cy', 'dan'], { locked: true })
      return refuse('The team is locked until its game ends', 'team.locked')
    }
    teams[0] = team(1, 'Gulls', 'ann', ['cy'])
    return teams[0]
  })
  await click(card(place, 'Gulls'))
  const remove = named<HTMLButtonElement>('Remove bob-name')
  expect(dialog()?.textContent).toContain('Locked: the team is in a game')
  expect([remove?.disabled, named<HTMLButtonElement>('Make bob-name captain')?.disabled]).toEqual([false, false])
  await act(async () => remove?.focus())
  await until(() =>
    expect([...document.querySelectorAll('[role=tooltip]')].map((one) => one.textContent)).toContain(
      'Remove. The team is locked. This may be refused until its game ends.',
    ),
  )
  // A finger shows it, too.
  for (const [tool, word] of [
    ['Make bob-name captain', 'Make captain'],
    ['Remove cy-name', 'Remove'],
  ] as const) {
    await point(named(tool), 'touch')
    const tip = () => document.getElementById(named(tool)?.getAttribute('aria-describedby') ?? '')?.textContent
    await until(() => expect(tip()).toBe(`${word}. The team is locked. This may be refused until its game ends.`))
  }
  await click(remove)
  expect(dialog()?.textContent).toContain('Remove bob-name from Gulls?Their game registrations with this team end too.')
  expect(acts(requests)).toEqual([])
  await click(inDialog('Remove'))
  expect(acts(requests)).toEqual([{ call: 'POST /api/team/1/kick/bob', body: undefined }])
  expect(toasts()).toEqual([
    expect.objectContaining({
      title: 'Could not remove the member',
      message: 'The team is locked until its game ends',
      role: 'alert',
    }),
  ])
  expect(named('Remove bob-name')).toBeTruthy()
  await until(() => expect(named('Remove dan-name')).toBeTruthy())
  locked = false
  await click(named('Remove bob-name'))
  await click(inDialog('Remove'))
  await until(() => expect(named('Remove bob-name')).toBeUndefined())
  expect(named('Remove cy-name')).toBeTruthy()
  expect(toasts()).toEqual([expect.objectContaining({ title: 'bob-name removed', role: 'status' })])
})

test.each([
  ['removed', 'Remove bob-name', 'Remove', '/kick/'],
  ['made captain', 'Make bob-name captain', 'Make captain', '/transfer'],
])(
  'FB-2 FB-3 while a member is %s, and after too many requests, the buttons of the members wait, as does that of the code',
  async (_, tool, yes, of) => {
    const tooMany = () => refuse('Too many requests', 'request.too_many', 429)
    const held = Promise.withResolvers<Response>()
    const { place } = await open([team(1, 'Gulls', 'ann', ['bob', 'cy'])], ({ method, path }) =>
      path.includes(of) ? held.promise : method !== 'GET' ? tooMany() : undefined,
    )
    await click(card(place, 'Gulls'))
    await click(named(tool))
    await click(inDialog(yes))
    const disabled = () => ['Remove cy-name', 'Make cy-name captain'].map((name) => named<HTMLButtonElement>(name)?.disabled)
    expect(disabled()).toEqual([true, true])
    await act(async () => held.resolve(tooMany()))
    await until(() => expect(toasts()).toMatchObject([{ message: 'Too many requests' }]))
    expect(disabled()).toEqual([true, true])
    await click(named('Generate new code'))
    await click(inDialog('Generate new code'))
    await until(() => expect(toasts()).toHaveLength(2))
    expect(named<HTMLButtonElement>('Generate new code')?.disabled).toBe(true)
  },
)

for (const { kind, label, mine, call, asks, done } of [
  {
    ...{ kind: 'disbanded', label: 'Disband team', mine: 'ann', call: 'DELETE /api/team/1', done: 'Gulls disbanded' },
    asks: 'Disband Gulls?The team is deleted for all members.',
  },
  {
    ...{ kind: 'left', label: 'Leave team', mine: 'bob', call: 'POST /api/team/1/leave', done: 'You left Gulls' },
    asks: 'Leave Gulls?Your game registrations with this team end.',
  },
])
  test(`TEAM-7 a team is ${kind} after a question that names it; while locked the server refuses; then card and dialog disappear`, async () => {
    let locked = true
    const all = [team(1, 'Gulls', mine, mine === 'ann' ? ['bob'] : ['ann'], { locked: true }), team(2, 'Terns', 'cy', ['ann'])]
    const { place, requests } = await open(all, ({ method, path }, teams) => {
      // The captain's next list is late: the card disappears before it arrives.
      if (path === '/api/team' && all.length === 1 && mine === 'ann') return new Promise(() => undefined)
      if (method === 'GET' || !path.startsWith('/api/team/1')) return undefined
      if (locked) return refuse('The team is locked until its game ends', 'team.locked')
      teams.shift()
      return undefined
    })
    await click(card(place, 'Gulls'))
    expect(button(label)?.disabled).toBe(false)
    await point(button(label), 'touch')
    await until(() => expect(tips()).toEqual(['The team is locked. This may be refused until its game ends.']))
    await click(button(label))
    expect(dialog()?.textContent).toContain(asks)
    await click(inDialog('Cancel'))
    expect(acts(requests)).toEqual([])
    await click(button(label))
    await click(inDialog(label))
    expect(acts(requests)).toEqual([{ call, body: undefined }])
    const title = `Could not ${label.toLowerCase().replace('team', 'the team')}`
    expect(toasts()).toEqual([{ title, message: 'The team is locked until its game ends', role: 'alert' }])
    expect(card(place, 'Gulls')).toBeTruthy()
    locked = false
    await click([...(dialogs()[0]?.querySelectorAll('button') ?? [])].find((one) => one.textContent === label))
    await click(inDialog(label))
    await until(() => expect(card(place, 'Gulls')).toBeUndefined())
    await until(() => expect(dialog()).toBeUndefined())
    expect(card(place, 'Terns')).toBeTruthy()
    expect(where()).toBe('/Teams')
    if (kind === 'left') expect(toasts()).toEqual([expect.objectContaining({ title: done, role: 'status' })])
    // At first, after the refusal and at the end.
    expect(requests.filter(({ path }) => path === '/api/team')).toHaveLength(3)
  })

test('a team that is no longer in the list leaves the address, and one that is being loaded stays', async () => {
  const all = [team(1, 'Gulls', 'bob', ['ann'])]
  let late = Promise.withResolvers<void>()
  let fails = true
  function Reload() {
    const queries = useQueryClient()
    return (
      <button type="button" onClick={() => void queries.invalidateQueries(myTeamsQuery)}>
        Reload
      </button>
    )
  }
  await open(
    all,
    async ({ path }, teams) => {
      if (path !== '/api/team') return undefined
      await late.promise
      return fails ? refuse('Out of order', 'server.unknown', 500) : [...teams]
    },
    '/Teams?team=1&for=7',
    <>
      <Reload />
      <Back />
    </>,
  )
  expect(where()).toBe('/Teams?team=1&for=7')
  late.resolve()
  await until(() => expect(document.body.textContent).toContain('Out of order'))
  // Nothing is known about the team yet.
  expect(where()).toBe('/Teams?team=1&for=7')
  fails = false
  await click(button('Reload'))
  await until(() => expect(dialog()?.textContent).toContain('Gulls'))
  all.pop()
  await click(button('Reload'))
  await until(() => expect(where()).toBe('/Teams?for=7'))
  // A list that is being read may have the team of a followed link.
  late = Promise.withResolvers()
  all.push(team(2, 'Terns', 'bob', ['ann']))
  await click(button('Reload'))
  await click([...document.querySelectorAll('a')].find((one) => one.textContent === 'the second team'))
  expect(where()).toBe('/Teams?team=2')
  late.resolve()
  await until(() => expect(dialog()?.textContent).toContain('Terns'))
  // The address of a team that is gone is no entry of the history.
  all.pop()
  await click(button('Reload'))
  await until(() => expect(where()).toBe('/Teams'))
  await click(button('Back'))
  expect(where()).toBe('/Teams?for=7')
  all.push(team(2, 'Terns', 'bob', ['ann']))
  await click(button('Reload'))
  await click(card(document, 'Terns'))
  expect(where()).toBe('/Teams?for=7&team=2')
})

test('TEAM-8 only a captain sees the invite code, of the open team and no other', async () => {
  let late = false
  const [gulls, terns] = [team(1, 'Gulls', 'ann'), team(2, 'Terns', 'ann')]
  const renewed = code({ ...gulls, id: 9 } as TeamInfo)
  const held = Promise.withResolvers<void>()
  const { place, requests } = await open([gulls, terns, team(3, 'Auks', 'cy', ['ann'])], ({ method, path }) => {
    if (!path.endsWith('/invite')) return undefined
    return method === 'GET' ? (late ? new Promise(() => undefined) : undefined) : held.promise.then(() => renewed)
  })
  const asksInvite = () =>
    requests.filter(({ method, path }) => method === 'GET' && path.endsWith('/invite')).map(({ path }) => path)
  expect(asksInvite()).toEqual([])
  await click(card(place, 'Gulls'))
  await until(() => expect(named('Show')).toBeTruthy())
  expect(dialog()?.querySelector('[role=group]')?.getAttribute('aria-label')).toBe('Invite code')
  expect(invited()).toContain(`Gulls:1:${'•'.repeat(16)}`)
  expect(invited()).not.toContain('1'.repeat(32))
  const copied: string[] = []
  Object.assign(navigator, { clipboard: { writeText: async (text: string) => void copied.push(text) } })
  // The code is copied whole, also while it is hidden.
  await click(dialog()?.querySelector('[role=group] [aria-label=Copy]'))
  expect(copied.splice(0)).toEqual([code(gulls)])
  await click(named('Show'))
  await until(() => expect(invited()).toContain('1'.repeat(32)))
  await click(named('Hide'))
  expect(invited()).not.toContain('1'.repeat(32))
  await click(named('Show'))
  await click(named('Generate new code'))
  expect([dialog()?.textContent, acts(requests)]).toEqual([expect.stringContaining('stop working immediately'), []])
  await click(inDialog('Generate new code'))
  expect(named<HTMLButtonElement>('Generate new code')?.disabled).toBe(true)
  held.resolve()
  await until(() => expect(invited()).toContain('9'.repeat(32)))
  expect(toasts()).toEqual([expect.objectContaining({ title: 'New invite code generated', role: 'status' })])
  const clipboard = vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('refused'))
  Object.assign(document, { execCommand: () => false })
  await click(button('Copy invite link'))
  expect(toasts().map(({ title }) => title)).not.toContain('Invite link copied')
  clipboard.mockRestore()
  await click(button('Copy invite link'))
  expect(copied).toEqual([`${location.origin}/Teams?${new URLSearchParams({ join: renewed })}`])
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Invite link copied' })])
  late = true
  const served = fetch
  let signal: AbortSignal | null | undefined
  vi.stubGlobal('fetch', (input: string, init?: RequestInit) => {
    if (input.endsWith('/2/invite')) signal = init?.signal
    return served(input, init)
  })
  // Navigates without closing the first dialog, as back and forward do.
  await click([...place.querySelectorAll('a')].find((one) => one.textContent === 'the second team'))
  expect(dialog()?.textContent).toContain('Terns')
  expect(button('Copy invite link')?.disabled).toBe(true)
  for (const digit of ['1', '9']) expect(document.body.innerHTML).not.toContain(digit.repeat(32))
  expect(asksInvite()).toEqual(['/api/team/1/invite', '/api/team/2/invite'])
  expect(signal?.aborted).toBe(false)
  await click(named('Close'))
  await until(() => expect(signal?.aborted).toBe(true))
  await click(card(place, 'Auks'))
  expect(inDialog('Leave team')).toBeTruthy()
  expect(asksInvite()).toHaveLength(2)
  // A code that is no longer shown is not kept.
  await click(named('Close'))
  await until(() => expect(dialog()).toBeUndefined())
  await click(card(place, 'Gulls'))
  await until(() => expect(asksInvite()).toHaveLength(3))
  expect(document.body.innerHTML).not.toContain('9'.repeat(32))
})

test('a new name of the team appears in a game that is open, and the list of own games is requested again', async () => {
  const gulls = team(1, 'Gulls', 'ann')
  function OwnGame() {
    const { data } = useQuery(gameQuery(3))
    useQuery(myGamesQuery)
    return <p>You play for {data?.teamName}</p>
  }
  const answer: Answer = ({ method, path, body }, teams) => {
    if (path === '/api/game/3') return { id: 3, teamName: teams[0]?.name }
    if (method !== 'PUT') return undefined
    teams[0] = { ...gulls, ...(body as object) }
    return teams[0]
  }
  const { place, requests } = await open([gulls], answer, '/Teams', <OwnGame />)
  const lists = () => requests.filter(({ path }) => path === '/api/account/games').length
  await until(() => expect([place.textContent, lists()]).toEqual([expect.stringContaining('You play for Gulls'), 1]))
  await click(card(place, 'Gulls'))
  await write(field('Name'), ' Kittiwakes ')
  await click(inDialog('Save'))
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Team saved', role: 'status' })])
  expect(acts(requests).at(-1)?.body).toEqual({ name: 'Kittiwakes', bio: 'Of Gulls' })
  await until(() => expect([field('Name').value, inDialog('Save')?.disabled]).toEqual(['Kittiwakes', true]))
  await until(() => expect([place.textContent, lists()]).toEqual([expect.stringContaining('You play for Kittiwakes'), 2]))
  // The call keeps the name, which an administrator may have changed.
  await write(field('About the team'), ' Of kittiwakes\n')
  await send(field('Name'))
  expect(acts(requests).at(-1)?.body).toEqual({ bio: 'Of kittiwakes' })
})

test.each([
  ['team.name_invalid', 'This name is not allowed', true, []],
  ['team.renamed_too_soon', 'The team was renamed a moment ago', true, ['Could not save the team']],
  ['team.locked', 'The team is locked until its game ends', false, ['Could not save the team']],
])(
  'a refusal of the server (%s) is shown at the name if it is about the name, until another one is typed',
  async (code, words, isAtName, titles) => {
    const { place } = await open([team(1, 'Gulls', 'ann')], ({ method }) => (method === 'PUT' ? refuse(words, code) : undefined))
    await click(card(place, 'Gulls'))
    await write(field('Name'), 'Kittiwakes')
    await send(field('Name'))
    const said = () => field('Name').closest('.mantine-InputWrapper-root')?.textContent?.includes(words)
    expect(said()).toBe(isAtName)
    expect(toasts().map(({ title }) => title)).toEqual(titles)
    await write(field('Name'), 'Terns')
    expect(said()).toBe(false)
  },
)

test('an invite code that could not be loaded is requested again on request', async () => {
  const gulls = team(1, 'Gulls', 'ann')
  let fails = true
  const { place } = await open([gulls], ({ method, path }) =>
    (fails || method !== 'GET') && path === '/api/team/1/invite' ? refuse('Out of order', 'server.unknown', 500) : undefined,
  )
  // The dialog has the whole screen of a phone.
  device.width = 400
  onTestFinished(() => {
    device.width = undefined
  })
  await click(card(place, 'Gulls'))
  await until(() => expect(dialog()?.closest('[data-full-screen]')).toBeTruthy())
  await until(() => expect(dialog()?.textContent).toContain('Out of order'))
  expect(named('Show')).toBeUndefined()
  fails = false
  await click(inDialog('Retry'))
  await until(() => expect(named('Show')).toBeTruthy())
  expect(dialog()?.textContent).not.toContain('Out of order')
  await click(named('Generate new code'))
  await click(inDialog('Generate new code'))
  expect(toasts()).toEqual([{ title: 'Could not change the code', message: 'Out of order', role: 'alert' }])
})

test('the dialog for the picture of a team closes without a change, and after a picture was uploaded', async () => {
  Object.assign(URL, { createObjectURL: () => 'blob:preview', revokeObjectURL: () => {} })
  const { place, requests } = await open([team(1, 'Gulls', 'ann', [], { avatar: '/assets/gulls.webp' })])
  const lists = () => requests.filter(({ path }) => path === '/api/team').length
  await click(card(place, 'Gulls'))
  const shown = () => dialogs().map((one) => one.querySelector('img')?.getAttribute('src'))
  expect(shown()).toEqual(['/assets/gulls.webp'])
  const titles = () => dialogs().map((one) => one.querySelector('h2')?.textContent)
  const openPicture = async () => {
    await click([...(dialog()?.querySelectorAll('button') ?? [])].find((one) => one.textContent?.endsWith('Change avatar')))
    await until(() => expect(titles()).toEqual(['Gulls', 'Change avatar']))
  }
  await openPicture()
  expect(shown()).toEqual(['/assets/gulls.webp', '/assets/gulls.webp'])
  await click(inDialog('Cancel'))
  await until(() => expect(titles()).toEqual(['Gulls']))
  expect(acts(requests)).toEqual([])
  await openPicture()
  const file = new File([new Uint8Array(10)], 'gulls.png', { type: 'image/png' })
  await act(async () => window.dispatchEvent(Object.assign(new Event('paste'), { clipboardData: { files: [file] } })))
  await click(inDialog('Save'))
  await until(() => expect(titles()).toEqual(['Gulls']))
  expect(acts(requests).map(({ call }) => call)).toEqual(['PUT /api/team/1/avatar'])
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Avatar changed' })])
  await until(() => expect(lists()).toBe(2))
})

test('TEAM-9 saving twice sends one call, and closing meanwhile sends none', async () => {
  let finish = () => {}
  const { place, requests } = await open([team(1, 'Gulls', 'ann', [], { bio: null })], ({ method }) =>
    method === 'PUT' ? new Promise<object>((done) => (finish = () => done({}))) : undefined,
  )
  await click(card(place, 'Gulls'))
  expect(inDialog('Save')?.disabled).toBe(true)
  // Without a change nothing is sent.
  await send(field('Name'))
  expect(acts(requests)).toEqual([])
  await write(field('About the team'), 'weeds')
  expect(inDialog('Save')?.disabled).toBe(false)
  await write(field('About the team'), '')
  expect(inDialog('Save')?.disabled).toBe(true)
  await write(field('Name'), ' ')
  await send(field('Name'))
  expect(dialog()?.textContent).toContain('Enter a team name')
  await write(field('Name'), 'Kittiwakes')
  expect(dialog()?.textContent).not.toContain('Enter a team name')
  const lists = () => requests.filter(({ method, path }) => method === 'GET' && path === '/api/team').length
  const before = lists()
  const form = field('Name').closest('form')
  const submit = () => form?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
  await act(async () => {
    submit()
    submit()
  })
  await settle()
  expect([field('Name').disabled, field('About the team').disabled]).toEqual([true, true])
  await act(async () => void submit())
  await click(named('Close'))
  await act(async () => void submit())
  await act(async () => finish())
  await settle()
  expect(acts(requests)).toEqual([{ call: 'PUT /api/team/1', body: { name: 'Kittiwakes', bio: '' } }])
  expect(lists()).toBe(before + 1)
})
