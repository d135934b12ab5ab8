/** The most submissions of a sheet and of a list. The database is a fake. */
import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { streamSubmissions } from './stream-submissions.ts'
import { submissionSheet } from './submission-sheet.ts'

const stored = vi.hoisted(() => ({ left: 0, account: {} }))
vi.mock('./submissions.queries.ts', async (original) => ({
  ...(await original<object>()),
  listSubmissionsBelow: async (_db: unknown, _game: number, { count }: { count: number }) => {
    const found = Math.min(count, stored.left)
    stored.left -= found
    const row = { status: 'WrongAnswer', arrivedAt: new Date(0), teamName: 'Ebb', title: 'Buoy', answer: 'x', ...stored.account }
    return Array(found).fill(row)
  },
}))

test.each([
  [0, 0, undefined],
  [1_048_574, 1_048_574, 'Wrong answer'],
  [1_048_575, 1_048_575, 'Older submissions do not fit into the sheet'],
  [2_000_000, 1_048_575, 'Older submissions do not fit into the sheet'],
])('P7.81 the sheet of %i submissions has %i rows; the last one is %s', async (submissions, rows, last) => {
  stored.left = submissions
  let [count, cell] = [0, undefined as unknown]
  for await (const batch of submissionSheet({} as never, 1, 'en_US').rows) {
    count += batch.length
    cell = batch.at(-1)?.[0] ?? cell
  }
  expect([count, cell]).toEqual([rows, last])
})

test('P7.81 a row has result, time, team, user, challenge, answer and address; user and address of a deleted account are blank', async () => {
  for (const [user, email] of [
    ['ada', 'ada@example.org'],
    ['', ''],
  ]) {
    stored.left = 1
    stored.account = { userName: user || null, email: email || null }
    const { headings, rows } = submissionSheet({} as never, 1, 'en_US')
    expect(headings).toEqual(['Result', 'Time (UTC)', 'Team', 'User', 'Challenge', 'Answer', 'Email'])
    const cells: unknown[] = []
    for await (const batch of rows) cells.push(...batch)
    expect(cells).toEqual([['Wrong answer', '1970-01-01 00:00:00Z', 'Ebb', user, 'Buoy', 'x', email]])
  }
})

test('P7.80 a list of all submissions has the newest 100,000', async () => {
  stored.left = 100_001
  const listed = JSON.parse(await text(await streamSubmissions({} as never, 1))) as unknown[]
  expect([listed.length, stored.left]).toEqual([100_000, 1])
})
