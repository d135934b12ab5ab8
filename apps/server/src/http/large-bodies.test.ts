import { nameOf } from '@vexil/contract/interface'
import { addUsers } from '@vexil/contract/users'
import { afterAll, expect, test } from 'vitest'
import { openLargeBodies } from './large-bodies.ts'

const large = openLargeBodies()
afterAll(() => large.close())
const pieces = (body: string) => [new TextEncoder().encode(body)]

test('one body after another is judged, and each answer is that of its own body', async () => {
  const warnings: Error[] = []
  const warn = (warning: Error) => warnings.push(warning)
  process.on('warning', warn)
  for (let number = 0; number < 12; number++) {
    const users = [{ userName: `player${number}`, email: `p${number}@example.org`, password: 'Correct-Horse-9' }]
    expect(await large.judge(nameOf(addUsers), pieces(JSON.stringify(users)))).toEqual(users)
  }
  process.off('warning', warn)
  // Listeners of earlier bodies would be more than Node expects.
  expect(warnings).toEqual([])
})

test('a fault of the process that judges is passed on, and the next body is judged', async () => {
  await expect(large.judge('no such call', pieces('[]'))).rejects.toThrow()
  expect(await large.judge(nameOf(addUsers), pieces('[]'))).toEqual([])
})
