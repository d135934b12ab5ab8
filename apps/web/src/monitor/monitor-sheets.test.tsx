// @vitest-environment jsdom
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { settle } from '../../test/acts.ts'
import { json, openPage, toasts, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import SubmissionsScreen from './submissions.screen.tsx'

vi.mock('../api/live.ts', async (original) => ({ ...(await original<object>()), useLive: () => 'off' }))
const saved: string[] = []
beforeEach(() => {
  saved.length = 0
  URL.createObjectURL = () => 'blob:x'
  URL.revokeObjectURL = () => {}
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download)
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const game = { id: 3, title: 'Cup', start: '2020-01-01T00:00:00+00:00', end: '2020-01-02T00:00:00+00:00', status: 'Accepted' }
const sheet = (name: string) => new Response('xlsx', { headers: { 'content-disposition': `attachment; filename="${name}"` } })

async function open(answers: Record<string, () => Response | Promise<Response>>, start = game.start) {
  const requests: string[] = []
  vi.stubGlobal('fetch', async (input: string) => {
    requests.push(input)
    return (await answers[input]?.()) ?? json([])
  })
  await openPage(
    <Routes>
      <Route path="/games/:id/monitor/Submissions" element={<SubmissionsScreen />} />
    </Routes>,
    [
      [keys.config, { title: 'GZ' }],
      [keys.profile, { userName: 'Watcher', role: 'Monitor' }],
      [keys.game(3).detail, { ...game, start, end: '2126-01-02T00:00:00+00:00' }],
    ],
    '/games/3/monitor/Submissions',
  )
  await settle()
  return requests
}
const click = async (name: string) => {
  const found = [...document.querySelectorAll<HTMLButtonElement>('button')].find(
    (one) => one.getAttribute('aria-label') === name || one.textContent === name,
  )
  expect(found).toBeTruthy()
  await act(async () => found?.click())
  return found
}

test('P8.20 MON-1 FB-7 the scoreboard is downloaded as a sheet under the name of the answer; its button waits meanwhile', async () => {
  let answer: (sheet: Response) => void = () => {}
  await open({ '/api/game/3/scoreboardsheet': () => new Promise((resolve) => (answer = resolve)) })
  const button = await click('Scoreboard sheet')
  expect(button?.getAttribute('aria-disabled')).toBe('true')
  expect(toasts().map(({ title }) => title)).toContain('Downloading')
  await act(async () => answer(sheet('Cup_Scoreboard_20261122.xlsx')))
  await until(() => expect(saved).toEqual(['Cup_Scoreboard_20261122.xlsx']))
  await settle()
  expect(toasts().map(({ title }) => title)).toEqual(['Cup_Scoreboard_20261122.xlsx downloaded'])
})

test('P2.32 SU-2 FB-7 P8.20 all submissions are downloaded as a sheet; a refusal is shown in the words of the server and nothing is saved', async () => {
  let answer = (): Response | Promise<Response> => json({ title: 'Not now', status: 400 }, 400)
  await open({ '/api/game/3/submissionsheet': () => answer() })
  const button = await click('Submission sheet')
  await until(() => expect(toasts()).toContainEqual({ title: 'Failed to download', message: 'Not now', role: 'alert' }))
  expect(saved).toEqual([])
  // The toast may appear before the button is enabled again.
  await until(() => expect(button?.disabled).toBe(false))
  const held = Promise.withResolvers<void>()
  answer = () => held.promise.then(() => sheet('Cup_Submissions.xlsx'))
  await click('Submission sheet')
  expect(button?.disabled).toBe(true)
  held.resolve()
  await until(() => expect(saved).toEqual(['Cup_Submissions.xlsx']))
  await until(() => expect(button?.disabled).toBe(false))
  // FB-2: after too many requests the button waits.
  answer = () => json({ title: 'Too many requests', status: 429 }, 429)
  await click('Submission sheet')
  await until(() => expect(toasts()).toContainEqual(expect.objectContaining({ message: 'Too many requests' })))
  expect(button?.disabled).toBe(true)
})

test('MON-1 before the start there is no scoreboard to download', async () => {
  const requests = await open({}, '2126-01-01T00:00:00+00:00')
  expect(document.body.textContent).toContain('The game has not startedEntries appear here when the game starts.')
  expect(requests.filter((line) => line.includes('/submissions'))).toEqual([])
  const found = [...document.querySelectorAll<HTMLButtonElement>('button')].find((one) => one.textContent === 'Scoreboard sheet')
  expect(found?.disabled).toBe(true)
})

test('P3.60 MON-3 the filters of submissions are words, and the list is requested with the chosen one', async () => {
  const requests = await open({})
  const labels = [...document.querySelectorAll('[role=radiogroup] label')].map((one) => one.textContent)
  expect(labels).toEqual(['All', 'Correct', 'Wrong', 'Cheat', 'Not found'])
  const word = (text: string) =>
    [...document.querySelectorAll('[role=radiogroup] label span')].findLast((one) => one.textContent === text)
  for (const [text, short] of [
    ['Correct', 'AC'],
    ['Wrong', 'WA'],
    ['Cheat', 'CD'],
    ['Not found', 'NF'],
  ] as const) {
    await act(async () => void word(text)?.dispatchEvent(new Event('pointerover', { bubbles: true })))
    await until(() => expect([...document.querySelectorAll('[role=tooltip]')].map((one) => one.textContent)).toContain(short))
  }
  await act(async () => document.querySelectorAll<HTMLElement>('[role=radiogroup] input')[2]?.click())
  await until(() => expect(requests.some((line) => line.includes('type=WrongAnswer'))).toBe(true))
})
