/** The live channel: one connection per hub and game, shared by all listeners. */
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { type HubPath, type Hubs, hubTargets } from '@vexil/contract/live'
import { refreshInterval } from '@vexil/core/limits'
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react'
import { isOnline, markReachable, markUnreachable, onReturn as onPlatformReturn } from './connection.ts'
import { openHub } from './hub-connection.ts'
import { isFresh, refetch } from './live-data.ts'
import { makeWatchers } from './watchers.ts'

/** `blocked`: the platform answers calls, but no WebSocket opens, as behind some proxies. */
export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'blocked' | 'off'
export type Listeners<H extends HubPath> = { readonly [T in keyof Hubs[H]]?: (message: Hubs[H][T]) => void }

type AnyListener = (message: never) => void

interface Subscriber {
  readonly handlers: Readonly<Record<string, AnyListener | undefined>>
  /** Called each time the channel opens, because earlier messages were missed. */
  readonly onOpen: () => void
}

/** Seconds before each try; the last applies to all further ones. */
const waits = [0, 2, 10, 30]

/** Failed tries in a row after which the channel counts as blocked. */
const blockedAfter = 3

/** The platform pings at most 20 s after its last message; two missing pings mean that packets are lost. */
const silentMs = 40_000

/** Milliseconds before the given try, spread so that many browsers do not reconnect at the same moment. */
export function waitBefore(attempt: number, random = Math.random()): number {
  const seconds = waits[Math.min(attempt, waits.length - 1)] ?? 30
  return seconds * 1000 * (0.75 + 0.5 * random) + 500 * random
}

class Channel {
  readonly subscribers = new Set<Subscriber>()
  readonly watchers = makeWatchers()
  state: LiveState = 'connecting'
  private stop: (() => void) | undefined
  private closed = false
  private attempt = 0
  /** Number of the current attempt; the results of earlier ones are ignored. */
  private round = 0
  private timer: ReturnType<typeof setTimeout> | undefined
  private readonly stopListening: () => void
  private readonly address: string

  constructor(address: string) {
    this.address = address
    this.stopListening = onPlatformReturn((wasOffline) => this.reconnectSoon(wasOffline))
    void this.connect()
  }

  private changeState(state: LiveState): void {
    if (this.state === state) return
    this.state = state
    blockedWatchers.notify()
    this.watchers.notify()
  }

  private async connect(): Promise<void> {
    const round = ++this.round
    const isOld = () => this.closed || round !== this.round
    try {
      const stop = await this.open((refused) => isOld() || this.lost(refused))
      if (isOld()) return stop()
      this.stop = stop
    } catch {
      return isOld() ? undefined : this.lost(false)
    }
    markReachable()
    this.attempt = 0
    this.changeState('live')
    for (const subscriber of this.subscribers) subscriber.onOpen()
  }

  private open(onClose: (refused: boolean) => void): Promise<() => void> {
    const onMessage = (target: string, message: unknown) => {
      markReachable()
      for (const subscriber of this.subscribers) subscriber.handlers[target]?.(message as never)
    }
    return openHub({ address: this.address, silentMs, onMessage, onClose })
  }

  /** `refused`: the caller may not listen, or there is no such game. */
  private lost(refused: boolean): void {
    if (this.closed) return
    // It may be lost before its opening is processed.
    this.round++
    this.changeState(refused ? 'off' : this.attempt < blockedAfter ? 'reconnecting' : 'blocked')
    if (refused) return
    markUnreachable()
    this.timer = setTimeout(() => this.tryAgain(), waitBefore(this.attempt++))
  }

  /** While the platform is unreachable no try is made; its return is announced. */
  private tryAgain(): void {
    if (isOnline()) void this.connect()
  }

  /** The platform answers again: waiting connections connect now, spread over a moment. */
  private reconnectSoon(wasOffline: boolean): void {
    if (this.state === 'off') return
    // A connection that is open or opening cannot be distinguished from a dead one.
    if (wasOffline) this.changeState('reconnecting')
    if (this.state === 'reconnecting' || this.state === 'blocked') this.connectWithin(1000)
  }

  private connectWithin(ms: number): void {
    clearTimeout(this.timer)
    this.attempt = 0
    this.round++
    this.timer = setTimeout(() => void this.connect(), Math.random() * ms)
    this.stop?.()
  }

  /** Replaces the connection, also one that was refused. */
  reopen(): void {
    this.changeState('connecting')
    this.connectWithin(0)
  }

  close(): void {
    this.closed = true
    clearTimeout(this.timer)
    this.stopListening()
    this.stop?.()
  }
}

const channels = new Map<string, Channel>()
const blockedWatchers = makeWatchers()

export const useLiveBlocked = (): boolean =>
  useSyncExternalStore(blockedWatchers.subscribe, () => [...channels.values()].some(({ state }) => state === 'blocked'))

function open(hub: HubPath, game: number | undefined): Channel {
  const address = game === undefined ? hub : `${hub}?game=${game}`
  let channel = channels.get(address)
  if (!channel) {
    channel = new Channel(address)
    channels.set(address, channel)
  }
  return channel
}

/** A channel outlives its last listener for a moment, so that the next screen of a game keeps it. */
function leave(channel: Channel): void {
  setTimeout(() => {
    if (channel.subscribers.size > 0) return
    for (const [address, one] of channels) if (one === channel) channels.delete(address)
    channel.close()
    blockedWatchers.notify()
  }, 1000)
}

/** Connects all channels again after a change of the account, which a hub reads only when a connection opens. */
export function reopenChannels(): void {
  for (const channel of channels.values()) channel.reopen()
}

/** Closes all channels at once; their listeners get no further message. */
export function closeChannels(): void {
  for (const channel of channels.values()) channel.close()
  channels.clear()
}

interface Options<H extends HubPath> {
  readonly hub: H
  readonly game?: number
  readonly enabled?: boolean
  readonly handlers: Listeners<H>
  /** Keys of the data that messages change: reloaded whenever messages may have been missed. */
  readonly reads: readonly QueryKey[]
  /** Milliseconds for which the platform repeats messages: younger data is not reloaded when the channel opens. */
  readonly repeatedFor?: number
}

/** Poll interval of a list whose channel is blocked, ms: many browsers may be behind such a proxy for the whole event. */
const blockedInterval = 30_000

/** Poll interval of a list without its channel, ms; false with it. */
export function pollWithout(live: LiveState): number | false {
  if (live === 'live') return false
  return live === 'blocked' ? blockedInterval : refreshInterval
}

/** Listens to a hub while the part is mounted; the result decides whether to poll. */
export function useLive<H extends HubPath>({ hub, game, enabled = true, handlers, reads, repeatedFor }: Options<H>): LiveState {
  const queries = useQueryClient()
  const handle = useEffectEvent((target: string, message: never) =>
    (handlers as Record<string, AnyListener | undefined>)[target]?.(message),
  )
  const opened = useEffectEvent(() => {
    for (const queryKey of reads)
      if (repeatedFor === undefined || !isFresh(queries, queryKey, repeatedFor)) refetch(queries, queryKey)
  })
  // Data kept from an earlier visit is stale; data requested from now on needs no second request.
  const joined = useEffectEvent(() => {
    for (const queryKey of reads) void queries.invalidateQueries({ queryKey })
  })
  const [state, setState] = useState<LiveState>('connecting')

  useEffect(() => {
    if (!enabled) {
      setState('off')
      return
    }
    const channel = open(hub, game)
    const handlerOf = (target: string) => (message: never) => handle(target, message)
    const subscriber: Subscriber = {
      handlers: Object.fromEntries(Object.keys(hubTargets[hub]).map((target) => [target, handlerOf(target)])),
      onOpen: () => opened(),
    }
    const watcher = () => setState(channel.state)
    channel.subscribers.add(subscriber)
    const stopWatching = channel.watchers.subscribe(watcher)
    watcher()
    if (channel.state === 'live') joined()
    return () => {
      channel.subscribers.delete(subscriber)
      stopWatching()
      leave(channel)
    }
  }, [hub, game, enabled])

  return state
}

/** A delay of up to three seconds, for refetches that many clients would make at the same moment. */
export function jitter(random = Math.random()): number {
  return Math.round(random * 3000)
}

/** The returned function calls `act` after `jitter`, once if it is called again before; never after the part is unmounted. */
export function useJittered(act: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(act, jitter())
  }
}
