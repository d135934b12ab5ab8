// @vitest-environment jsdom
import { act, useState } from 'react'
import { expect, test } from 'vitest'
import { openPage } from '../../../test/page.tsx'
import { Avatar } from './avatar.tsx'

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
