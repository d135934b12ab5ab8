// @vitest-environment jsdom
import type { DetailedGame } from '@vexil/contract/games'
import { act } from 'react'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { settle } from '../../test/acts.ts'
import { json, openPage, toasts, until } from '../../test/page.tsx'
import { WriteupButton } from './writeup-button.tsx'
import { writeupFile } from './writeup-check.ts'

vi.mock('../ui/pdf/pdf-view.tsx', () => ({ PdfView: ({ url }: { url: string }) => <p>pages of {url}</p> }))

const hour = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * hour).toISOString()
const game = {
  id: 7,
  title: 'Cup',
  start: inHours(-5),
  end: inHours(-1),
  status: 'Accepted',
  practiceMode: false,
  writeupRequired: true,
  writeupDeadline: inHours(2),
} as DetailedGame
const none = { submitted: false, name: '#', fileSize: 0, note: 'Say **how**.', writeupDeadline: inHours(2), url: null }
const handed = { ...none, submitted: true, name: 'Writeup-7-3.pdf', fileSize: 2048, url: '/assets/ab/Writeup-7-3.pdf' }

/** Uploads that the server received. */
let uploads: { name: string; type: string }[] = []
let answer: { status: number; body: unknown } = { status: 200, body: null }
let held: (() => void) | undefined
let holds = false
/** The share of the file that is reported as sent at once; 0 reports nothing. */
let sentAtOnce = 0.25

class Uploading {
  upload: { onprogress?: (event: object) => void } = {}
  onload?: () => void
  status = 0
  response: unknown = null
  responseType = ''
  line = ''
  open(method: string, address: string) {
    this.line = `${method} ${address}`
  }
  setRequestHeader() {}
  getResponseHeader() {
    return null
  }
  send(form: FormData) {
    expect(this.line).toBe('POST /api/game/7/writeup')
    const file = form.get('file') as File
    uploads.push({ name: file.name, type: file.type })
    if (sentAtOnce) this.upload.onprogress?.({ loaded: sentAtOnce, total: 1, lengthComputable: true })
    const finish = () => {
      this.status = answer.status
      this.response = answer.body
      this.onload?.()
    }
    if (holds) held = finish
    else setTimeout(finish)
  }
}

beforeEach(() => {
  uploads = []
  answer = { status: 200, body: null }
  holds = false
  sentAtOnce = 0.25
  vi.stubGlobal('XMLHttpRequest', Uploading)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const dialog = () => document.querySelector<HTMLElement>('[role=dialog]')
const button = (text: string) =>
  [...document.querySelectorAll<HTMLButtonElement>('button')].filter((one) => one.textContent?.includes(text)).at(-1)
const click = async (element: HTMLElement | undefined | null) => {
  expect(element).toBeTruthy()
  await act(async () => element?.click())
  await settle()
}
const pdf = (name = 'how.pdf', type = 'application/pdf', size = 10) => {
  const file = new File(['%PDF-1.7'], name, { type })
  Object.defineProperty(file, 'size', { value: size })
  return file
}
const choose = async (file: File) => {
  const field = document.querySelector<HTMLInputElement>('input[type=file]')
  Object.defineProperty(field, 'files', { value: [file], configurable: true })
  await act(async () => field?.dispatchEvent(new Event('change', { bubbles: true })))
  await settle()
}

/** Waits until the dialog, whose code is loaded on opening, shows its data. */
const shown = (...texts: readonly string[]) =>
  until(() => expect(texts.some((text) => dialog()?.textContent?.includes(text))).toBe(true))

async function open(answers: readonly unknown[] = [none], of: DetailedGame = game) {
  let requests = 0
  vi.stubGlobal('fetch', async () => json(answers[Math.min(requests++, answers.length - 1)]))
  await openPage(<WriteupButton game={of} phase="ended" />)
  await click(button('Submit writeup'))
  await shown('Upload a PDF', 'Replace')
}

test('P3.14 WU-4 the button for the writeup is shown after the end without practice mode, until the deadline, to accepted teams of games with writeups', async () => {
  vi.stubGlobal('fetch', async () => json(none))
  const offered = async (patch: Partial<DetailedGame>, phase: 'before' | 'running' | 'ended' = 'ended') => {
    const place = await openPage(<WriteupButton game={{ ...game, ...patch } as DetailedGame} phase={phase} />)
    return place.textContent?.includes('Submit writeup')
  }
  expect(await offered({})).toBe(true)
  expect(await offered({}, 'running')).toBe(true)
  expect(await offered({}, 'before')).toBe(false)
  expect(await offered({ writeupRequired: false })).toBe(false)
  expect(await offered({ status: 'Suspended' })).toBe(false)
  expect(await offered({ status: 'Pending' })).toBe(false)
  expect(await offered({ writeupDeadline: inHours(-1) })).toBe(false)
})

test('P8.18 WU-1 only a PDF of at most 20 MiB is accepted, by type and extension; any other file is refused at its field and nothing is sent', async () => {
  const most = 20 * 1024 * 1024
  expect(writeupFile(pdf('a.pdf', 'application/pdf', most))?.name).toBe('a.pdf')
  expect(writeupFile(pdf('A.PDF'))?.name).toBe('A.pdf')
  expect(writeupFile(pdf('a.pdf', 'application/pdf', most + 1))).toBeUndefined()
  expect(writeupFile(pdf('a.pdf', 'text/html'))).toBeUndefined()
  expect(writeupFile(pdf('a.html'))).toBeUndefined()
  expect(writeupFile(pdf('a.pdf', 'application/pdf', 0))).toBeUndefined()
  await open()
  await choose(pdf('notes.docx', 'application/msword'))
  expect(dialog()?.querySelector('[role=alert]')?.textContent).toContain('notes.docx: file invalid (check format and size)')
  await choose(pdf('long.pdf', 'application/pdf', most + 1))
  expect(dialog()?.querySelector('[role=alert]')?.textContent).toContain('long.pdf')
  expect(uploads).toEqual([])
})

test('P3.14 WU-2 a first writeup is sent with progress and without a question, then shown in the card; the instruction and the deadline are above it', async () => {
  await open([none, handed])
  expect(dialog()?.textContent).toContain('Not submitted yet')
  expect(dialog()?.querySelectorAll('.tabler-icon-circle-dashed, .tabler-icon-circle-check')).toHaveLength(1)
  expect(dialog()?.querySelector('.tabler-icon-circle-dashed')).not.toBeNull()
  expect(dialog()?.textContent).toContain('Nothing yet')
  expect(dialog()?.textContent).toContain('up to 20.0 MiB')
  expect(dialog()?.textContent).not.toContain('deadline has passed')
  expect(dialog()?.querySelector('[role=timer]')).not.toBeNull()
  expect(dialog()?.querySelector<HTMLInputElement>('input[type=file]')?.accept).toBe('application/pdf,.pdf')
  await shown('Say how.')
  expect(dialog()?.querySelector('strong')?.textContent).toBe('how')
  holds = true
  const upload = button('Upload a PDF')
  upload?.focus()
  const picks = vi.spyOn(HTMLInputElement.prototype, 'click').mockReturnValue()
  onTestFinished(() => picks.mockRestore())
  await click(upload)
  expect(picks).toHaveBeenCalledOnce()
  await choose(pdf())
  await until(() => expect(dialog()?.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow')).toBe('25'))
  expect(document.activeElement).toBe(button('Uploading 25 %'))
  await click(button('Uploading 25 %'))
  expect(picks).toHaveBeenCalledOnce()
  await act(async () => held?.())
  await shown('Submitted')
  expect(dialog()?.querySelector('.tabler-icon-circle-check')).not.toBeNull()
  expect(uploads).toEqual([{ name: 'how.pdf', type: 'application/pdf' }])
  expect(dialog()?.textContent).toContain('Writeup-7-3.pdf')
  expect(dialog()?.textContent).toContain('2.0 KiB')
  expect(dialog()?.querySelector('a[download]')?.getAttribute('href')).toBe(handed.url)
  expect(dialog()?.querySelector('a[download]')?.getAttribute('download')).toBe(handed.name)
  expect(toasts().map(({ title }) => title)).toContain('Writeup submitted')
})

test('WU-2 a new writeup replaces the old one only after a question', async () => {
  await open([handed])
  await choose(pdf('second.pdf'))
  expect(uploads).toEqual([])
  expect(document.body.textContent).toContain('Replace the current writeup with second.pdf?')
  await click(button('Cancel'))
  expect(uploads).toEqual([])
  await choose(pdf('third.pdf'))
  await click(button('Replace'))
  await until(() => expect(uploads.map(({ name }) => name)).toEqual(['third.pdf']))
})

test('WU-2 a refusal of the server is shown in the dialog in its words, and another try works', async () => {
  answer = { status: 400, body: { title: 'This is not a PDF', status: 400, code: 'writeup.not_pdf' } }
  // The shown data may be outdated, so it is fetched again.
  await open([none, { ...none, note: 'Once per *team*.' }])
  await choose(pdf())
  await until(() => expect(dialog()?.querySelector('[role=alert]')?.textContent).toBe('This is not a PDF'))
  await shown('Once per team.')
  // The message may appear before the button is enabled again.
  await until(() => expect(button('Upload a PDF')?.getAttribute('aria-disabled')).toBeNull())
  answer = { status: 200, body: null }
  holds = true
  sentAtOnce = 0
  await choose(pdf())
  await until(() => expect(uploads).toHaveLength(2))
  expect(button('Uploading 0 %')).toBeTruthy()
  await act(async () => held?.())
  await until(() => expect(button('Upload a PDF')?.getAttribute('aria-disabled')).toBeNull())
  expect(dialog()?.querySelector('[role=alert]')).toBeNull()
  answer = { status: 429, body: { title: 'Too many', status: 429, code: 'request.too_many' } }
  holds = false
  await choose(pdf())
  await until(() => expect(button('Retry in 5 s')?.disabled).toBe(true))
})

test('P8.17 WU-3 WU-5 at the deadline the open dialog shows a message and its button is disabled, without a reload', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const soon = new Date(Date.now() + 60_000).toISOString()
  await open([{ ...handed, writeupDeadline: soon }], { ...game, writeupDeadline: soon })
  expect(button('Replace')?.disabled).toBe(false)
  await act(async () => void (await vi.advanceTimersByTimeAsync(60_000)))
  await shown('Submission deadline has passed')
  expect(button('Replace')?.disabled).toBe(true)
  expect(dialog()?.querySelector('[role=timer]')).toBeNull()
  expect(dialog()?.textContent).toContain('Writeup-7-3.pdf')
})

test('the submitted writeup can be read in the dialog', async () => {
  await open([{ ...handed, note: ' \n' }])
  // A blank note has no heading.
  expect(dialog()?.querySelector('h3')).toBeNull()
  expect(document.body.textContent).not.toContain('pages of')
  expect(button('Preview')?.getAttribute('aria-expanded')).toBe('false')
  await click(button('Preview'))
  expect(button('Hide preview')?.getAttribute('aria-expanded')).toBe('true')
  await shown(`pages of ${handed.url}`)
  await click(button('Hide preview'))
  expect(dialog()?.textContent).not.toContain('pages of')
})

test('a state that cannot be loaded shows an error and can be requested again', async () => {
  let requests = 0
  vi.stubGlobal('fetch', async () => (requests++ === 0 ? json({ title: 'Out of order', status: 500 }, 500) : json(handed)))
  await openPage(<WriteupButton game={game} phase="ended" />)
  await click(button('Submit writeup'))
  await shown('Out of order')
  await click(button('Retry'))
  await shown('Writeup-7-3.pdf')
})
