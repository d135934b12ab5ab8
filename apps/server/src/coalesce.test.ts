import { expect, test } from 'vitest'
import { coalesce } from './coalesce.ts'

const turn = () => new Promise((done) => setImmediate(done))

test('items of one turn are sent together, in order; items that arrive during a send are sent in the next turn', async () => {
  const sent: number[][] = []
  const add = coalesce<number>((all) => {
    sent.push(all)
    if (all.includes(1)) add(3)
  })
  add(1)
  add(2)
  expect(sent).toEqual([])
  await turn()
  expect(sent).toEqual([[1, 2]])
  await turn()
  expect(sent).toEqual([[1, 2], [3]])
})
