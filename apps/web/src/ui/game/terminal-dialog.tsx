import { Button, SegmentedControl, TextInput } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { proxyInstance, proxyNamedPort, proxyNamedTestPort, proxyTestContainer } from '@vexil/contract/instances'
import { type FormEvent, lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { Refusal, send } from '../../api/client.ts'
import { keepFile } from '../../api/download.ts'
import { withRetry } from '../base/chunk-recovery.ts'
import { useCopy } from '../base/copy.tsx'
import { Dialog } from '../overlays/dialog.tsx'
import { useTranslation } from '../text/texts.tsx'
import c from './terminal-dialog.module.css'
import { bytesOf, Transcript } from './tunnel-session.ts'

/** The terminal is some hundred kilobytes and loads when it is opened. */
const TerminalView = lazy(withRetry(() => import('./terminal-view.tsx')))

interface Props {
  readonly title: string
  /** `ws(s)://…/api/proxy/{id}` */
  readonly url: string
  readonly onClose: () => void
}

type State = 'connecting' | 'open' | 'closed'

export function TerminalDialog({ title, url, onClose }: Props) {
  const { t } = useTranslation()
  const phone = useMediaQuery('(max-width: 767px)')
  const { copied, copy } = useCopy()
  const [mode, setMode] = useState<'line' | 'raw'>('line')
  const [form, setForm] = useState<'text' | 'hex'>('text')
  const { state, refusal, transcript, version, send, again } = useTunnel(url)
  return (
    <Dialog opened onClose={onClose} title={title} sub={refusal ?? t(`ui.terminal.${state}`)} size={920} tall above>
      <div className={c.tools}>
        <SegmentedControl
          size="xs"
          aria-label={t('ui.terminal.mode')}
          value={mode}
          onChange={(value) => setMode(value as 'line' | 'raw')}
          data={[
            { value: 'line', label: t('ui.terminal.line') },
            { value: 'raw', label: t('ui.terminal.raw') },
          ]}
        />
        <SegmentedControl
          size="xs"
          aria-label={t('ui.terminal.form')}
          value={form}
          onChange={(value) => setForm(value as 'text' | 'hex')}
          data={[
            { value: 'text', label: t('ui.terminal.text') },
            { value: 'hex', label: t('ui.terminal.hex') },
          ]}
        />
        <span className={c.right}>
          <Button size="compact-sm" variant="default" onClick={() => void copy(transcript.text)}>
            {copied ? t('ui.copied') : t('ui.terminal.copy')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => keepFile(new Blob([transcript.bytes]), 'session.txt')}>
            {t('ui.terminal.save')}
          </Button>
          {state === 'closed' && (
            <Button size="compact-sm" onClick={again}>
              {t('ui.terminal.again')}
            </Button>
          )}
        </span>
      </div>
      <Suspense fallback={<div className={c.screen} />}>
        <TerminalView
          key={form}
          className={phone ? `${c.screen} ${c.small}` : c.screen}
          transcript={transcript}
          version={version}
          form={form}
          onKeys={mode === 'raw' && state === 'open' ? (keys) => send(new TextEncoder().encode(keys)) : undefined}
        />
      </Suspense>
      {mode === 'line' && <Line form={form} open={state === 'open'} onSend={send} />}
    </Dialog>
  )
}

interface LineProps {
  readonly form: 'text' | 'hex'
  readonly open: boolean
  readonly onSend: (bytes: Uint8Array<ArrayBuffer>) => void
}

/** Sends a line at a time; the arrow keys recall sent lines. */
function Line({ form, open, onSend }: LineProps) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [sent, setSent] = useState<readonly string[]>([])
  const [back, setBack] = useState(0)
  const bytes = bytesOf(text, form)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!bytes || !open) return
    onSend(bytes)
    setSent([...sent, text].slice(-100))
    setBack(0)
    setText('')
  }
  const leaf = (step: number) => {
    const to = Math.min(sent.length, Math.max(0, back + step))
    setBack(to)
    setText(to === 0 ? '' : (sent[sent.length - to] ?? ''))
  }
  return (
    <form className={c.line} onSubmit={submit}>
      <TextInput
        className={c.input}
        aria-label={t('ui.terminal.type')}
        placeholder={t(form === 'hex' ? 'ui.terminal.typeHex' : 'ui.terminal.type')}
        value={text}
        error={form === 'hex' && text !== '' && bytes === null}
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        data-autofocus
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
          event.preventDefault()
          leaf(event.key === 'ArrowUp' ? 1 : -1)
        }}
      />
      <Button type="submit" disabled={!open || bytes === null}>
        {t('ui.terminal.send')}
      </Button>
    </form>
  )
}

/** Why the platform refuses a connection, in the language of the page: a browser does not show the answer to a WebSocket. Undefined: it does not refuse now. */
async function refusalOf(url: string, signal: AbortSignal): Promise<string | undefined> {
  const places = new URL(url).pathname.replace('/api/proxy/', '').split('/')
  const test = places[0] === 'noinst'
  const [guid = '', name] = test ? places.slice(1) : places
  const parts = { query: { connect: true }, signal }
  const tried =
    name === undefined
      ? send(test ? proxyTestContainer : proxyInstance, { params: { guid }, ...parts })
      : send(test ? proxyNamedTestPort : proxyNamedPort, { params: { guid, name }, ...parts })
  return tried.then(
    () => undefined,
    (error: unknown) => (error instanceof Refusal && error.title !== '' ? error.title : undefined),
  )
}

/** One connection; `again` reconnects and keeps the transcript. */
function useTunnel(url: string) {
  const [attempt, setAttempt] = useState(0)
  const [state, setState] = useState<State>('connecting')
  const [refusal, setRefusal] = useState<string>()
  const [version, setVersion] = useState(0)
  const [transcript] = useState(() => new Transcript())
  const socket = useRef<WebSocket>(undefined)
  const receive = useCallback(
    (from: 'here' | 'there', bytes: Uint8Array) => {
      transcript.add(from, bytes)
      setVersion((before) => before + 1)
    },
    [transcript],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt is a new connection
  useEffect(() => {
    const opened = new WebSocket(url)
    opened.binaryType = 'arraybuffer'
    let wasOpen = false
    opened.onopen = () => {
      wasOpen = true
      setState('open')
    }
    opened.onmessage = ({ data }) => receive('there', new Uint8Array(data as ArrayBuffer))
    const lookup = new AbortController()
    opened.onclose = () => {
      setState('closed')
      if (!wasOpen) void refusalOf(url, lookup.signal).then(setRefusal)
    }
    setState('connecting')
    setRefusal(undefined)
    socket.current = opened
    return () => {
      opened.onopen = opened.onmessage = opened.onclose = null
      lookup.abort()
      opened.close()
    }
  }, [url, attempt, receive])
  const send = (bytes: Uint8Array<ArrayBuffer>) => {
    if (socket.current?.readyState !== WebSocket.OPEN) return
    socket.current.send(bytes)
    receive('here', bytes)
  }
  return { state, refusal, transcript, version, send, again: () => setAttempt(attempt + 1) }
}
