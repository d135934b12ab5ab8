// @vitest-environment jsdom
import { act, type ComponentProps, type ReactNode, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { button, click, named, send, settle, write } from '../../../test/acts.ts'
import { json, openPage, until } from '../../../test/page.tsx'
import { TerminalDialog } from './terminal-dialog.tsx'
import type TerminalView from './terminal-view.tsx'

// xterm measures fonts, which jsdom does not have. A press of this view is an arrow key.
vi.mock('./terminal-view.tsx', () => ({
  default: function View({ transcript, form, onKeys }: ComponentProps<typeof TerminalView>) {
    // What is on a screen keeps its form.
    const [shown] = useState(form)
    return (
      <button type="button" aria-label={`Terminal, ${shown}`} onClick={() => onKeys?.('\x1b[A')}>
        {transcript.text}
      </button>
    )
  },
}))

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const id = '0a1b2c3d-4e5f-4000-8000-000000000001'

class Socket {
  static OPEN = 1
  static all: Socket[] = []
  onopen: (() => void) | null = null
  onclose: (() => void) | null = null
  onmessage: ((message: { data: ArrayBuffer }) => void) | null = null
  readyState = 0
  sent: string[] = []
  isClosed = false
  binaryType = 'blob'
  constructor() {
    Socket.all.push(this)
  }
  send(bytes: Uint8Array) {
    this.sent.push(new TextDecoder().decode(bytes))
  }
  close() {
    this.isClosed = true
  }
}

async function open(path: string, answer: () => Response | Promise<Response>, page?: ReactNode) {
  Socket.all = []
  const requests: string[] = []
  vi.stubGlobal('WebSocket', Socket)
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    requests.push(input)
    return Promise.race([
      answer(),
      new Promise<never>((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))),
    ])
  })
  const url = `ws://localhost:3000/api/proxy/${path}`
  await openPage(page ?? <TerminalDialog title="Buoy" url={url} onClose={() => undefined} />)
  return requests
}
const end = (opened: boolean) =>
  act(async () => {
    if (opened) Socket.all.at(-1)?.onopen?.()
    Socket.all.at(-1)?.onclose?.()
  })
const shown = () => document.querySelector('[role=dialog]')?.textContent

test.each([id, `noinst/${id}`, `${id}/sql`, `noinst/${id}/sql`])(
  'CD-8 a refused connection to %s shows the reason, until the next try',
  async (path) => {
    const requests = await open(path, () => json({ title: 'At most 64 connections', status: 400 }, 400))
    await end(false)
    await until(() => expect(shown()).toContain('At most 64 connections'))
    expect(requests).toEqual([`/api/proxy/${path}?connect=true`])
    await act(async () => [...document.querySelectorAll('button')].find((one) => one.textContent === 'Reconnect')?.click())
    expect(shown()).toContain('connecting')
    expect(shown()).not.toContain('At most')
  },
)

test('a connection that was open is closed without a question, and one that is refused no more is closed', async () => {
  const requests = await open(id, () => new Response(null, { status: 204 }))
  await end(true)
  expect([shown()?.includes('closed'), requests]).toEqual([true, []])
  await act(async () => [...document.querySelectorAll('button')].find((one) => one.textContent === 'Reconnect')?.click())
  await end(false)
  await until(() => expect(requests).toHaveLength(1))
  expect(shown()).toContain('closed')
  await act(async () => [...document.querySelectorAll('button')].find((one) => one.textContent === 'Reconnect')?.click())
  expect(Socket.all).toHaveLength(3)
})

test('the reason of an earlier refusal does not appear at a later connection; a connection is closed with the dialog', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>()
  function Shown() {
    const [shown, setShown] = useState(true)
    const url = `ws://localhost:3000/api/proxy/${id}`
    return shown && <TerminalDialog title="Buoy" url={url} onClose={() => setShown(false)} />
  }
  await open(id, () => promise, <Shown />)
  await end(false)
  await click(button('Reconnect'))
  await act(async () => resolve(json({ title: 'At most 64 connections', status: 400 }, 400)))
  await settle()
  expect(shown()).toContain('connecting')
  expect(shown()).not.toContain('At most')
  expect(Socket.all.map(({ isClosed }) => isClosed)).toEqual([true, false])
  await click(named('Close'))
  expect(shown()).toBeUndefined()
  expect(Socket.all.map(({ isClosed }) => isClosed)).toEqual([true, true])
})

const start = async () => {
  await open(id, () => new Response(null, { status: 204 }))
  const socket = Socket.all.at(-1) as Socket
  await act(async () => {
    socket.readyState = Socket.OPEN
    socket.onopen?.()
  })
  return socket
}
const choose = (value: string) => click(document.querySelector(`[role=radiogroup] input[value=${value}]`))
const line = () => named<HTMLInputElement>('Type a line')
const screen = (form = 'text') => named(`Terminal, ${form}`)
const ofServer = (text: string) => ({ data: new TextEncoder().encode(text).buffer })

test('a typed line is sent, and the arrow keys bring sent lines back', async () => {
  const { sent } = await start()
  await until(() => expect(document.activeElement).toBe(line()))
  expect(button('Reconnect')).toBeUndefined()
  const names = [...document.querySelectorAll('[role=radiogroup]')].map((group) => group.getAttribute('aria-label'))
  expect(names).toEqual(['Input mode', 'Output format'])
  const press = async (key: string) => {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
    await act(async () => void line()?.dispatchEvent(event))
    return [line()?.value, event.defaultPrevented]
  }
  const sendLine = async (text: string) => {
    await write(line(), text)
    await send(line())
    expect(line()?.value).toBe('')
  }
  await sendLine('first')
  await sendLine('second')
  expect(sent).toEqual(['first\n', 'second\n'])
  // The browser would move the cursor to an end of the line.
  expect(await press('ArrowUp')).toEqual(['second', true])
  expect(await press('ArrowUp')).toEqual(['first', true])
  expect(await press('ArrowUp')).toEqual(['first', true])
  expect(await press('ArrowDown')).toEqual(['second', true])
  expect(await press('ArrowDown')).toEqual(['', true])
  expect(await press('ArrowDown')).toEqual(['', true])
  expect(await press('ArrowUp')).toEqual(['second', true])
  expect(await press('ArrowDown')).toEqual(['', true])
  expect(await press('a')).toEqual(['', false])
  await press('ArrowUp')
  await sendLine('third')
  expect(await press('ArrowUp')).toEqual(['third', true])
  // The last hundred lines are kept.
  for (let number = 1; number <= 100; number++) {
    await write(line(), `line ${number}`)
    await act(
      async () =>
        void line()
          ?.closest('form')
          ?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })),
    )
  }
  for (let number = 100; number >= 1; number--) expect(await press('ArrowUp')).toEqual([`line ${number}`, true])
  expect(await press('ArrowUp')).toEqual(['line 1', true])
  // A line that cannot be sent stays.
  const lines = sent.length
  await act(async () => Object.assign(Socket.all.at(-1) as Socket, { readyState: 3 }).onclose?.())
  expect(button('Send')?.disabled).toBe(true)
  await write(line(), 'late')
  await send(line())
  expect([line()?.value, sent.length]).toEqual(['late', lines])
})

test('bytes are sent and shown in hexadecimal, and only valid ones are sent', async () => {
  const { sent } = await start()
  await choose('hex')
  await until(() => expect(screen('hex')).toBeTruthy())
  expect(line()?.getAttribute('aria-invalid')).not.toBe('true')
  await write(line(), '41 0')
  expect([button('Send')?.disabled, line()?.getAttribute('aria-invalid')]).toEqual([true, 'true'])
  await send(line())
  expect(sent).toEqual([])
  await write(line(), '41 0a')
  await send(line())
  expect(sent).toEqual(['A\n'])
})

test('raw keys are sent as they are pressed, while the connection is open', async () => {
  const socket = await start()
  await until(() => expect(screen()).toBeTruthy())
  await click(screen())
  expect(socket.sent).toEqual([])
  await choose('raw')
  expect(line()).toBeUndefined()
  await click(screen())
  expect(socket.sent).toEqual(['\x1b[A'])
  await act(async () => socket.onclose?.())
  await click(screen())
  expect(socket.sent).toHaveLength(1)
})

test('the session shows what came and what was sent, and can be copied and saved', async () => {
  const copied: string[] = []
  Object.assign(navigator, { clipboard: { writeText: async (text: string) => void copied.push(text) } })
  const kept = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:session')
  const released = vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
  const saved: (readonly [string, string])[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push([this.href, this.download])
  })
  const socket = await start()
  // A browser gives a Blob otherwise.
  expect(socket.binaryType).toBe('arraybuffer')
  await act(async () => socket.onmessage?.(ofServer('name? ')))
  await until(() => expect(screen()?.textContent).toBe('name? '))
  await write(line(), 'ann')
  await send(line())
  expect(screen()?.textContent).toBe('name? ann\n')
  await click(button('Copy session'))
  await until(() => expect(button('Copied')).toBeTruthy())
  expect(copied).toEqual(['name? ann\n'])
  await click(button('Save session'))
  expect(saved).toEqual([['blob:session', 'session.txt']])
  const [file] = kept.mock.lastCall ?? []
  expect(await (file as Blob).text()).toBe('name? ann\n')
  // A picture of an earlier test may be released in the meantime.
  await until(() => expect(released.mock.calls.filter(([url]) => url === 'blob:session')).toHaveLength(1))
})
