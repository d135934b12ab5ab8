/** Screens of a player, in the states that a game can be in. */
import type { Page } from '@playwright/test'
import type { Facts } from '../../e2e/demo.ts'
import { answer, asGame, asSite, change, hang, refuse, running, startFailed, starting, times } from './answers.ts'
import { openMenu, press } from './of-visitors.ts'
import type { Screen, Texts } from './screen.ts'

/** A name in the table, not the one in the description of the chart. */
const rowOfTeam = 'main tbody button:text("Kombu Overflow")'
const dialog = '[role=dialog]'

const game = ({ gameId }: Facts) => `/games/${gameId}`
const play = ({ gameId }: Facts) => `/games/${gameId}/Challenges`
const scoreboard = ({ gameId }: Facts) => `/games/${gameId}/Scoreboard`
const open = (facts: Facts) => `${play(facts)}?c=${facts.open}`
const pump = (facts: Facts) => `${play(facts)}?c=${facts.pump}`

const details = /\/api\/game\/\d+\/details$/
const feed = /\/scoreboard\/feed$/
const teams = /^\/api\/team$/

const sendFlag = async (page: Page) => {
  await page.locator(`${dialog} form input`).first().fill('flag{not_this_one}')
  await page.locator(`${dialog} form button[type=submit]`).first().click()
}
const join = async (page: Page, t: Texts) => {
  await press(page, t.games.main.join)
  await press(page, t.games.continue, page.locator(dialog))
}
const handIn = async (page: Page, t: Texts) => {
  await press(page, t.writeup.handIn)
  await page.locator(dialog).waitFor()
  await page.waitForTimeout(500)
}
const noWriteup = (page: Page) =>
  change(page, /\/writeup$/, (old) => ({ ...old, submitted: false, name: '', fileSize: 0, url: null }))

const tries = [
  'keel',
  'tide{two_lamps}',
  'tide{the_answer_is_a_sentence_that_somebody_typed_word_by_word}',
  'flag',
  '灯塔',
  'x',
].map((answered, index) => ({
  answer: answered,
  status: 'WrongAnswer',
  time: new Date(Date.now() - (index * 47 + 3) * 60_000).toISOString(),
  user: index % 2 ? 'mizuki' : 'jun',
}))

/** The columns from which the board is drawn; later parts of the feed have only a list of solves. */
interface Feed {
  teams?: Record<string, unknown[]>
  solves: Record<string, unknown[]> | unknown[]
}
const empty = (columns: Record<string, unknown[]>) => Object.fromEntries(Object.keys(columns).map((name) => [name, []]))
const unsolved = (old: Feed) => ({ ...old, solves: Array.isArray(old.solves) ? [] : empty(old.solves) })
const unattended = (old: Feed) => ({ ...unsolved(old), ...(old.teams && { teams: empty(old.teams) }) })

const player = { role: 'player', ready: 'h1:visible' } as const
const gamePage = { ...player, path: game }
const board = { ...player, path: play, ready: 'main :text("Roll Call")' }
const ofBoard = { ...player, path: scoreboard, ready: rowOfTeam }

export const ofPlayers: readonly Screen[] = [
  { ...player, name: 'home', path: () => '/' },
  { ...gamePage, name: 'game' },
  { ...gamePage, name: 'game-before', fake: (page) => asGame(page, times.before) },
  { ...gamePage, name: 'game-pending', fake: (page) => asGame(page, { status: 'Pending' }) },
  { ...gamePage, name: 'game-rejected', fake: (page) => asGame(page, { status: 'Rejected' }) },
  { ...gamePage, name: 'game-suspended', fake: (page) => asGame(page, { status: 'Suspended' }) },
  { ...gamePage, name: 'game-ended', fake: (page) => asGame(page, () => ({ ...times.ended(), practiceMode: false })) },
  { ...gamePage, name: 'game-practice', fake: (page) => asGame(page, () => ({ ...times.handingIn(), practiceMode: true })) },
  {
    ...gamePage,
    name: 'game-no-team',
    fake: (page) =>
      Promise.all([asGame(page, { status: 'Unsubmitted', teamName: null, organization: null }), answer(page, teams, [])]),
  },
  {
    ...gamePage,
    name: 'game-leave',
    fake: (page) => asGame(page, { status: 'Pending' }),
    before: (page, t) => press(page, t.games.leave),
  },
  {
    ...gamePage,
    name: 'join',
    fake: (page) =>
      asGame(page, { status: 'Unsubmitted', teamName: null, organization: null, inviteCodeRequired: true, limit: 4 }),
    before: join,
  },
  {
    ...gamePage,
    name: 'join-terms',
    fake: (page) => asGame(page, { status: 'Unsubmitted', teamName: null, organization: null }),
    before: (page, t) => press(page, t.games.main.join),
  },
  {
    ...gamePage,
    name: 'join-missing',
    fake: (page) => asGame(page, { status: 'Unsubmitted', teamName: null, organization: null, inviteCodeRequired: true }),
    before: async (page, t) => {
      await join(page, t)
      await press(page, t.games.join, page.locator(dialog))
    },
  },
  { ...gamePage, name: 'game-error', ready: 'main [role=alert]', fake: (page) => refuse(page, /^\/api\/game\/\d+$/) },
  { ...gamePage, name: 'game-loading', ready: 'main', fake: (page) => hang(page, /^\/api\/game\/\d+$/) },
  {
    ...gamePage,
    name: 'writeup-missing',
    fake: (page) => Promise.all([asGame(page, times.handingIn), noWriteup(page)]),
    before: handIn,
  },
  { ...gamePage, name: 'writeup-handed-in', fake: (page) => asGame(page, times.handingIn), before: handIn },
  { ...board, name: 'board' },
  {
    ...board,
    name: 'board-practice',
    fake: (page) => asGame(page, () => ({ ...times.ended(), practiceMode: true })),
  },
  {
    ...board,
    name: 'board-not-found',
    before: (page) => page.locator('main input').filter({ visible: true }).first().fill('nothing'),
  },
  {
    ...board,
    name: 'board-none',
    ready: 'main',
    before: (page, t) => page.getByText(t.play.none, { exact: true }).filter({ visible: true }).waitFor(),
    fake: (page) => change(page, details, (old) => ({ ...old, challenges: {}, challengeCount: 0 })),
  },
  { ...board, name: 'board-error', ready: 'main [role=alert]', fake: (page) => refuse(page, details) },
  { ...board, name: 'board-loading', ready: 'main', fake: (page) => hang(page, details) },
  {
    ...board,
    name: 'board-not-joined',
    ready: 'h1:visible',
    fake: (page) =>
      Promise.all([
        asGame(page, { status: 'Unsubmitted', teamName: null }),
        answer(page, details, { title: 'You have not joined this game', status: 403, code: 'participation.none' }, 403),
      ]),
  },
  { ...player, name: 'notices-sheet', path: (facts) => `${play(facts)}?sheet=notices`, ready: 'main' },
  { ...player, name: 'team-sheet', path: (facts) => `${play(facts)}?sheet=team`, ready: 'main' },
  {
    ...board,
    name: 'board-compact',
    fake: (page) => page.addInitScript("localStorage.setItem('density', 'compact')"),
  },
  { ...player, name: 'dialog', path: open, ready: `${dialog} form` },
  { ...player, name: 'dialog-solved', path: (facts) => `${play(facts)}?c=${facts.solved}`, ready: `${dialog} h2` },
  {
    ...player,
    name: 'dialog-wrong',
    path: open,
    ready: `${dialog} form`,
    before: async (page) => {
      await sendFlag(page)
      await page.locator(`${dialog} [role=alert]`).filter({ visible: true }).first().waitFor()
    },
  },
  {
    ...player,
    name: 'dialog-tries',
    path: open,
    ready: `${dialog} form`,
    fake: (page) => answer(page, /\/tries$/, tries),
    before: async (page, t) => {
      await press(page, t.play.allTries, page.locator(dialog))
    },
  },
  {
    ...player,
    name: 'dialog-solvers',
    path: (facts) => `${play(facts)}?c=${facts.solved}`,
    ready: `${dialog} h2`,
    before: (page, t) => press(page, t.play.allSolvers, page.locator(dialog)),
  },
  { ...player, name: 'dialog-loading', path: open, ready: dialog, fake: (page) => hang(page, /\/challenges\/\d+$/) },
  {
    ...player,
    name: 'dialog-error',
    path: open,
    ready: `${dialog} [role=alert]`,
    fake: (page) => refuse(page, /\/challenges\/\d+$/),
  },
  { ...player, name: 'dialog-no-containers', path: pump, ready: `${dialog} h2` },
  {
    ...player,
    name: 'dialog-start',
    path: pump,
    ready: `${dialog} h2`,
    fake: (page) => asSite(page, { containers: 'Default' }),
  },
  { ...player, name: 'dialog-running', path: pump, ready: `${dialog} [role=timer]:visible`, fake: (page) => running(page, 95) },
  {
    ...player,
    name: 'dialog-queued',
    path: pump,
    ready: `${dialog} .num:visible`,
    fake: (page) => starting(page, { phase: 'queued', place: 12, percent: null }),
  },
  {
    ...player,
    name: 'dialog-pulling',
    path: pump,
    ready: `${dialog} [role=progressbar]:visible`,
    fake: (page) => starting(page, { phase: 'pulling', place: null, percent: 40 }),
  },
  { ...player, name: 'dialog-start-failed', path: pump, ready: `${dialog} button:visible`, fake: startFailed },
  {
    ...player,
    name: 'tray-starting',
    path: ({ gameId }) => `/games/${gameId}/Challenges`,
    ready: 'main',
    fake: (page) => starting(page, { phase: 'pulling', place: null, percent: 40 }),
  },
  { ...player, name: 'dialog-ends-soon', path: pump, ready: `${dialog} [role=timer]:visible`, fake: (page) => running(page, 6) },
  {
    ...player,
    name: 'dialog-destroy',
    path: pump,
    ready: `${dialog} [role=timer]:visible`,
    fake: (page) => running(page, 95),
    before: (page, t) => press(page, t.play.destroy, page.locator(dialog)),
  },
  { ...ofBoard, name: 'scoreboard' },
  {
    ...ofBoard,
    name: 'scoreboard-replay',
    before: async (page) => {
      await page.locator('button:has(svg.tabler-icon-history):visible').click()
      await page.locator('input[type=range]').press('PageDown')
    },
  },
  {
    ...ofBoard,
    name: 'scoreboard-not-found',
    before: (page, t) => page.getByLabel(t.board.find).filter({ visible: true }).first().fill('nobody'),
  },
  {
    ...ofBoard,
    name: 'scoreboard-ended',
    fake: (page) => asGame(page, () => ({ ...times.ended(), practiceMode: true })),
  },
  {
    ...ofBoard,
    name: 'scoreboard-no-teams',
    ready: 'main p:visible',
    fake: (page) => change<Feed>(page, feed, unattended),
  },
  {
    ...ofBoard,
    name: 'scoreboard-no-solves',
    ready: 'main tbody tr',
    fake: (page) => change<Feed>(page, feed, unsolved),
  },
  { ...ofBoard, name: 'scoreboard-error', ready: 'main [role=alert]', fake: (page) => refuse(page, feed) },
  { ...ofBoard, name: 'scoreboard-loading', ready: 'main', fake: (page) => hang(page, feed) },
  {
    ...ofBoard,
    name: 'chart-dialog',
    before: async (page, t) => {
      const button = page.getByRole('button', { name: t.board.chart, exact: true }).filter({ visible: true })
      if (await button.count()) await button.first().click()
    },
  },
  {
    ...ofBoard,
    name: 'team-dialog',
    before: async (page) => {
      await page.locator(rowOfTeam).first().click()
      await page.locator(dialog).waitFor()
    },
  },
  { ...player, name: 'teams', path: () => '/Teams' },
  { ...player, name: 'teams-none', path: () => '/Teams', fake: (page) => answer(page, teams, []) },
  { ...player, name: 'teams-error', path: () => '/Teams', ready: 'main [role=alert]', fake: (page) => refuse(page, teams) },
  {
    ...player,
    name: 'team-captain',
    path: () => '/Teams',
    ready: 'main li button',
    before: (page) => page.locator('main li button').first().click(),
  },
  {
    ...player,
    name: 'team-member',
    path: () => '/Teams',
    ready: 'main li button',
    fake: (page) =>
      change<{ members: { captain: boolean }[] }[]>(page, teams, (list) =>
        list.map((team) => ({
          ...team,
          locked: false,
          members: team.members.map((member, place) => ({ ...member, captain: place === team.members.length - 1 })),
        })),
      ),
    before: (page) => page.locator('main li button').first().click(),
  },
  {
    ...player,
    name: 'team-kick',
    path: () => '/Teams',
    ready: 'main li button',
    before: async (page, t) => {
      await page.locator('main li button').first().click()
      await press(page, new RegExp(`^${t.teams.kickOf.replace('{{user}}', '.+')}$`))
    },
  },
  {
    ...player,
    name: 'team-create',
    path: () => '/Teams',
    fake: (page) => answer(page, teams, []),
    before: (page, t) => press(page, t.teams.create),
  },
  {
    ...player,
    name: 'team-join',
    path: () => '/Teams',
    before: async (page, t) => {
      await press(page, t.teams.join)
      await page.locator(`${dialog} input`).fill('no code at all')
      await page.locator(`${dialog} button[type=submit], ${dialog} form button`).last().click()
    },
  },
  { ...player, name: 'profile', path: () => '/account/Profile' },
  {
    ...player,
    name: 'profile-wrong',
    path: () => '/account/Profile',
    before: async (page, t) => {
      await page.getByLabel(t.account.phone).fill('not a number')
      await page.getByLabel(t.account.userName).fill('ab')
      await press(page, new RegExp(t.ui.save))
    },
  },
  {
    ...player,
    name: 'profile-password',
    path: () => '/account/Profile',
    before: (page, t) => press(page, t.account.changePassword),
  },
  { ...player, name: 'profile-email', path: () => '/account/Profile', before: (page, t) => press(page, t.account.changeEmail) },
  { ...player, name: 'profile-avatar', path: () => '/account/Profile', before: (page, t) => press(page, t.account.changeAvatar) },
  {
    ...player,
    name: 'unsaved',
    path: () => '/account/Profile',
    before: async (page, t) => {
      await page.getByLabel(t.account.realName).fill('Somebody else')
      await page.evaluate('document.querySelector(\'a[href="/"]\').click()')
      await page.locator(dialog).waitFor()
    },
  },
  { ...player, name: 'menu', path: () => '/Teams', before: openMenu },
  {
    ...player,
    name: 'colour-dialog',
    path: () => '/Teams',
    before: async (page, t) => {
      await openMenu(page, t)
      await page.getByRole('menuitem', { name: t.shell.colour }).click()
      await page.locator(`${dialog} label`, { hasText: t.shell.colourOwn }).first().click()
    },
  },
  {
    ...player,
    name: 'palette',
    path: play,
    ready: 'main :text("Roll Call")',
    before: (page) => page.keyboard.press('Control+k'),
  },
  {
    ...player,
    name: 'palette-none',
    path: play,
    ready: 'main :text("Roll Call")',
    before: async (page) => {
      await page.keyboard.press('Control+k')
      await page.locator(`${dialog} input`).fill('nothing is called so')
    },
  },
  { ...player, name: 'keys', path: play, ready: 'main :text("Roll Call")', before: (page) => page.keyboard.press('?') },
  {
    ...player,
    name: 'session-ended',
    path: () => '/Teams',
    fake: (page) =>
      answer(page, /^\/api\/account\/update$/, { title: 'Please sign in', status: 401, code: 'auth.required' }, 401),
    before: async (page, t) => {
      await page.goto('/account/Profile')
      await page.getByLabel(t.account.realName).fill('Somebody')
      await press(page, new RegExp(`^${t.ui.save}`))
      await page.locator(dialog).waitFor()
    },
  },
  {
    ...player,
    name: 'clock-off',
    path: play,
    ready: 'main :text("Roll Call")',
    fake: (page) => page.clock.install({ time: Date.now() + 2 * 3_600_000 }),
  },
  {
    ...player,
    name: 'watermark',
    path: play,
    ready: 'main :text("Roll Call")',
    fake: (page) => asSite(page, { watermark: true }),
  },
]
