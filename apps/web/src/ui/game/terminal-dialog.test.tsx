// @vitest-environment jsdom
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
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
  constructor() {
    Socket.all.push(this)
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
