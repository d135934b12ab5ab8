// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { act, StrictMode, useState } from 'react'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { openPage, until } from '../../../test/page.tsx'
import TerminalView from './terminal-view.tsx'
import { Transcript } from './tunnel-session.ts'

/** Records what a terminal shows: xterm measures fonts, which jsdom does not have. */
const made = vi.hoisted(() => [] as { options: { theme: { background: string } }; shown: string; gone: boolean }[])
vi.mock('@xterm/xterm', () => ({
  Terminal: class {
    options: { theme: { background: string } }
    shown = ''
    gone = false
    constructor(options: { theme: { background: string } }) {
      this.options = { ...options }
      made.push(this)
    }
    loadAddon() {}
    open() {}
    onData() {}
    write(bytes: Uint8Array) {
      this.shown += new TextDecoder().decode(bytes)
    }
    dispose() {
      this.gone = true
    }
  },
}))
vi.mock('@xterm/addon-fit', () => ({
  FitAddon: class {
    fit() {}
  },
}))

beforeEach(() => void made.splice(0))

const bytes = (text: string) => new TextEncoder().encode(text)
const session = () => {
  const transcript = new Transcript()
  transcript.add('there', bytes('name? '))
  transcript.add('here', bytes('ann'))
  return transcript
}
const view = { className: undefined, form: 'text', onKeys: undefined } as const

test('a terminal shows the whole session, also when React mounts it twice, and then only what is new', async () => {
  const transcript = session()
  let show = (_: number) => {}
  function Strict() {
    const [version, setVersion] = useState(-1)
    show = setVersion
    // What is there from the first render of the root is not mounted twice, since the root is not strict.
    return (
      version >= 0 && (
        <StrictMode>
          <TerminalView {...view} transcript={transcript} version={version} />
        </StrictMode>
      )
    )
  }
  await openPage(<Strict />)
  await act(async () => show(0))
  expect(made.map(({ shown, gone }) => ({ shown, gone }))).toEqual([
    { shown: 'name? ann', gone: true },
    { shown: 'name? ann', gone: false },
  ])
  transcript.add('there', bytes('!'))
  await act(async () => show(1))
  expect(made.at(-1)?.shown).toBe('name? ann!')
})

test('a terminal has the colours of the page, also after the colour scheme has changed', async () => {
  const { style } = document.documentElement
  onTestFinished(() => void style.removeProperty('--page'))
  let choose = (_: 'dark' | 'light') => {}
  function Schemed() {
    const [scheme, setScheme] = useState<'dark' | 'light'>('dark')
    choose = setScheme
    return (
      <MantineProvider env="test" forceColorScheme={scheme} getRootElement={() => undefined}>
        <TerminalView {...view} transcript={session()} version={0} />
      </MantineProvider>
    )
  }
  style.setProperty('--page', 'black')
  await openPage(<Schemed />)
  expect(made.at(-1)?.options.theme.background).toBe('black')
  await act(async () => choose('light'))
  style.setProperty('--page', 'white')
  await until(() => expect(made.at(-1)?.options.theme.background).toBe('white'))
})
