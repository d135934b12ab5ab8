/**
 * What a page leaves behind when it is closed: listeners of window, document and media queries, intervals, observers. An effect that is not cleaned up
 * fails the test that opened the page; so does a form that the browser would have sent itself.
 */

type Listener = EventListenerOrEventListenerObject | null
type Options = boolean | AddEventListenerOptions | undefined

/** Of libraries, which keep one for all pages. */
const ofLibraries = /[\\/]node_modules[\\/]/

/** The first line of the stack that is no part of this file. */
function caller(): string {
  const lines = (new Error().stack ?? '').split('\n').slice(1)
  return lines.find((line) => !line.includes('left-behind'))?.trim() ?? ''
}

/** Watches until the returned function is called, after the page was closed: it fails where something was left. */
export function watchPage(): () => void {
  const left = new Map<unknown, string>()
  const faults: string[] = []
  const undo: (() => void)[] = []

  const sent = (event: Event) => {
    if (!event.defaultPrevented) faults.push('A form was sent by the browser: its default was not prevented')
  }
  window.addEventListener('submit', sent)
  undo.push(() => window.removeEventListener('submit', sent))

  for (const target of [window, document]) {
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
      if (!ofLibraries.test(from) && !isOnce) left.set(keyOf(type, listener, options), `listener of ${type}, added ${from}`)
      addEventListener.call(target, type, listener as EventListener, options)
    }
    target.removeEventListener = (type: string, listener: Listener, options?: Options) => {
      left.delete(keyOf(type, listener, options))
      removeEventListener.call(target, type, listener as EventListener, options)
    }
    undo.push(() => Object.assign(target, { addEventListener, removeEventListener }))
  }

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

  const { ResizeObserver } = globalThis
  globalThis.ResizeObserver = class extends ResizeObserver {
    override observe(...args: Parameters<ResizeObserver['observe']>) {
      const from = caller()
      if (!ofLibraries.test(from)) left.set(this, `observer, made ${from}`)
      super.observe(...args)
    }
    override disconnect() {
      left.delete(this)
      super.disconnect()
    }
  }
  undo.push(() => Object.assign(globalThis, { ResizeObserver }))

  return () => {
    for (const back of undo) back()
    const all = [...faults, ...left.values()]
    if (all.length > 0) throw new Error(`Left behind by the page: ${all.join('; ')}`)
  }
}
