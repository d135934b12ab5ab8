/**
 * Whether the platform can be reached (LIVE-7, LIVE-8). Calls, the live channel and the browser report what they notice; a doubt is settled
 * by one probe of `/healthz`. While nothing answers, probes continue until one does, and all waiting code is notified at once.
 */
import { useSyncExternalStore } from 'react'

export interface Connection {
  readonly online: boolean
  /** Device time of the last sign of life, ms; what is shown is from then. */
  readonly heardAt: number
}

/** A call without an answer for so long is a doubt. With the probe it makes three seconds. */
const doubtAfterMs = 1000
const probeWithinMs = 1900
/** A call that hangs longer ends as soon as a probe fails, so that its form can be used again. */
const hangsMs = 5000
/** Between probes, at first and when the platform stays away. */
const soonMs = 2000
const laterMs = 10_000
const laterAfterMs = 60_000
/** Silence after which an act of the user is reason enough to ask. */
const quietMs = 5000

let connection: Connection = { online: true, heardAt: Date.now() }
let watching = false
let probing: Promise<boolean> | undefined
let awaySince = 0
let timer: ReturnType<typeof setTimeout> | undefined
const watchers = new Set<() => void>()
const returnListeners = new Set<(wasAway: boolean) => void>()
/** Calls on their way and when they were sent. */
const pending = new Map<AbortController, number>()

const subscribe = (watcher: () => void) => {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

function become(next: Connection): void {
  connection = next
  for (const watcher of watchers) watcher()
}

/** The platform answered, or sent something. */
export function heardPlatform(): void {
  const at = Date.now()
  if (connection.online) {
    // The age is shown only while the platform is away: nothing has to be drawn now.
    connection = { online: true, heardAt: at }
    return
  }
  clearTimeout(timer)
  for (const [call, sentAt] of pending) if (sentAt < awaySince) call.abort()
  become({ online: true, heardAt: at })
  for (const listener of returnListeners) listener(true)
}

/** Something failed that may mean that the platform is away. */
export function markUnreachable(): void {
  if (watching && !probing && connection.online) void probe()
}

function lost(): void {
  const at = Date.now()
  if (connection.online) {
    awaySince = at
    become({ ...connection, online: false })
  }
  for (const [call, sentAt] of pending) if (at - sentAt > hangsMs) call.abort()
  clearTimeout(timer)
  const wait = at - awaySince > laterAfterMs ? laterMs : soonMs
  if (watching) timer = setTimeout(() => void probe(), wait * (0.8 + 0.4 * Math.random()))
}

/** Asks once. Returns whether the platform answered. */
function probe(): Promise<boolean> {
  probing ??= ask()
  return probing
}

async function ask(): Promise<boolean> {
  const answer = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(probeWithinMs) }).catch(() => null)
  // Before the notification: code that doubts again because of it starts a new probe.
  probing = undefined
  if (answer?.ok) heardPlatform()
  else lost()
  return answer?.ok === true
}

/** Resolves when the platform answers. Says whether it was away: then what failed is worth another try. */
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

/** Tells of an act in front of the screen, the tab shown again, the network back: asks if nothing was heard lately. */
async function lookAgain(always: boolean): Promise<void> {
  if (!always && connection.online && Date.now() - connection.heardAt < quietMs) return
  const wasOnline = connection.online
  // Code that lost its connection meanwhile need not wait for its next try.
  if ((await probe()) && wasOnline && always) for (const listener of returnListeners) listener(false)
}

/** Starts watching; the application does so once. Returns how to stop. */
export function watchConnection(): () => void {
  const stop = new AbortController()
  const { signal } = stop
  watching = true
  window.addEventListener('offline', lost, { signal })
  window.addEventListener('online', () => void lookAgain(true), { signal })
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void lookAgain(true), { signal })
  for (const act of ['pointerdown', 'keydown'] as const)
    window.addEventListener(act, () => connection.online && void lookAgain(false), { signal, passive: true, capture: true })
  return () => {
    watching = false
    probing = undefined
    clearTimeout(timer)
    stop.abort()
    connection = { online: true, heardAt: Date.now() }
  }
}

/**
 * Hears whenever the platform answers again after it was away, and (`wasAway` false) when the network or the tab is back without
 * a noticed outage, as after a sleep of the device. Returns how to stop.
 */
export function onReturn(listener: (wasAway: boolean) => void): () => void {
  returnListeners.add(listener)
  return () => returnListeners.delete(listener)
}

export const useConnection = (): Connection => useSyncExternalStore(subscribe, () => connection)
export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => connection.online)
export const isOnline = (): boolean => connection.online

interface Sent {
  readonly signal: AbortSignal
  /** Was it given up because the platform was away? */
  readonly wasGivenUp: () => boolean
  readonly settled: () => void
}

/** Watches one call: without an answer it raises a doubt, and hanging in a dead connection it ends. `given` is the caller's own signal. */
export function watchCall(given?: AbortSignal): Sent {
  const own = new AbortController()
  pending.set(own, Date.now())
  const doubt = setTimeout(markUnreachable, doubtAfterMs)
  return {
    signal: given ? AbortSignal.any([own.signal, given]) : own.signal,
    wasGivenUp: () => own.signal.aborted && !given?.aborted,
    settled: () => {
      clearTimeout(doubt)
      pending.delete(own)
    },
  }
}
