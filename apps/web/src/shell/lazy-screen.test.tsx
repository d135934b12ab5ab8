// @vitest-environment jsdom
import { act, Suspense, useEffect, useState } from 'react'
import { expect, test, vi } from 'vitest'
import { openPage, until } from '../../test/page.tsx'
import { lazyScreen } from './lazy-screen.tsx'

const seen: string[] = []
function Word({ children }: { readonly children: string }) {
  useEffect(() => void seen.push(children), [children])
  return <p>{children}</p>
}
const Screen = () => <Word>screen</Word>
const loadable = () => vi.fn(async () => ({ default: Screen }))

let drawAgain = () => {}
async function draw(LazyScreen: ReturnType<typeof lazyScreen>): Promise<HTMLElement> {
  seen.length = 0
  function Place() {
    const [drawn, setDrawn] = useState(0)
    drawAgain = () => setDrawn(drawn + 1)
    return (
      <Suspense fallback={<Word>waiting</Word>}>
        <LazyScreen />
      </Suspense>
    )
  }
  return await openPage(<Place />)
}

test('P2.2 a screen waits for its missing code, once, and keeps its state when it is rendered again', async () => {
  const load = loadable()
  const page = await draw(lazyScreen(load))
  await until(() => expect(page.querySelector('p')?.textContent).toBe('screen'))
  const first = page.querySelector('p')
  await act(async () => drawAgain())
  expect(page.querySelector('p')).toBe(first)
  expect(seen).toEqual(['waiting', 'screen'])
  expect(load).toHaveBeenCalledTimes(1)
})

test('P2.2 a screen whose code is loaded already is rendered without a placeholder', async () => {
  const load = loadable()
  const screen = lazyScreen(load)
  await screen.loadCode()
  const page = await draw(screen)
  expect(page.querySelector('p')?.textContent).toBe('screen')
  expect(seen).toEqual(['screen'])
  expect(load).toHaveBeenCalledTimes(1)
})

test('ERR-3 code that failed to load before the screen is rendered is requested again', async () => {
  const load = loadable().mockRejectedValueOnce(new TypeError('reset'))
  const screen = lazyScreen(load)
  await expect(screen.loadCode()).rejects.toThrow('reset')
  const page = await draw(screen)
  await until(() => expect(page.querySelector('p')?.textContent).toBe('screen'))
  expect(load).toHaveBeenCalledTimes(2)
})
