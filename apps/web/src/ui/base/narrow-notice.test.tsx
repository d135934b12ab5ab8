// @vitest-environment jsdom
import { useLayoutEffect, useRef } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { device, openPage } from '../../../test/page.tsx'
import { NeedsWidth } from './narrow-notice.tsx'

/** Whether the content is hidden at its first drawing. */
let hidden: boolean | undefined
function Content() {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    hidden = field.current?.closest('[hidden]') !== null
  }, [])
  return <input ref={field} />
}

beforeEach(() => {
  device.width = undefined
})

test.each([
  [1079, true],
  [1080, false],
])('WIDE-1 WIDE-2 at %s pixels the request for a window of 1080 is shown: %s; the content is kept', async (width, narrow) => {
  device.width = width
  const place = await openPage(
    <NeedsWidth width={1080} home="/games">
      <Content />
    </NeedsWidth>,
    [],
  )
  expect(hidden).toBe(narrow)
  expect(place.querySelector('input')?.closest('[hidden]') !== null).toBe(narrow)
  expect(place.textContent?.includes('needs a width of 1,080 pixels')).toBe(narrow)
  expect(place.querySelector('a')?.getAttribute('href')).toBe(narrow ? '/games' : undefined)
})
