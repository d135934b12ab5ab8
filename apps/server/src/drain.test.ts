import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { drain, drainsWithin } from './drain.ts'

vi.mock('node:timers/promises', async (original) => ({
  ...(await original<typeof import('node:timers/promises')>()),
  setTimeout: async (ms: number) => void done.push(`waited ${ms}`),
}))

let server: Server
let done: string[]
beforeEach(async () => {
  done = []
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => void server.close())

const isListening = () => (server.listening ? 'listens' : 'closed')

async function drainWith({ another = true, hurry = false, drainSeconds = 0 }) {
  await drain({
    server,
    isImmediate: hurry,
    config: { drainSeconds, drainHubSeconds: 20, drainProxySeconds: 60 },
    nodeReports: {
      // A database that does not answer.
      drain: () => new Promise(() => void done.push('reported')),
      isAnotherServing: async () => done.push('asked') > 0 && another,
    },
    live: { drain: async (ms: number) => void done.push(`hubs ${ms} ${isListening()}`) },
    tunnels: { drain: async (ms: number) => void done.push(`proxy ${ms} ${isListening()}`) },
    tlsEntry: { stopListening: async () => void done.push('TLS closed') },
  })
}

test('listeners and connections to instances have time to change to another node, after the port is closed', async () => {
  await drainWith({})
  expect(done).toEqual(['reported', 'asked', 'waited 0', 'hubs 20000 closed', 'proxy 60000 closed'])
})

test('a node waits for load balancers, closes both ports, and waits for last requests before it refuses connections', async () => {
  await drainWith({ drainSeconds: 5 })
  expect(done).toEqual([
    'reported',
    'asked',
    'waited 5000',
    'TLS closed',
    'waited 500',
    'hubs 20000 closed',
    'proxy 60000 closed',
  ])
})

test('nothing waits without another node', async () => {
  await drainWith({ another: false })
  expect(done).toEqual(['reported', 'asked', 'waited 0', 'hubs 0 closed', 'proxy 0 closed'])
})

test('nothing waits after Ctrl-C', async () => {
  await drainWith({ hurry: true })
  expect(done).toEqual(['reported', 'waited 0', 'hubs 0 closed', 'proxy 0 closed'])
})

test('a node that does not listen yet has nothing to drain', async () => {
  server.close()
  await drainWith({})
  expect(done).toEqual([])
})

test('hubs and connections to instances are drained at the same time', () => {
  expect(drainsWithin({ drainSeconds: 5, drainHubSeconds: 20, drainProxySeconds: 60 })).toBe(65_000)
  expect(drainsWithin({ drainSeconds: 5, drainHubSeconds: 30, drainProxySeconds: 0 })).toBe(35_000)
})
