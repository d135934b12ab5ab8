// @vitest-environment jsdom
import { act, useState } from 'react'
import { expect, test, vi } from 'vitest'
import { openPage, until } from '../../../test/page.tsx'
import { Dialog } from '../overlays/dialog.tsx'
import { ChallengeFile, ChallengeFrame, ChallengeText } from './challenge-frame.tsx'

const frame = { category: 'Misc', title: 'Buoy', facts: '', tools: '', foot: <input />, onClose: () => {} } as const

test('a challenge without a text says so; its points are a number in the form of the language, or a word', async () => {
  await openPage(<ChallengeFrame {...frame} score={1234} read={<ChallengeText content=" " hints={[]} />} />)
  const dialog = () => [...document.querySelectorAll('[role=dialog]')].at(-1)
  await until(() => expect(dialog()?.textContent).toContain('No description.'))
  expect(dialog()?.textContent).toContain('1,234 pts')
  expect(dialog()?.querySelector('[aria-label=Hints]')).toBeNull()
  await openPage(<ChallengeFrame {...frame} score="100 to 500" read="" />)
  await until(() => expect(dialog()?.textContent).toContain('100 to 500 pts'))
})

test('FOCUS-2 a challenge whose form takes no focus has it on its text', async () => {
  await openPage(<ChallengeFrame {...frame} score={5} read="What the buoy says." focusText />)
  await until(() => expect(document.activeElement?.textContent).toBe('What the buoy says.'))
})

test('a file of the platform is downloaded, a link is opened, and in a preview neither is', async () => {
  const place = await openPage(
    <>
      <ChallengeFile name="chart.zip" note="1 KiB" url="/assets/chart.zip" local />
      <ChallengeFile name="External link" note="example.org" url="https://example.org" local={false} />
      <ChallengeFile name="chart.zip" note="1 KiB" local />
    </>,
  )
  const links = [...place.querySelectorAll('a')].map((link) => [link.getAttribute('href'), link.getAttribute('download')])
  expect(links).toEqual([
    ['/assets/chart.zip', 'chart.zip'],
    ['https://example.org', null],
  ])
  expect([...place.querySelectorAll('a, p')].map((file) => file.querySelectorAll('[aria-label=Download]').length)).toEqual([
    1, 0, 1,
  ])
})

test('Escape closes a dialog above a challenge, and the challenge only when it is pressed again', async () => {
  const close = { challenge: vi.fn(), above: vi.fn() }
  let leave = () => {}
  function Both() {
    const [shown, setShown] = useState(true)
    leave = () => setShown(false)
    return (
      <>
        <ChallengeFrame {...frame} score={5} read="" onClose={close.challenge} />
        <Dialog opened={shown} onClose={close.above} title="Terminal" above>
          text
        </Dialog>
      </>
    )
  }
  await openPage(<Both />)
  const press = () =>
    act(async () => void document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })))
  await until(() => expect(document.querySelectorAll('[role=dialog]')).toHaveLength(2))
  const calls = () => [close.challenge.mock.calls.length, close.above.mock.calls.length]
  await press()
  expect(calls()).toEqual([0, 1])
  await act(async () => leave())
  await press()
  expect(calls()).toEqual([1, 1])
})
