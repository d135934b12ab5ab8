// @vitest-environment jsdom

import { useQuery } from '@tanstack/react-query'
import { flagLimits } from '@vexil/core/limits'
import { act, useState } from 'react'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { click } from '../../test/acts.ts'
import { json, openPage, submit, toasts, type, until } from '../../test/page.tsx'
import { watchConnection } from '../api/connection.ts'
import { keys } from '../api/query-keys.ts'
import { claimDrafts, forgetDrafts, keepDraft } from '../api/tab-drafts.ts'
import { t } from '../ui/text/texts.tsx'
import { FlagForm } from './flag-form.tsx'
import type { Shown } from './shown.ts'
import { Tries } from './tries.tsx'
import { useFlags } from './use-flags.ts'

const cards = [3, 4].map((id) => ({ id, title: `Buoy ${id}`, isSolved: false }) as Shown)
function Forms({ hidden = false }: { readonly hidden?: boolean }) {
  const flags = useFlags(7)
  if (hidden) return null
  return cards.map((card) => (
    <section key={card.id} id={`c${card.id}`}>
      <FlagForm game={7} card={card} flags={flags} scored />
      <Tries game={7} challenge={card.id} onReuse={(answer) => flags.write(card.id, answer)} />
    </section>
  ))
}

/** The game and the own view of it. */
const reads = { game: vi.fn(async () => 1), own: vi.fn(async () => 1) }
function Closable() {
  useQuery({ queryKey: keys.game(7).detail, queryFn: reads.game })
  useQuery({ queryKey: keys.game(7).play, queryFn: reads.own })
  const [hidden, setHidden] = useState(false)
  return (
    <>
      <Forms hidden={hidden} />
      <button type="button" id="close" onClick={() => setHidden(true)} />
    </>
  )
}

let tries: object[] = []
let result = 'WrongAnswer'
let reached = true
/** Delays the responses of all lists of tries. */
let triesHeld: Promise<void> | undefined
/** Flags that arrived. */
const posted: string[] = []

beforeEach(() => {
  tries = []
  posted.length = 0
  result = 'WrongAnswer'
  reached = true
  vi.stubGlobal('fetch', async (address: string, init?: RequestInit) => {
    if (!reached) throw new TypeError('cut')
    if (init?.method === 'POST') {
      const { flag } = JSON.parse(String(init.body))
      posted.push(flag)
      tries = [{ answer: flag, status: result, time: new Date().toISOString(), user: null }, ...tries]
      return json(41)
    }
    // Only the first challenge has tries.
    if (address.endsWith('/tries')) {
      await triesHeld
      return json(address.includes('/3/') ? tries : [])
    }
    return json(result)
  })
})
afterEach(() => {
  forgetDrafts()
  vi.unstubAllGlobals()
})

const open = (known: [readonly unknown[], unknown][] = [[keys.game(7).tries(3), []]]) => openPage(<Forms />, known)
const fieldOf = (place: HTMLElement, card = 3) => place.querySelector<HTMLInputElement>(`#c${card} input`) as HTMLInputElement
const line = () => document.querySelector('#c3 p')
const sendButton = () => document.querySelector('#c3 button[type=submit]')
const words = () => document.querySelector('#c3 p')?.textContent ?? ''

test('FOCUS-1 CD-20 twenty wrong flags are typed in a row: the same field keeps the focus, its text selected', async () => {
  const place = await open()
  const field = fieldOf(place)
  field.focus()
  for (let n = 0; n < 20; n++) {
    await type(field, `wrong ${n}`)
    await submit(place)
    await vi.waitFor(() => expect(words()).toContain(t('play.wrong')))
    expect(document.activeElement).toBe(field)
    expect(field.isConnected && !field.disabled && !field.readOnly).toBe(true)
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(document.querySelector('#c3 p button')).toBeNull()
    expect(document.querySelector('#c3 p .tabler-icon-x')).not.toBeNull()
    expect(field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0)).toBe(`wrong ${n}`)
  }
  expect(posted).toHaveLength(20)
  await type(field, '')
  expect([field.getAttribute('aria-invalid'), words()]).toEqual([null, t('play.bringBack')])
  await act(async () => document.querySelector<HTMLButtonElement>('#c3 p button')?.click())
  expect(field.value).toBe('wrong 19')
  expect(document.querySelector('#c3 button[type=submit]')?.hasAttribute('disabled')).toBe(false)
})

test.each([
  [false, 1],
  [true, 0],
])('CD-20 a wrong flag shakes its field once, unless motion is reduced (%s)', async (reduced, times) => {
  const moved = vi.fn()
  const place = await open()
  Object.assign(fieldOf(place), { animate: moved })
  vi.stubGlobal('matchMedia', (media: string) => ({
    matches: reduced && media.includes('reduce'),
    addEventListener() {},
    removeEventListener() {},
  }))
  await type(fieldOf(place), 'wrong')
  await submit(place)
  await vi.waitFor(() => expect(words()).toContain(t('play.wrong')))
  expect(moved).toHaveBeenCalledTimes(times)
})

test('a flag that is too long is not sent', async () => {
  const place = await open()
  await type(fieldOf(place), 'f'.repeat(flagLimits.flagMax + 1))
  expect(document.querySelector('#c3 p')?.role).toBe('status')
  await submit(place)
  expect(words()).toBe(t('play.tooLong', { max: flagLimits.flagMax }))
  // The disabled button prevents this in a browser; a form submitted by other means reports it.
  expect(document.querySelector('#c3 p')?.role).toBe('alert')
  expect(posted).toEqual([])
  // Spaces around it do not count.
  await type(fieldOf(place), ` ${'f'.repeat(flagLimits.flagMax)} `)
  expect(words()).toBe('')
  await submit(place)
  await until(() => expect(posted).toEqual(['f'.repeat(flagLimits.flagMax)]))
})

test('FOCUS-1 an empty flag focuses the field; a focus that moved elsewhere stays there', async () => {
  const place = await open()
  const button = place.querySelector<HTMLButtonElement>('#c3 button[type=submit]')
  button?.focus()
  await submit(place)
  expect(words()).toBe(t('play.empty'))
  expect(document.activeElement).toBe(fieldOf(place))
  fieldOf(place, 4).focus()
  await type(fieldOf(place), 'wrong')
  await submit(place)
  await vi.waitFor(() => expect(words()).toContain(t('play.wrong')))
  expect(document.activeElement).toBe(fieldOf(place, 4))
})

test('TOAST-1 an answer that the form shows gets no toast; an answer to a closed dialog does', async () => {
  const place = await openPage(<Closable />, [[keys.game(7).tries(3), []]])
  await type(fieldOf(place), 'wrong')
  await submit(place)
  await vi.waitFor(() => expect(words()).toContain(t('play.wrong')))
  expect(toasts()).toEqual([])
  let judge = (_: Response) => {}
  vi.stubGlobal('fetch', (_: string, init?: RequestInit) =>
    init?.method === 'POST' ? Promise.resolve(json(42)) : new Promise((resolve) => (judge = resolve)),
  )
  await type(fieldOf(place), 'another')
  await submit(place)
  await act(async () => document.querySelector<HTMLButtonElement>('#close')?.click())
  await act(async () => judge(json('WrongAnswer')))
  await vi.waitFor(() => expect(toasts()).toMatchObject([{ title: t('play.wrong'), role: 'alert' }]))
})

test.each([
  [400, 'play.notSent', 'alert', 1, 1],
  [403, 'play.notSent', 'alert', 1, 1],
  [409, 'play.notSent', 'alert', 0, 1],
  [429, 'ui.tryLater', 'status', 0, 0],
] as const)(
  'TOAST-1 a refusal (%s) of an answer is a toast, too, when the dialog was closed meanwhile; what may have changed is read again',
  async (status, title, role, games, owns) => {
    const place = await openPage(<Closable />, [[keys.game(7).tries(3), []]])
    let refuse = (_: Response) => {}
    vi.stubGlobal('fetch', () => new Promise((resolve) => (refuse = resolve)))
    await type(fieldOf(place), 'wrong')
    await submit(place)
    await act(async () => document.querySelector<HTMLButtonElement>('#close')?.click())
    for (const read of Object.values(reads)) read.mockClear()
    await act(async () => refuse(json({ title: 'Suspended', status, code: 'x' }, status)))
    await vi.waitFor(() => expect(toasts()).toEqual([{ title: t(title), message: 'Suspended', role }]))
    expect([reads.game.mock.calls.length, reads.own.mock.calls.length]).toEqual([games, owns])
  },
)

test('FLAGF-1 typed text survives a reload of the page and belongs to its challenge and its person', async () => {
  let place = await open()
  await type(fieldOf(place), 'half a fl')
  place = await open()
  expect(fieldOf(place).value).toBe('half a fl')
  expect(fieldOf(place, 4).value).toBe('')
  expect(Object.values(localStorage).join()).not.toContain('half a fl')
  // A draft of another game.
  keepDraft('flag 8 4', ' sunk')
  expect(fieldOf(await open(), 4).value).toBe('')
  claimDrafts('another account')
  place = await open()
  expect(fieldOf(place).value).toBe('')
  await type(fieldOf(place), 'own')
  claimDrafts('another account')
  expect(fieldOf(await open()).value).toBe('own')
})

test('FLAGF-1 after the answer the typed text is no longer stored, and is listed with the own name', async () => {
  const place = await open([
    [keys.game(7).tries(3), []],
    [keys.profile, { userName: 'ann' }],
  ])
  triesHeld = new Promise(() => {})
  onTestFinished(() => {
    triesHeld = undefined
  })
  await type(fieldOf(place), 'wrong')
  await submit(place)
  await vi.waitFor(() => expect(words()).toContain(t('play.wrong')))
  expect(Object.values(sessionStorage).join()).not.toContain('wrong')
  expect(place.querySelector('#c3 ol')?.textContent).toContain('wrongann')
  result = 'Accepted'
  await type(fieldOf(place), 'right')
  await submit(place)
  const marks = () => [...place.querySelectorAll('#c3 ol [aria-label]')].map((mark) => mark.getAttribute('aria-label'))
  await until(() => expect(marks()).toEqual([t('play.right'), t('play.wrong')]))
})

test('FLAGF-2 an answer that the team tried before is reported before sending, and sent on the second try', async () => {
  tries = [{ answer: 'flag{old}', status: 'WrongAnswer', time: new Date(Date.now() - 240_000).toISOString(), user: 'jun' }]
  const place = await open([[keys.game(7).tries(3), tries]])
  expect(place.querySelector('#c3 ol')?.textContent).toContain('flag{old}jun')
  expect(place.querySelector('#c4 ol')).toBeNull()
  await type(fieldOf(place), ' flag{old} ')
  expect(line()?.role).toBe('status')
  await submit(place)
  expect(posted).toEqual([])
  expect([line()?.role, line()?.className]).toEqual(['alert', expect.stringContaining('wary')])
  expect(sendButton()?.textContent).toBe('Submit again')
  expect(words()).toBe(t('play.triedBy', { name: 'jun', ago: '4 minutes ago' }))
  expect(document.activeElement).toBe(fieldOf(place))
  triesHeld = new Promise(() => {})
  onTestFinished(() => {
    triesHeld = undefined
  })
  await submit(place)
  await vi.waitFor(() => expect(posted).toEqual(['flag{old}']))
  // The result replaces the report, and the list has the answer once.
  await until(() => expect(words()).toContain(t('play.wrong')))
  expect([sendButton()?.textContent, place.querySelectorAll('#c3 ol li').length]).toEqual([t('play.submit'), 1])
})

test('FLAGF-2 tries of team mates are read again when a flag is begun after a while; a failure to read them is not shown', async () => {
  const place = await open()
  const loaded = Date.now()
  let later = loaded + 3000
  vi.spyOn(Date, 'now').mockImplementation(() => later)
  onTestFinished(() => void vi.restoreAllMocks())
  const asked = vi.fn(fetch)
  vi.stubGlobal('fetch', asked)
  await type(fieldOf(place), 'f')
  await type(fieldOf(place), '')
  expect(asked).not.toHaveBeenCalled()
  later = loaded + 5001
  reached = false
  await type(fieldOf(place), 'f')
  await type(fieldOf(place), 'fl')
  // Only when it is begun.
  expect(asked.mock.calls.map(([address]) => address)).toEqual(['/api/game/7/challenges/3/tries'])
  await type(fieldOf(place), '')
  reached = true
  tries = [{ answer: 'flag{mate}', status: 'WrongAnswer', time: new Date(later).toISOString(), user: 'jun' }]
  await type(fieldOf(place), 'f')
  await until(() => expect(place.querySelector('#c3 ol')?.textContent).toContain('flag{mate}jun'))
  expect(toasts()).toEqual([])
})

test('FLAGF-2 the last four tries are listed, and the others on request', async () => {
  const older = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      answer: `flag{${i}}`,
      status: 'WrongAnswer',
      time: '2026-01-01T00:00:00+00:00',
      user: null,
    }))
  const list = (place: HTMLElement) => [...place.querySelectorAll('#c3 ol li button')].map(({ textContent }) => textContent)
  const more = () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === t('play.allTries'))
  tries = older(4)
  const four = await open([[keys.game(7).tries(3), tries]])
  expect(list(four)).toEqual(['flag{0}', 'flag{1}', 'flag{2}', 'flag{3}'])
  expect(more()).toBeUndefined()
  tries = older(6)
  const six = await open([[keys.game(7).tries(3), tries]])
  expect(list(six)).toHaveLength(4)
  await click(more())
  expect(list(six)).toHaveLength(6)
  expect(more()).toBeUndefined()
})

test('FLAGF-2 the own answer is listed at once, and the warning is repeated after another text', async () => {
  const place = await open()
  const { promise, resolve } = Promise.withResolvers<void>()
  triesHeld = promise
  onTestFinished(() => {
    triesHeld = undefined
  })
  await type(fieldOf(place), 'one')
  await submit(place)
  await vi.waitFor(() => expect(words()).toContain(t('play.wrong')))
  expect(place.querySelector('#c3 ol')?.textContent).toContain('one')
  await submit(place)
  expect(words()).toBe(t('play.triedByUs', { ago: 'this minute' }))
  expect(posted).toEqual(['one'])
  // Includes the team mates' answers since then.
  tries = [{ answer: 'flag{mate}', status: 'WrongAnswer', time: new Date().toISOString(), user: 'jun' }, ...tries]
  resolve()
  await until(() => expect(place.querySelector('#c3 ol')?.textContent).toContain('flag{mate}jun'))
  await type(fieldOf(place), 'two')
  expect(words()).not.toContain(t('play.triedByUs', { ago: 'this minute' }))
  const links = () => [...document.querySelectorAll('#c3 p button')].map(({ textContent }) => textContent)
  expect(links()).toEqual([t('play.bringBack')])
  await type(fieldOf(place), 'flag{mate}')
  await submit(place)
  expect([words(), links()]).toEqual([t('play.triedBy', { name: 'jun', ago: 'this minute' }), []])
  await type(fieldOf(place), 'one')
  await submit(place)
  expect(posted).toEqual(['one'])
})

test('FLAGF-3 a flag sent while the platform is unreachable waits visibly, and is sent after a confirmation that shows its age', async () => {
  const stop = watchConnection()
  try {
    let place = await open()
    reached = false
    await act(async () => void window.dispatchEvent(new Event('offline')))
    const asked = vi.fn(fetch)
    vi.stubGlobal('fetch', asked)
    await type(fieldOf(place), 'flag{late}')
    await submit(place)
    expect(words()).toContain(t('play.waits'))
    // It is not sent before the player confirms it.
    expect(asked.mock.calls.filter(([, init]) => init?.method === 'POST')).toEqual([])
    expect(line()?.className).toContain('wary')
    expect(sendButton()?.textContent).toBe('Submit now')
    // It also survives a reload.
    place = await open()
    expect(fieldOf(place).value).toBe('flag{late}')
    expect(place.querySelector('#c3 p')?.textContent).toContain(t('play.waits'))
    reached = true
    await act(async () => void window.dispatchEvent(new Event('online')))
    await vi.waitFor(() => expect(words()).toContain('this minute'))
    expect(posted).toEqual([])
    await submit(place)
    await vi.waitFor(() => expect(posted).toEqual(['flag{late}']))
    await vi.waitFor(() => expect(place.querySelector('#c3 p')?.textContent ?? '').not.toContain('this minute'))
  } finally {
    stop()
  }
})

test('FLAGF-3 CD-22 a flag whose call is cut keeps its text and waits; it can be dropped, and the form stays usable', async () => {
  let place = await open()
  reached = false
  await type(fieldOf(place), 'flag{cut}')
  await submit(place)
  await vi.waitFor(() => expect(words()).toContain(t('play.doNotSend')))
  expect(fieldOf(place).value).toBe('flag{cut}')
  await act(async () => [...document.querySelectorAll<HTMLButtonElement>('#c3 p button')].at(-1)?.click())
  expect(words()).not.toContain(t('play.doNotSend'))
  expect(fieldOf(place).value).toBe('flag{cut}')
  // After a reload it does not wait again.
  place = await open()
  expect(fieldOf(place).value).toBe('flag{cut}')
  expect(place.textContent).not.toContain(t('play.doNotSend'))
  reached = true
  await submit(place)
  await vi.waitFor(() => expect(posted).toEqual(['flag{cut}']))
  await vi.waitFor(() => expect(place.querySelector('#c3 p')?.textContent).toContain(t('play.wrong')))
  // While another one waits, the wrong one is not offered.
  const links = () => [...place.querySelectorAll('#c3 p button')].map(({ textContent }) => textContent)
  await type(fieldOf(place), 'flag{other}')
  expect(links()).toEqual([t('play.bringBack')])
  reached = false
  await submit(place)
  await until(() => expect(links()).toEqual([t('play.doNotSend')]))
})

test('FB-2 too many answers disable the button for the time that the server gives, and keep the text', async () => {
  const refusal = { title: 'Too many', status: 429, code: 'server.too_many_requests' }
  let held: Promise<void> | undefined
  vi.stubGlobal('fetch', async (_: string, init?: RequestInit) => {
    if (init?.method !== 'POST') return json([])
    await held
    return new Response(JSON.stringify(refusal), { status: 429, headers: { 'Retry-After': '1' } })
  })
  const place = await open()
  const [begun, ended] = [vi.spyOn(window, 'setInterval'), vi.spyOn(window, 'clearInterval')]
  const button = () => place.querySelector<HTMLButtonElement>('#c3 button[type=submit]')
  await type(fieldOf(place), 'flag{soon}')
  await submit(place)
  await until(() => expect(words()).toContain('Too many'))
  expect([fieldOf(place).getAttribute('aria-invalid'), line()?.className]).toEqual([null, expect.stringContaining('wary')])
  expect([line()?.querySelector('.tabler-icon-x'), line()?.querySelector('.tabler-icon-alert-triangle')]).toEqual([
    null,
    expect.any(Element),
  ])
  expect([button()?.getAttribute('aria-disabled'), button()?.textContent]).toEqual(['true', t('ui.againIn', { seconds: 1 })])
  await until(() => expect(button()?.textContent).toBe(t('play.submit')))
  expect([button()?.getAttribute('aria-disabled'), fieldOf(place).value]).toEqual([null, 'flag{soon}'])
  const countdown = begun.mock.results.find((_, at) => begun.mock.calls[at]?.[1] === 500)
  expect(ended.mock.calls).toContainEqual([countdown?.value])
  // The page is closed during the next countdown, which must end with it.
  begun.mockRestore()
  ended.mockRestore()
  const { promise, resolve } = Promise.withResolvers<void>()
  held = promise
  await submit(place)
  // The former answer of the server is not that of this flag.
  expect([words(), line()?.role]).toEqual(['', 'status'])
  resolve()
  await until(() => expect(button()?.textContent).toBe(t('ui.againIn', { seconds: 1 })))
})
