import { EventEmitter } from 'node:events'
import type { Bus, EventName, Events, Listener } from './bus.ts'

export function openInProcessBus(onError: (error: unknown) => void): Bus {
  const emitter = new EventEmitter()
  emitter.setMaxListeners(0)
  return {
    publish(name, event) {
      setImmediate(() => emitter.emit(name, event))
    },
    subscribe<N extends EventName>(name: N, listener: Listener<N>) {
      const guarded = (event: Events[N]) => {
        try {
          listener(event)
        } catch (error) {
          onError(error)
        }
      }
      emitter.on(name, guarded)
      return () => emitter.off(name, guarded)
    },
    onLoss: () => undefined,
    async close() {
      emitter.removeAllListeners()
    },
  }
}
