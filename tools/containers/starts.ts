/** Compares starts of instances with bare Docker. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { subnetOf } from '../../apps/server/src/ports/engine/docker/docker-network.ts'
import type { Platform } from '../../e2e/platform.ts'
import { ms, quantile } from './figures.ts'
import { aGameWithContainers, clear, dockerApi, images, restMs } from './scene.ts'

/** Number of simultaneous starts, and of rounds. */
const storms = [
  [1, 15],
  [20, 2],
  [100, 1],
] as const
/** Subnets of bare containers: Docker's own pools have room for about 30 networks. */
const bareSubnets = '10.200.0.0/16'
let nextSubnet = 0

/**
 * Starts a container on bare Docker with a published port, without limits, as `docker run -d -P` does: in the network that all share, or in a separate
 * one, as every instance has.
 */
async function startBare(separate = false): Promise<{ port: number; stop: () => Promise<unknown> }> {
  const api = dockerApi()
  const network = separate ? `bench-${randomUUID()}` : 'bridge'
  if (separate) {
    const IPAM = { Config: [{ Subnet: subnetOf(bareSubnets, nextSubnet++) }] }
    await api.bytes('POST', '/networks/create', { body: { Name: network, IPAM }, time: 300_000 })
  }
  const HostConfig = { NetworkMode: network, PortBindings: { '7000/tcp': [{ HostPort: '0' }] } }
  const body = { Image: images.echo, ExposedPorts: { '7000/tcp': {} }, HostConfig }
  const { Id } = await api.call<{ Id: string }>('POST', '/containers/create', { body, time: 300_000 })
  await api.bytes('POST', `/containers/${Id}/start`, { time: 300_000 })
  const inspected = await api.call<{ NetworkSettings: { Ports: Record<string, { HostPort: string }[]> } }>(
    'GET',
    `/containers/${Id}/json`,
    { time: 300_000 },
  )
  const port = Number(inspected.NetworkSettings.Ports['7000/tcp']?.[0]?.HostPort)
  const stop = async () => {
    await api.bytes('DELETE', `/containers/${Id}`, { query: { force: '1' }, time: 300_000 })
    if (separate) await api.bytes('DELETE', `/networks/${network}`, { time: 300_000 })
  }
  return { port, stop }
}

/** Milliseconds from each start to the first byte. */
async function measureBare(atOnce: number, separate: boolean): Promise<number[]> {
  const took: number[] = []
  const bare = await Promise.all(
    Array.from({ length: atOnce }, async () => {
      const startedAt = performance.now()
      const started = await startBare(separate)
      await firstByte('127.0.0.1', started.port)
      took.push(performance.now() - startedAt)
      return started
    }),
  )
  for (const { stop } of bare) await stop()
  return took
}

/** Prints the time from click to first byte for 1, 20 and 100 starts at once, and its ratios to bare Docker, which is measured in turns. */
export async function measureStarts(of: Platform): Promise<void> {
  const prepared = await aGameWithContainers(of, images.echo, { readyTimeout: 120 })
  for (const [atOnce, rounds] of storms) {
    const clicked: number[] = []
    const direct: number[] = []
    const separate: number[] = []
    for (let round = 0; round < rounds; round++) {
      const players = await Promise.all(Array.from({ length: atOnce }, prepared.aPlayer))
      await Promise.all(
        players.map(async ({ start }) => {
          const startedAt = performance.now()
          const [where = '', port] = (await start()).split(':')
          await firstByte(where, Number(port))
          clicked.push(performance.now() - startedAt)
        }),
      )
      await clear()
      await sleep(restMs)
      direct.push(...(await measureBare(atOnce, false)))
      await sleep(restMs)
      separate.push(...(await measureBare(atOnce, true)))
      await sleep(restMs)
    }
    const line = (what: string, each: readonly number[]) =>
      console.log(
        `${atOnce} at once, ${what}: click to first byte p50 ${ms(quantile(each, 0.5))}, p95 ${ms(quantile(each, 0.95))}, last ${ms(Math.max(...each))}`,
      )
    line('by players', clicked)
    line('bare Docker', direct)
    line('bare Docker with a network each', separate)
    for (const [what, bare] of Object.entries({ 'bare Docker': direct, 'bare Docker with a network each': separate })) {
      const ratio = (of: (each: readonly number[]) => number) => (of(clicked) / of(bare)).toFixed(2)
      console.log(
        `${atOnce} at once, ratios to ${what}: p50 ${ratio((each) => quantile(each, 0.5))}, last ${ratio((each) => Math.max(...each))}`,
      )
    }
  }
}

/** The port is open before the program in the container listens: connections that end without a byte are tried again. */
async function firstByte(where: string, port: number): Promise<void> {
  for (;;) {
    const socket = connect({ host: where, port })
    const came = await Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]).catch(
      () => false,
    )
    socket.destroy()
    if (came) return
    await sleep(5)
  }
}
