// @vitest-environment jsdom
import { act, type ReactNode, useState } from 'react'
import { expect, test, vi } from 'vitest'
import { openPage } from '../../../test/page.tsx'
import { Avatar } from './avatar.tsx'
import { Hoist, HoistPair } from './hoist.tsx'
import { Opener } from './opener.tsx'

test('a picture that replaces one that failed to load is shown', async () => {
  let show = (_: string) => {}
  function Shown() {
    const [src, setSrc] = useState('/assets/broken.png')
    show = setSrc
    return <Avatar src={src} name="Red" id={1} />
  }
  const place = await openPage(<Shown />)
  const picture = () => place.querySelector('img')
  await act(async () => picture()?.dispatchEvent(new Event('error')))
  expect(picture()).toBeNull()
  await act(async () => show('/assets/new.png'))
  expect(picture()?.getAttribute('src')).toBe('/assets/new.png')
})

test('a picture has the name that is given to it, and is decorative otherwise; a flag is in its place, too', async () => {
  const place = await openPage(
    <>
      <Avatar src="/assets/a.png" name="Red" id={1} />
      <Avatar src="/assets/a.png" name="Red" id={1} label="Team Red" />
      <Avatar src={null} name="Red" id={1} />
      <Avatar src={null} name="Red" id={1} label="Team Red" />
    </>,
  )
  expect([...place.querySelectorAll('img')].map(({ alt }) => alt)).toEqual(['', 'Team Red'])
  const flags = [...place.querySelectorAll('svg')].map((flag) => [flag.getAttribute('role'), flag.getAttribute('aria-hidden')])
  expect(flags).toEqual([
    [null, 'true'],
    ['img', 'false'],
  ])
})

test('the row of a team opens its part, and says whether it is open', async () => {
  const onToggle = vi.fn()
  const team = { id: 1, name: 'Red', avatar: null }
  const place = await openPage(<Opener team={team} sub="3 members" opened controls="red" onToggle={onToggle} />)
  const row = place.querySelector('button')
  expect([row?.textContent, row?.getAttribute('aria-expanded'), row?.getAttribute('aria-controls')]).toEqual([
    'Red3 members',
    'true',
    'red',
  ])
  await act(async () => row?.click())
  expect(onToggle).toHaveBeenCalledOnce()
  const closed = await openPage(<Opener team={team} opened={false} controls="red" onToggle={onToggle} />)
  expect(closed.querySelector('button')?.getAttribute('aria-expanded')).toBe('false')
})

test('a game has its poster, or the flags of its name', async () => {
  const game = { title: 'Tideline Finals', id: 1 }
  const shown = async (part: ReactNode) => {
    const place = await openPage(<main>{part}</main>)
    const found = place.querySelector('main')
    return [found?.querySelectorAll('svg').length, found?.querySelector('img')?.getAttribute('src')]
  }
  expect(await shown(<Hoist {...game} />)).toEqual([4, undefined])
  expect(await shown(<HoistPair {...game} />)).toEqual([2, undefined])
  expect(await shown(<Hoist {...game} poster="/assets/p.png" />)).toEqual([0, '/assets/p.png'])
  expect(await shown(<HoistPair {...game} poster="/assets/p.png" />)).toEqual([0, '/assets/p.png'])
})
