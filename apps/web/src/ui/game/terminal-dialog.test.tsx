// @vitest-environment jsdom
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { named, send, write } from '../../../test/acts.ts'
import { json, openPage, until } from '../../../test/page.tsx'
import { TerminalDialog } from './terminal-dialog.tsx'

// xterm measures fonts, which jsdom does not have.
vi.mock('./terminal-view.tsx', () => ({ default: () => null }))

afterEach(() => void vi.unstubAllGlobals())

const id = '0a1b2c3d-4e5f-4000-8000-000000000001'

class Socket {
  static OPEN = 1
  static all: Socket[] = []
  onopen: (() => void) | null = null
  onclose: (() => void) | null = null
  readyState = 0
  sent: string[] = []
  constructor() {
    Socket.all.push(this)
  }
  send(bytes: Uint8Array) {
    this.sent.push(new TextDecoder().decode(bytes))
  }
  close() {}
}

async function open(path: string, answer: () => Response) {
  Socket.all = []
  const asked: string[] = []
  vi.stubGlobal('WebSocket', Socket)
  vi.stubGlobal('fetch', async (input: string) => {
    asked.push(input)
    return answer()
  })
  await openPage(<TerminalDialog title="Buoy" url={`ws://localhost:3000/api/proxy/${path}`} onClose={() => undefined} />)
  return asked
}
const end = (opened: boolean) =>
  act(async () => {
    if (opened) Socket.all.at(-1)?.onopen?.()
    Socket.all.at(-1)?.onclose?.()
  })
const shown = () => document.querySelector('[role=dialog]')?.textContent

test.each([id, `noinst/${id}`])('CD-8 a refused connection to %s shows the reason, until the next try', async (path) => {
  const asked = await open(path, () => json({ title: 'At most 64 connections', status: 400 }, 400))
  await end(false)
  await until(() => expect(shown()).toContain('At most 64 connections'))
  expect(asked).toEqual([`/api/proxy/${path}?connect=true`])
  await act(async () => [...document.querySelectorAll('button')].find((one) => one.textContent === 'Reconnect')?.click())
  expect(shown()).toContain('connecting')
  expect(shown()).not.toContain('At most')
})

test('a connection that was open is closed without a question, and one that is refused no more is closed', async () => {
  const asked = await open(id, () => new Response(null, { status: 204 }))
  await end(true)
  expect([shown()?.includes('closed'), asked]).toEqual([true, []])
  await act(async () => [...document.querySelectorAll('button')].find((one) => one.textContent === 'Reconnect')?.click())
  await end(false)
  await until(() => expect(asked).toHaveLength(1))
  expect(shown()).toContain('closed')
})

test('a typed line is sent, and the arrow keys bring sent lines back', async () => {
  await open(id, () => new Response(null, { status: 204 }))
  const socket = Socket.all.at(-1)
  await act(async () => {
    if (socket) socket.readyState = Socket.OPEN
    socket?.onopen?.()
  })
  const line = named<HTMLInputElement>('Type a line')
  for (const text of ['first', 'second']) {
    await write(line, text)
    await send(line)
    expect(line?.value).toBe('')
  }
  expect(socket?.sent).toEqual(['first\n', 'second\n'])
  const press = async (key: string) => {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
    await act(async () => void line?.dispatchEvent(event))
    return [line?.value, event.defaultPrevented]
  }
  // The browser would move the cursor to an end of the line.
  expect(await press('ArrowUp')).toEqual(['second', true])
  expect(await press('ArrowUp')).toEqual(['first', true])
  expect(await press('ArrowDown')).toEqual(['second', true])
  expect(await press('ArrowDown')).toEqual(['', true])
  expect(await press('a')).toEqual(['', false])
})
