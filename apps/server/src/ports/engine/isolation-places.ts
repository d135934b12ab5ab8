/** Addresses of the platform's machine for the isolation probe, and its own tries from here. */
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, createServer, isIP, isIPv6, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Outcome, Target } from './isolation-probe.ts'

/** What the platform knows about its environment. */
export interface ProbePlan {
  /** The image of the probe; null: the program that `npm start` builds, on Docker only. */
  readonly image: string | null
  /** The port on which the platform listens. */
  readonly port: number
  /** An external PostgreSQL. */
  readonly database: { readonly host: string; readonly port: number } | null
}

/** Addresses of clouds' metadata services; the second is Alibaba's. */
const metadata = ['169.254.169.254', '100.100.100.200', 'fd00:ec2::254']
/** Bridges and virtual interfaces of containers. */
const ofContainers = /^(docker|br-|veth|vx-|cni|flannel|cilium|lxc|cali|kube)/
const addressesPerFamily = 2
/** Milliseconds. */
const timeoutMs = 3_000

/** Two of each family at most; no link-local ones, which need an interface. */
export function machineAddresses(): string[] {
  const all = Object.entries(networkInterfaces()).flatMap(([name, entries = []]) => (ofContainers.test(name) ? [] : entries))
  const usable = all.filter(({ internal, address }) => !internal && !/^fe80:/i.test(address)).map(({ address }) => address)
  return [
    ...usable.filter((address) => !isIPv6(address)).slice(0, addressesPerFamily),
    ...usable.filter(isIPv6).slice(0, addressesPerFamily),
  ]
}

/** Empty for a name that has none. */
export async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true }).catch(() => [])
  return found.map(({ address }) => address).slice(0, addressesPerFamily)
}

/** Targets that must not be reached on any engine. */
export async function commonTargets({ port, database }: ProbePlan): Promise<Target[]> {
  const tcp = (name: Target['name'], addresses: readonly string[], at: number) =>
    addresses.map((address): Target => ({ name, kind: 'tcp', address, port: at }))
  return [
    ...tcp('platform', machineAddresses(), port),
    ...(database ? tcp('database', await addressesOf(database.host), database.port) : []),
    ...tcp('metadata', metadata, 80),
    { name: 'resolver', kind: 'dns', address: 'resolver', port: 53, network: 'Isolated' },
  ]
}

/** A free TCP port on all addresses of this machine, which ends every connection. Close it. */
export async function listenOnMachine(): Promise<Server & { readonly port: number }> {
  const server = createServer((socket) => socket.on('error', () => undefined).destroy()).listen(0)
  await once(server, 'listening')
  return Object.assign(server, { port: (server.address() as { port: number }).port })
}

/** Tries these from the platform itself; `addresses` replaces words such as `resolver` by what a container found. */
export function tryFromHere(targets: readonly Target[], addresses: readonly string[]): Promise<Outcome[]> {
  return Promise.all(
    targets.map(async ({ kind, port }, at) => {
      const address = addresses[at] ?? '-'
      const tries = { tcp: connects, dns: answersNames, link: null }[kind]
      const isReached = tries !== null && isIP(address) !== 0 && (await tries(address, port))
      return { address, result: isReached ? 'reached' : 'untried' }
    }),
  )
}

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs })
    const end = (reached: boolean) => () => {
      socket.destroy()
      resolve(reached)
    }
    socket.on('connect', end(true)).on('timeout', end(false)).on('error', end(false))
  })
}

/** Recursion desired; name `.`, type NS, class IN. */
const question = Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1])

function answersNames(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
    const end = (reached: boolean) => () => {
      clearTimeout(timer)
      socket.close()
      resolve(reached)
    }
    const timer = setTimeout(end(false), timeoutMs)
    socket.once('message', end(true)).once('error', end(false))
    socket.send(question, port, host)
  })
}
