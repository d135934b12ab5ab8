// @vitest-environment jsdom
import { act } from 'react'
import { expect, test } from 'vitest'
import { openPage, toasts, until } from '../../test/page.tsx'
import { Refusal } from '../api/client.ts'
import { useMany } from './use-many.ts'

const refusal = (http: number, code: string) => new Refusal(http, { title: `Refused ${code}`, status: http, code } as never)

/** The calls in flight, by entry, which the test answers. */
let open: Map<string, PromiseWithResolvers<void>>
let begin: () => Promise<boolean>
let finished: (readonly string[])[]

async function start(items: readonly string[], lanes?: number) {
  open = new Map()
  finished = []
  function Part() {
    const action = useMany<string>({
      id: 'many',
      call: (item) => {
        const answer = Promise.withResolvers<void>()
        open.set(item, answer)
        return answer.promise
      },
      already: 'team.not_found',
      ...(lanes && { lanes }),
      working: 'Deleting',
      done: (done) => `${done.length} deleted.`,
      failed: 'Could not delete',
      onDone: async (done) => void finished.push(done),
    })
    begin = () => action.start(items)
    return null
  }
  await openPage(<Part />)
  await act(async () => void begin())
}
const answer = (item: string, error?: Refusal) =>
  act(async () => (error ? open.get(item)?.reject(error) : open.get(item)?.resolve()))

test('ADM-1 at most four calls run at once, with their progress; what was done already counts as done, a refusal is reported', async () => {
  await start(['a', 'b', 'c', 'd', 'e'])
  expect([...open.keys()]).toEqual(['a', 'b', 'c', 'd'])
  expect(toasts()).toMatchObject([{ title: 'Deleting' }])
  await answer('b')
  expect([...open.keys()]).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(toasts()).toMatchObject([{ title: 'Deleting: 1 of 5', role: 'status' }])
  await answer('a', refusal(404, 'team.not_found'))
  await answer('c', refusal(400, 'team.locked'))
  expect(toasts()).toMatchObject([{ title: 'Deleting: 3 of 5' }])
  await answer('d')
  expect(finished).toEqual([])
  await answer('e')
  await until(() => expect(toasts()).toMatchObject([{ title: '4 deleted. 1 was refused: Refused team.locked', role: 'status' }]))
  expect(finished).toEqual([['b', 'a', 'd', 'e']])
})

test.each([0, 401, 403, 429])('ADM-1 an error that every other call would meet (%s) ends the calls', async (http) => {
  await start(['a', 'b', 'c'], 2)
  expect([...open.keys()]).toEqual(['a', 'b'])
  await answer('b', refusal(http, 'auth.required'))
  await answer('a')
  await until(() => expect(toasts().at(-1)?.title).toBe(http === 429 ? 'Please try again later' : 'Could not delete'))
  expect([...open.keys()]).toEqual(['a', 'b'])
  // What was done is shown.
  expect(finished).toEqual([['a']])
})

test('ADM-1 a failure without a message of the platform is reported with a reason, too', async () => {
  await start(['a', 'b'])
  await answer('a', new Refusal(502, undefined))
  await answer('b')
  const title = '1 deleted. 1 was refused: Cannot reach the platform. Try again in a moment.'
  await until(() => expect(toasts()).toMatchObject([{ title }]))
})

test('ADM-1 when all calls are refused the first reason is shown as a failure', async () => {
  await start(['a', 'b'], 1)
  await answer('a', refusal(400, 'first'))
  await answer('b', refusal(500, 'second'))
  await until(() => expect(toasts()).toMatchObject([{ title: 'Could not delete', message: 'Refused first', role: 'alert' }]))
})
