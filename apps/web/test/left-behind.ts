/**
 * Detects what a closed page leaves behind: listeners of window, document and media queries, intervals, observers, and timeouts
 * of the application's code. An effect without clean-up fails the test that opened the page; so does a form whose submission
 * is not prevented.
 */
import { getCallSites } from 'node:util'

type Listener = EventListenerOrEventListenerObject | null
type Options = boolean | AddEventListenerOptions | undefined

/** Libraries may keep listeners, intervals and observers for all pages. */
const ofLibraries = /[\\/]node_modules[\\/]/

/** Timeouts and observers that may outlast the page, by the file that creates them. */
const mayOutlast: Readonly<Record<string, string>> = {
  'api/connection.ts': 'belongs to a call, and ends with its answer',
  'api/download.ts': 'the browser reads the file after the click; then its address is given back',
  'api/live.ts': 'a channel is kept for a moment, so that the next screen finds it open',
  'shell/session.ts': 'the guard of the screen that is left behind asks for it',
  'ui/overlays/focus-back.tsx': 'gives the focus back after the dialog is gone',
}
/** The file of the web that a stack line names, such as `api/live.ts`. */
function fileOf(from: string): string | undefined {
  const [, file] = /[\\/]apps[\\/]web[\\/]src[\\/](.*?\.tsx?)\b/.exec(from) ?? []
  return file?.replaceAll('\\', '/')
}
const mayOutlastPage = (from: string) => (fileOf(from) ?? '') in mayOutlast
/** Whether a timeout is set by application code outside of tests and must be cleared. */
const isOwnTimeout = (from: string) => fileOf(from)?.includes('.test.') === false && !mayOutlastPage(from)

/** The place of the first call outside of this file. Not from `stack`: the test runner maps each of its lines to the source. */
function caller(): string {
  const site = getCallSites(10).find(({ scriptName }) => !scriptName.includes('left-behind'))
  return site ? `in ${site.functionName || 'a function'} (${site.scriptName}:${site.lineNumber})` : ''
}

/** Starts watching. Call the returned function after the page is closed. @throws when something is left behind */
export function watchPage(): () => void {
  const left = new Map<unknown, string>()
  const faults: string[] = []
  const undo: (() => void)[] = []

  const sent = (event: Event) => {
    if (!event.defaultPrevented) faults.push('A form was sent by the browser: its default was not prevented')
  }
  window.addEventListener('submit', sent)
  undo.push(() => window.removeEventListener('submit', sent))

  const watchTarget = (target: EventTarget, fits: (from: string) => boolean) => {
    const { addEventListener, removeEventListener } = target
    const keys = new Map<Listener, Map<string, object>>()
    const keyOf = (type: string, listener: Listener, options: Options) => {
      const ofListener = keys.get(listener) ?? new Map<string, object>()
      keys.set(listener, ofListener)
      const name = `${type} ${typeof options === 'object' ? options.capture === true : options === true}`
      const key = ofListener.get(name) ?? {}
      ofListener.set(name, key)
      return key
    }
    target.addEventListener = (type: string, listener: Listener, options?: Options) => {
      const from = caller()
      const isOnce = typeof options === 'object' && (options.once || options.signal)
      if (fits(from) && !isOnce) left.set(keyOf(type, listener, options), `listener of ${type}, added ${from}`)
      addEventListener.call(target, type, listener as EventListener, options)
    }
    target.removeEventListener = (type: string, listener: Listener, options?: Options) => {
      left.delete(keyOf(type, listener, options))
      removeEventListener.call(target, type, listener as EventListener, options)
    }
    undo.push(() => Object.assign(target, { addEventListener, removeEventListener }))
  }
  for (const target of [window, document]) watchTarget(target, (from) => !ofLibraries.test(from))
  const { matchMedia } = globalThis
  const ownMatch = (media: string) => {
    const list = matchMedia(media)
    // Includes listeners of libraries: they keep none on media queries for all pages.
    watchTarget(list, () => true)
    return list
  }
  globalThis.matchMedia = ownMatch
  undo.push(() => {
    if (globalThis.matchMedia === ownMatch) globalThis.matchMedia = matchMedia
  })

  const { setInterval, clearInterval } = globalThis
  globalThis.setInterval = ((...args: Parameters<typeof setInterval>) => {
    const timer = setInterval(...args)
    const from = caller()
    if (!ofLibraries.test(from)) left.set(timer, `interval, set ${from}`)
    return timer
  }) as typeof setInterval
  globalThis.clearInterval = (timer) => {
    left.delete(timer)
    clearInterval(timer)
  }
  const [ownSet, ownClear] = [globalThis.setInterval, globalThis.clearInterval]
  undo.push(() => {
    if (globalThis.setInterval === ownSet) globalThis.setInterval = setInterval
    if (globalThis.clearInterval === ownClear) globalThis.clearInterval = clearInterval
  })

  const { setTimeout, clearTimeout } = globalThis
  const timeouts = new Set<unknown>()
  globalThis.setTimeout = ((work: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    const timer = setTimeout(() => {
      left.delete(timer)
      work(...args)
    }, ms)
    const from = caller()
    if (isOwnTimeout(from)) {
      left.set(timer, `timeout, set ${from}`)
      timeouts.add(timer)
    }
    return timer
  }) as typeof setTimeout
  globalThis.clearTimeout = (timer) => {
    left.delete(timer)
    clearTimeout(timer)
  }
  const [ownLater, ownCancel] = [globalThis.setTimeout, globalThis.clearTimeout]
  undo.push(() => {
    // If the test has removed its fake timers, later clears were not observed.
    if (globalThis.clearTimeout !== ownCancel) for (const timer of timeouts) left.delete(timer)
    if (globalThis.setTimeout === ownLater) globalThis.setTimeout = setTimeout
    if (globalThis.clearTimeout === ownCancel) globalThis.clearTimeout = clearTimeout
  })

  for (const { prototype } of [globalThis.ResizeObserver, globalThis.MutationObserver]) {
    const { observe, disconnect } = prototype
    prototype.observe = function (this: object, ...args: unknown[]) {
      const from = caller()
      if (!ofLibraries.test(from) && !mayOutlastPage(from)) left.set(this, `observer, made ${from}`)
      Reflect.apply(observe, this, args)
    }
    prototype.disconnect = function (this: object) {
      left.delete(this)
      Reflect.apply(disconnect, this, [])
    }
    undo.push(() => Object.assign(prototype, { observe, disconnect }))
  }

  return () => {
    for (const back of undo) back()
    const all = [...faults, ...left.values()]
    if (all.length > 0) throw new Error(`Left behind by the page: ${all.join('; ')}`)
  }
}
