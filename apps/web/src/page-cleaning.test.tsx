// @vitest-environment jsdom

import { useState } from 'react'
import { expect, test } from 'vitest'
import { button, click, settle } from '../test/acts.ts'
import { openPage, until } from '../test/page.tsx'

function Counter() {
  const [count, setCount] = useState(0)
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      {`pressed ${count}`}
    </button>
  )
}

test.fails('a test that waits in vain runs out of time', { timeout: 100 }, async () => {
  await openPage(<Counter />)
  await until(() => expect(document.body.textContent).toContain('never'))
})

test('the next one finds an empty page, and what it does is drawn', async () => {
  expect(document.querySelectorAll('button')).toHaveLength(0)
  await openPage(<Counter />)
  for (const count of [0, 1, 2]) await click(button(`pressed ${count}`))
  await settle()
  expect(document.body.textContent).toContain('pressed 3')
})
