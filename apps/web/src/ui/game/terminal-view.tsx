import { useComputedColorScheme } from '@mantine/core'
import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import { useEffect, useRef } from 'react'
import { hexLines, type Transcript, type TranscriptLine } from './tunnel-session.ts'

interface Props {
  readonly className: string | undefined
  readonly transcript: Transcript
  /** Increases with every message. */
  readonly version: number
  readonly form: 'text' | 'hex'
  /** Receives every key; without it the view is read-only. */
  readonly onKeys: ((keys: string) => void) | undefined
}

const colourOf = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

const coloursOfPage = () => ({ background: colourOf('--page'), foreground: colourOf('--ink'), cursor: colourOf('--ink') })

export default function TerminalView({ className, transcript, version, form, onKeys }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const terminal = useRef<Terminal>(undefined)
  const shown = useRef<TranscriptLine>(undefined)
  const keys = useRef(onKeys)
  keys.current = onKeys

  useEffect(() => {
    if (!place.current) return
    const made = new Terminal({
      convertEol: true,
      fontFamily: colourOf('--mono') || 'monospace',
      fontSize: 13,
      scrollback: 5000,
      screenReaderMode: true,
      theme: coloursOfPage(),
    })
    const fit = new FitAddon()
    made.loadAddon(fit)
    made.open(place.current)
    fit.fit()
    made.onData((typed) => keys.current?.(typed))
    const observer = new ResizeObserver(() => fit.fit())
    observer.observe(place.current)
    terminal.current = made
    shown.current = undefined
    return () => {
      observer.disconnect()
      made.dispose()
    }
  }, [])

  const scheme = useComputedColorScheme('light')
  // biome-ignore lint/correctness/useExhaustiveDependencies: another scheme has other colours
  useEffect(() => {
    // The colours of the page change in the same turn.
    const frame = requestAnimationFrame(() => {
      if (terminal.current) terminal.current.options.theme = coloursOfPage()
    })
    return () => cancelAnimationFrame(frame)
  }, [scheme])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the transcript stays the same while it grows
  useEffect(() => {
    const { lines } = transcript
    const from = shown.current ? lines.lastIndexOf(shown.current) + 1 : 0
    for (const one of lines.slice(from)) {
      if (form === 'hex') for (const line of hexLines(one)) terminal.current?.writeln(line)
      else terminal.current?.write(one.bytes)
    }
    shown.current = lines.at(-1)
  }, [version, form, transcript])

  return <div ref={place} className={className} />
}
