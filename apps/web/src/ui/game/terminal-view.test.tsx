// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { act, StrictMode, useEffect, useState } from 'react'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { openPage, until } from '../../../test/page.tsx'
import TerminalView from './terminal-view.tsx'
import { Transcript } from './tunnel-session.ts'

interface Made {
  options: { theme: { background: string }; convertEol?: boolean; screenReaderMode?: boolean }
  /** Where it is shown. */
  place: HTMLElement | undefined
  shown: string
  fitted: number
  gone: boolean
  press: (keys: string) => void
}
/** Records what a terminal shows: xterm measures fonts, which jsdom does not have. */
const made = vi.hoisted(() => [] as Made[])
vi.mock('@xterm/xterm', () => ({
  Terminal: class implements Made {
    options: Made['options']
    place: HTMLElement | undefined
    shown = ''
    fitted = 0
    gone = false
    press: Made['press'] = () => {}
    constructor(options: Made['options']) {
      this.options = { ...options }
      made.push(this)
    }
    loadAddon(addon: { of: Made }) {
      addon.of = this
    }
    open(place: HTMLElement) {
      this.place = place
    }
    onData(hear: Made['press']) {
      this.press = hear
    }
    write(bytes: Uint8Array) {
      this.shown += new TextDecoder().decode(bytes)
    }
    writeln(line: string) {
      this.shown += `${line}\n`
    }
    dispose() {
      this.gone = true
    }
  },
}))
vi.mock('@xterm/addon-fit', () => ({
  FitAddon: class {
    of: Made | undefined
    fit() {
      if (this.of?.place) this.of.fitted++
    }
  },
}))

beforeEach(() => void made.splice(0))
afterEach(() => void vi.unstubAllGlobals())

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
  // Services end lines with a line feed only, and screen readers need text beside the drawing.
  expect(made.at(-1)?.options).toMatchObject({ convertEol: true, screenReaderMode: true })
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
    // As the provider does: in an effect after those of the terminal.
    useEffect(() => style.setProperty('--page', scheme === 'dark' ? 'black' : 'white'), [scheme])
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
  await until(() => expect(made.at(-1)?.options.theme.background).toBe('white'))
})

test('a terminal shows bytes in hexadecimal, each message in its direction', async () => {
  await openPage(<TerminalView {...view} form="hex" transcript={session()} version={0} />)
  expect(made.at(-1)?.shown.replaceAll(/ +/g, ' ')).toBe('< 000000 6e 61 6d 65 3f 20 name? \n> 000000 61 6e 6e ann\n')
})

test('a terminal passes keys on to the present receiver, and none while there is no receiver', async () => {
  const heard: string[] = []
  let hear = (_: (keys: string) => void) => {}
  function Heard() {
    const [onKeys, setOnKeys] = useState<(keys: string) => void>()
    hear = (receiver) => setOnKeys(() => receiver)
    return <TerminalView {...view} transcript={session()} version={0} onKeys={onKeys} />
  }
  await openPage(<Heard />)
  made.at(-1)?.press('a')
  await act(async () => hear((keys) => heard.push(keys)))
  made.at(-1)?.press('b')
  expect(heard).toEqual(['b'])
})

test('a terminal fits its place, also after a change of the size, and is released with it', async () => {
  let show = (_: boolean) => {}
  function Shown() {
    const [shown, setShown] = useState(false)
    show = setShown
    return shown && <TerminalView {...view} className="terminal" transcript={session()} version={0} />
  }
  const page = await openPage(<Shown />)
  const resized = new Map<Element, () => void>()
  vi.stubGlobal(
    'ResizeObserver',
    class {
      #hear: () => void
      constructor(hear: () => void) {
        this.#hear = hear
      }
      observe(place: Element) {
        resized.set(place, this.#hear)
      }
      disconnect() {
        resized.clear()
      }
    },
  )
  const frames = new Set<number>()
  vi.stubGlobal('requestAnimationFrame', () => {
    frames.add(frames.size + 1)
    return frames.size
  })
  vi.stubGlobal('cancelAnimationFrame', (frame: number) => frames.delete(frame))
  await act(async () => show(true))
  const [terminal] = made
  const place = page.querySelector('.terminal') as Element
  expect([terminal?.place, terminal?.fitted, frames.size]).toEqual([place, 1, 1])
  resized.get(place)?.()
  expect(terminal?.fitted).toBe(2)
  await act(async () => show(false))
  expect([terminal?.gone, resized.size, frames.size]).toEqual([true, 0, 0])
})
