/** Whether the platform is reachable: calls, live channel and browser report failures; probes of `/healthz` confirm them. */
import { useSyncExternalStore } from 'react'
import { makeWatchers } from './watchers.ts'

export interface Connection {
  readonly online: boolean
  /** Device time of the last sign of life, ms, which is the age of the data on screen. */
  readonly answeredAt: number
}

/** Delay of a call that triggers a probe. With the probe it makes three seconds. */
const probeAfterMs = 1000
const probeWithinMs = 1900
/** A call that hangs longer is aborted when a probe fails, so that its form can be used again. */
const hangsMs = 5000
/** Intervals of probes, at first and later. */
const soonMs = 2000
const laterMs = 10_000
const laterAfterMs = 60_000
/** Silence after which an action of the user triggers a probe. */
const quietMs = 5000

let connection: Connection = { online: true, answeredAt: Date.now() }
let watching = false
let probing: Promise<boolean> | undefined
let offlineSince = 0
let timer: ReturnType<typeof setTimeout> | undefined
const { subscribe, notify } = makeWatchers()
const returnListeners = new Set<(wasOffline: boolean) => void>()
const pending = new Map<AbortController, number>()

function setConnection(next: Connection): void {
  connection = next
  notify()
}

export function markReachable(): void {
  const at = Date.now()
  if (connection.online) {
    // The age is shown only while the platform is unreachable: no render is needed.
    connection = { online: true, answeredAt: at }
    return
  }
  clearTimeout(timer)
  for (const [call, sentAt] of pending) if (sentAt < offlineSince) call.abort()
  setConnection({ online: true, answeredAt: at })
  for (const listener of returnListeners) listener(true)
}

/** Reports the status of a response. A proxy answers for a platform that is unreachable; one without its database counts as away, too. */
export function markAnswered(status: number): void {
  if (status < 502) markReachable()
  else markUnreachable()
}

/** Reports a failure that may mean that the platform is unreachable. */
export function markUnreachable(): void {
  if (watching && !probing && connection.online) void probe()
}

function markOffline(): void {
  const at = Date.now()
  if (connection.online) {
    offlineSince = at
    setConnection({ ...connection, online: false })
  }
  for (const [call, sentAt] of pending) if (at - sentAt > hangsMs) call.abort()
  clearTimeout(timer)
  const wait = at - offlineSince > laterAfterMs ? laterMs : soonMs
  if (watching) timer = setTimeout(() => void probe(), wait * (0.8 + 0.4 * Math.random()))
}

/** Returns whether the platform answered; concurrent callers share one probe. */
function probe(): Promise<boolean> {
  probing ??= sendProbe()
  return probing
}

async function sendProbe(): Promise<boolean> {
  const answer = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(probeWithinMs) }).catch(() => null)
  // Before the notification: code that reports a failure because of it starts a new probe.
  probing = undefined
  if (answer?.ok) markReachable()
  else markOffline()
  return answer?.ok === true
}

/** Resolves when the platform answers, to whether it was unreachable, so that a failed request is worth another try. */
export async function untilPlatformAnswers(): Promise<boolean> {
  if (await probe()) return false
  await new Promise<void>((resolve) => {
    const stop = onReturn(() => {
      stop()
      resolve()
    })
  })
  return true
}

/** Probes when the tab or the network returns (`always`), or after a user action when nothing was received lately. */
async function recheck(always: boolean): Promise<void> {
  if (!always && connection.online && Date.now() - connection.answeredAt < quietMs) return
  const wasOnline = connection.online
  // Code that has lost its connection can reconnect now instead of waiting for its next try.
  if ((await probe()) && wasOnline && always) for (const listener of returnListeners) listener(false)
}

/** Called once by the application. Returns a function that stops it. */
export function watchConnection(): () => void {
  const stop = new AbortController()
  const { signal } = stop
  watching = true
  window.addEventListener('offline', markOffline, { signal })
  window.addEventListener('online', () => void recheck(true), { signal })
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void recheck(true), { signal })
  for (const act of ['pointerdown', 'keydown'] as const)
    window.addEventListener(act, () => connection.online && void recheck(false), { signal, passive: true, capture: true })
  return () => {
    watching = false
    probing = undefined
    clearTimeout(timer)
    stop.abort()
    connection = { online: true, answeredAt: Date.now() }
  }
}

/** Listens for a return of the platform, or (`wasAway` false) of network or tab. Returns a function that stops it. */
export function onReturn(listener: (wasOffline: boolean) => void): () => void {
  returnListeners.add(listener)
  return () => returnListeners.delete(listener)
}

export const useConnection = (): Connection => useSyncExternalStore(subscribe, () => connection)
export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => connection.online)
export const isOnline = (): boolean => connection.online

interface Sent {
  readonly signal: AbortSignal
  readonly wasAborted: () => boolean
  readonly settled: () => void
}

/** Watches a call: a late response triggers a probe; a call on a dead connection is aborted. `given`: signal of the caller. */
export function watchCall(given?: AbortSignal): Sent {
  const own = new AbortController()
  pending.set(own, Date.now())
  const probeTimer = setTimeout(markUnreachable, probeAfterMs)
  return {
    signal: given ? AbortSignal.any([own.signal, given]) : own.signal,
    wasAborted: () => own.signal.aborted && !given?.aborted,
    settled: () => {
      clearTimeout(probeTimer)
      pending.delete(own)
    },
  }
}
