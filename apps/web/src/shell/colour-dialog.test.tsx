// @vitest-environment jsdom
import { act } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { click, field, settle, write } from '../../test/acts.ts'
import { openPage } from '../../test/page.tsx'
import { acts, serve } from '../../test/server.ts'
import { keys } from '../api/query-keys.ts'
import { accentOf } from '../ui/base/theme.ts'
import ColourDialog from './colour-dialog.tsx'

// Called when the module below is loaded.
vi.hoisted(() =>
  Object.assign(globalThis, { matchMedia: () => ({ matches: true, addEventListener() {}, removeEventListener() {} }) }),
)
const { Themed } = await import('./themed.tsx')

/** A new visit; the device's storage is kept. */
async function open() {
  const requests = serve(() => ({}))
  const place = await openPage(
    <Themed>
      <ColourDialog opened onClose={() => {}} />
    </Themed>,
    [
      [keys.config, { title: 'Harbour', setupRequired: false, customTheme: '#00aa00' }],
      [keys.profile, null],
    ],
  )
  return { place, requests }
}
/** The strongest accent colour in force, in both schemes. */
const shown = () => {
  const accents = (style: Element) =>
    [...(style.textContent ?? '').matchAll(/--a-7: ?(#[0-9a-f]+)/gi)].map(([, colour]) => colour)
  const written = [...document.querySelectorAll('style[data-mantine-styles]')].map(accents)
  return written.findLast((one) => one.length > 0)?.toSorted()
}
const accent = (colour: string | null) => [accentOf(colour).light[7], accentOf(colour).dark[7]].toSorted()
const later = (ms: number) => act(async () => void (await vi.advanceTimersByTimeAsync(ms)))

test('THEME-1 THEME-2 a colour applies to the whole page at once and after a reload, and is kept on the device; an invalid one is marked and changes nothing', async () => {
  localStorage.clear()
  const first = await open()
  await settle()
  expect([shown(), field('Colour').value]).toEqual([accent('#00aa00'), '#00aa00'])
  // Every step of the accent colour.
  expect(document.querySelectorAll('[role=dialog] [aria-hidden] > i')).toHaveLength(10)
  await click(field('Platform default'))
  expect([shown(), field('Colour').disabled]).toEqual([accent(null), true])
  await click(field('Custom'))
  expect(field('Colour').disabled).toBe(false)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await write(field('Colour'), '#aa3300')
  await later(199)
  expect(shown()).not.toEqual(accent('#aa3300'))
  await later(1)
  expect(shown()).toEqual(accent('#aa3300'))
  expect(field('Colour').getAttribute('aria-invalid')).not.toBe('true')
  await write(field('Colour'), '#aa33')
  await later(1000)
  expect(field('Colour').getAttribute('aria-invalid')).toBe('true')
  expect(first.place.ownerDocument.body.textContent).toContain('Use the form #RRGGBB')
  expect(shown()).toEqual(accent('#aa3300'))
  vi.useRealTimers()
  first.place.remove()
  const again = await open()
  await settle()
  expect(shown()).toEqual(accent('#aa3300'))
  expect(field('Colour').value).toBe('#aa3300')
  expect([...acts(first.requests), ...acts(again.requests)]).toEqual([])
  await click(field('Site colour'))
  expect(shown()).toEqual(accent('#00aa00'))
  // An own colour whose text is invalid begins with that of the platform.
  await click(field('Custom'))
  await write(field('Colour'), '#aa33')
  await click(field('Site colour'))
  await click(field('Custom'))
  expect([shown(), field('Custom').checked]).toEqual([accent(null), true])
})
