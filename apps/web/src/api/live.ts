/** The live channel: one connection per hub and game, however many parts listen (LIVE-1). The protocol's library loads on first use. */
import type { HubConnection } from '@microsoft/signalr'
import { type HubPath, type Hubs, hubTargets } from '@vexil/contract/live'
import { useEffect, useRef, useState } from 'react'

export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'off'
export type Listeners<H extends HubPath> = { readonly [T in keyof Hubs[H]]?: (message: Hubs[H][T]) => void }

type AnyListener = (message: never) => void

interface Subscriber {
  readonly hear: Readonly<Record<string, AnyListener | undefined>>
  /** Called after the channel came back, for messages may be missing (LIVE-2). */
  readonly onReturn: () => void
}

/** Seconds before each try; the last holds for all further ones. */
const waits = [0, 2, 10, 30]

/** Time before the given try, spread so that many browsers do not come back in the same moment. */
export function waitBefore(attempt: number, random = Math.random()): number {
  const seconds = waits[Math.min(attempt, waits.length - 1)] ?? 30
  return seconds * 1000 * (0.75 + 0.5 * random) + 500 * random
}

class Channel {
  readonly subscribers = new Set<Subscriber>()
  readonly watchers = new Set<() => void>()
  state: LiveState = 'connecting'
  private connection: HubConnection | undefined
  private closed = false
  private attempt = 0
  private timer: ReturnType<typeof setTimeout> | undefined
  private readonly address: string
  private readonly targets: readonly string[]

  constructor(address: string, targets: readonly string[]) {
    this.address = address
    this.targets = targets
    void this.connect(false)
  }

  private become(state: LiveState): void {
    if (this.state === state) return
    this.state = state
    for (const watcher of this.watchers) watcher()
  }

  private async connect(again: boolean): Promise<void> {
    try {
      const connection = await this.build()
      if (this.closed) return
      this.connection = connection
      await connection.start()
      if (this.closed) return void connection.stop()
    } catch {
      return this.lost()
    }
    this.attempt = 0
    this.become('live')
    if (again) for (const subscriber of this.subscribers) subscriber.onReturn()
  }

  private async build(): Promise<HubConnection> {
    const { HubConnectionBuilder, HttpTransportType, LogLevel } = await import('@microsoft/signalr')
    const connection = new HubConnectionBuilder()
      .withUrl(this.address, { transport: HttpTransportType.WebSockets })
      .configureLogging(LogLevel.None)
      .build()
    for (const target of this.targets) {
      connection.on(target, (message: never) => {
        for (const subscriber of this.subscribers) subscriber.hear[target]?.(message)
      })
    }
    connection.onclose((error) => this.lost(error))
    return connection
  }

  private lost(error?: Error): void {
    if (this.closed) return
    // The server ended it for good: no right to listen, or no such game.
    const forGood = error !== undefined && /not allowed to reconnect|forbidden/i.test(error.message)
    this.become(forGood ? 'off' : 'reconnecting')
    if (forGood) return
    this.timer = setTimeout(() => void this.connect(true), waitBefore(this.attempt++))
  }

  close(): void {
    this.closed = true
    clearTimeout(this.timer)
    void this.connection?.stop()
  }
}

const channels = new Map<string, Channel>()

function open(hub: HubPath, game: number | undefined): Channel {
  const address = game === undefined ? hub : `${hub}?game=${game}`
  let channel = channels.get(address)
  if (!channel) {
    channel = new Channel(address, Object.keys(hubTargets[hub]))
    channels.set(address, channel)
  }
  return channel
}

/** A channel outlives its last listener for a moment, so that going from one screen of a game to the next keeps it. */
function leave(channel: Channel): void {
  setTimeout(() => {
    if (channel.subscribers.size > 0) return
    for (const [address, one] of channels) if (one === channel) channels.delete(address)
    channel.close()
  }, 1000)
}

interface Options<H extends HubPath> {
  readonly hub: H
  /** Number of the game; left out for hubs without one. */
  readonly game?: number
  readonly enabled?: boolean
  readonly hear: Listeners<H>
  /** Refetch here what messages would have told while the channel was away. */
  readonly onReturn: () => void
}

/** Listens to a hub while the part is on screen; the result says whether polling has to take over. */
export function useLive<H extends HubPath>({ hub, game, enabled = true, hear, onReturn }: Options<H>): LiveState {
  const latest = useRef({ hear, onReturn })
  latest.current = { hear, onReturn }
  const [state, setState] = useState<LiveState>('connecting')

  useEffect(() => {
    if (!enabled) {
      setState('off')
      return
    }
    const channel = open(hub, game)
    const tell = (target: string) => (message: never) =>
      (latest.current.hear as Record<string, AnyListener | undefined>)[target]?.(message)
    const subscriber: Subscriber = {
      hear: Object.fromEntries(Object.keys(hubTargets[hub]).map((target) => [target, tell(target)])),
      onReturn: () => latest.current.onReturn(),
    }
    const watcher = () => setState(channel.state)
    channel.subscribers.add(subscriber)
    channel.watchers.add(watcher)
    watcher()
    return () => {
      channel.subscribers.delete(subscriber)
      channel.watchers.delete(watcher)
      leave(channel)
    }
  }, [hub, game, enabled])

  return state
}

/** A delay of up to three seconds for refetches that many clients would otherwise make in the same moment (LIVE-4). */
export function jitter(random = Math.random()): number {
  return Math.round(random * 3000)
}
