/** An action of the user that calls the server: one toast, controls held while it runs, the server's own words when it fails. */
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Refusal } from '../../api/client.ts'
import { focusWrong, formOf } from '../overlays/focus-wrong.ts'
import { closeToast, toast } from '../overlays/toast.tsx'
import { useTranslation } from '../text/texts.tsx'

export interface ActionOptions<Input, Result> {
  /** Names the toast, so that the result takes the place of the spinner. */
  readonly id: string
  readonly call: (input: Input) => Promise<Result>
  /** Title of the spinner toast of a long action whose own control does not show that it runs. */
  readonly working?: string
  /** Title of the toast of success; without it the result is visible without a toast. */
  readonly done?: string | ((result: Result, input: Input) => string | undefined)
  /** Title of the toast of failure; the server's message is shown below it. */
  readonly failed?: string
  /** Shown below that title instead of the server's message, where it returns a text. */
  readonly failedText?: (refusal: Refusal) => string | undefined
  readonly onDone?: (result: Result, input: Input) => void | Promise<void>
  /** Return true when the failure was shown in place, so that no toast is needed. */
  readonly onFail?: (refusal: Refusal, input: Input) => boolean | undefined
}

export interface Action<Input> {
  /** Starts it; a second start while it runs is ignored. Resolves to whether it succeeded. */
  readonly start: (input: Input) => Promise<boolean>
  readonly busy: boolean
  /** Seconds until it may be tried again after "too many requests"; 0 otherwise. */
  readonly wait: number
}

/** What to tell the user of an error (FB-1). */
export function useErrorText(): (error: unknown) => string {
  const { t } = useTranslation()
  return (error) => {
    if (!(error instanceof Refusal)) return t('ui.unknownError')
    // A proxy answers for a platform that is away.
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

  // The focus at the start: it returns there or to the content of the page, or after a refusal to the field to correct.
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
      const seen = options.onFail?.(refusal, input) === true || refusal.told
      setRefused(refusal)
      if (refusal.http === 429) {
        setWait(refusal.retryAfter ?? 5)
        toast({ id, kind: 'wary', title: t('ui.tryLater'), text: refusal.title })
      } else if (seen) closeToast(id)
      else toast({ id, kind: 'bad', title: failed ?? t('ui.notDone'), text: options.failedText?.(refusal) ?? errorText(error) })
    },
  })
  const busy = mutation.isPending
  // Fields that were held while it ran can take the focus again.
  useEffect(() => {
    const before = from.current
    if (busy || !before) return
    from.current = null
    if (refused) focusWrong(formOf(before), before)
    else if (document.activeElement === document.body) {
      // The pressed control may be gone; a dialog keeps the focus without help.
      const gone = document.querySelector('[role="dialog"]') ? null : document.getElementById('content')
      const next = before.isConnected ? before : gone
      ;(next as HTMLElement | null)?.focus({ preventScroll: true })
    }
    setRefused(undefined)
  }, [refused, busy])

  // A second click may come before anything is drawn that says that the first one runs.
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
