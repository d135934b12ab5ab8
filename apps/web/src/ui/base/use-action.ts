/** A user action that calls the server: one toast, disabled controls while it runs, the server's message on failure. */
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Refusal } from '../../api/client.ts'
import { focusWrong, formOf } from '../overlays/focus-wrong.ts'
import { closeToast, toast } from '../overlays/toast.tsx'
import { useTranslation } from '../text/texts.tsx'

export interface ActionOptions<Input, Result> {
  /** Id of the toast, so that the result replaces the spinner. */
  readonly id: string
  readonly call: (input: Input) => Promise<Result>
  /** Title of the spinner toast, for long actions whose control shows no progress. */
  readonly working?: string
  /** Title of the success toast; without it no toast is shown. */
  readonly done?: string | ((result: Result, input: Input) => string | undefined)
  /** Title of the failure toast; the server's message is below it. */
  readonly failed?: string
  /** Replaces the server's message where it returns a text. */
  readonly failedText?: (refusal: Refusal) => string | undefined
  readonly onDone?: (result: Result, input: Input) => void | Promise<void>
  /** Return true to suppress the failure toast. */
  readonly onFail?: (refusal: Refusal, input: Input) => boolean | undefined
}

export interface Action<Input> {
  /** Ignored while it runs. Resolves to whether it succeeded. */
  readonly start: (input: Input) => Promise<boolean>
  readonly busy: boolean
  /** Seconds until the next try after "too many requests"; 0 otherwise. */
  readonly wait: number
}

export function useErrorText(): (error: unknown) => string {
  const { t } = useTranslation()
  return (error) => {
    if (!(error instanceof Refusal)) return t('ui.unknownError')
    // A proxy answers in place of the platform.
    return error.title || t(error.http === 0 || error.http >= 502 ? 'ui.unreachable' : 'ui.unknownError')
  }
}

const asRefusal = (error: unknown) => (error instanceof Refusal ? error : new Refusal(0, undefined))

export function useAction<Input = void, Result = unknown>(options: ActionOptions<Input, Result>): Action<Input> {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const [wait, setWait] = useState(0)

  useEffect(() => {
    if (wait <= 0) return
    const timer = setTimeout(() => setWait(wait - 1), 1000)
    return () => clearTimeout(timer)
  }, [wait])

  // The element that had the focus at the start. The focus returns to it, or moves to the content of the page or the refused field.
  const from = useRef<Element>(null)
  const [refused, setRefused] = useState<Refusal>()

  const { id, working, failed } = options
  const mutation = useMutation({
    mutationFn: async (input: Input) => {
      if (working) toast({ id, kind: 'work', title: working })
      const result = await options.call(input)
      await options.onDone?.(result, input)
      return result
    },
    onSuccess: (result, input) => {
      const done = typeof options.done === 'function' ? options.done(result, input) : options.done
      if (done) toast({ id, kind: 'good', title: done })
      else if (working) toast({ id, kind: 'good', title: t('ui.done') })
    },
    onError: (error, input) => {
      const refusal = asRefusal(error)
      const seen = options.onFail?.(refusal, input) === true || refusal.notified
      setRefused(refusal)
      if (refusal.http === 429) {
        setWait(refusal.retryAfter ?? 5)
        toast({ id, kind: 'wary', title: t('ui.tryLater'), text: refusal.title })
      } else if (seen) closeToast(id)
      else toast({ id, kind: 'bad', title: failed ?? t('ui.failed'), text: options.failedText?.(refusal) ?? errorText(error) })
    },
  })
  const busy = mutation.isPending
  // Fields that were disabled while it ran can take the focus again.
  useEffect(() => {
    const before = from.current
    if (busy || !before) return
    from.current = null
    if (refused) focusWrong(formOf(before), before)
    else if (document.activeElement === document.body) {
      // The pressed control may have been removed; a dialog keeps the focus itself.
      const fallback = document.querySelector('[role="dialog"]') ? null : document.getElementById('content')
      const next = before.isConnected ? before : fallback
      ;(next as HTMLElement | null)?.focus({ preventScroll: true })
    }
    setRefused(undefined)
  }, [refused, busy])

  // A second click can come before the first one is rendered.
  const running = useRef(false)
  const start = async (input: Input) => {
    if (running.current || wait > 0) return false
    running.current = true
    from.current = document.activeElement
    return mutation
      .mutateAsync(input)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        running.current = false
      })
  }
  return { start, busy, wait }
}
