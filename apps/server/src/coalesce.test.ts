import { expect, test } from 'vitest'
import { coalesce } from './coalesce.ts'

const turn = () => new Promise((done) => setImmediate(done))

test('what comes within one turn goes together, in its order; what comes while it is sent goes with the next turn', async () => {
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
