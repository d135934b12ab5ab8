/** The Docker driver without an engine: its errors when there is none, and its requests to a fake one. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dockerOptions } from '../../../../test/docker.ts'
import { aContainer } from '../../../../test/engine.suite.ts'
import { openDocker } from './docker.ts'

describe('an unavailable engine', () => {
  test('not running: every call reports it, and opening the driver succeeds', async () => {
    for (const host of ['unix:///nowhere/docker.sock', 'tcp://127.0.0.1:9']) {
      const engine = await openDocker(dockerOptions({ host, published: true }))
      const unreachable = { name: 'EngineError', problem: 'unreachable', message: expect.stringContaining(host) }
      for (const call of [
        () => engine.create(aContainer({ image: 'a' })),
        () => engine.list(),
        () => engine.inspect('x'),
        () => engine.logs('x', 1),
        () => engine.destroy('x'),
        () => engine.destroyOne('x', 'y'),
        () => engine.pull('a'),
        () => engine.findImage('a'),
        () => engine.probe(),
      ])
        await expect(call()).rejects.toMatchObject(unreachable)
    }
  })

  test('behind the platform proxy a local engine can start later', async () => {
    const engine = await openDocker(dockerOptions({ host: 'unix:///nowhere/docker.sock', published: false }))
    await expect(engine.list()).rejects.toMatchObject({ name: 'EngineError', problem: 'unreachable' })
    await engine.close()
  })

  test('behind the platform proxy a remote engine requires an address, and certificates must be readable', async () => {
    await expect(openDocker(dockerOptions({ host: 'tcp://10.0.0.9:2376' }))).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('VEXIL_DOCKER_BIND'),
    })
    await expect(openDocker(dockerOptions({ host: 'tcp://10.0.0.9:2376', published: true, certs: '/nowhere' }))).rejects.toThrow(
      'VEXIL_DOCKER_CERTS',
    )
  })

  test('an engine that only supports newer API versions is called with its oldest', async () => {
    const calls: string[] = []
    const server = createServer(({ url }, response) => {
      calls.push(url ?? '')
      response.end(url === '/version' ? '{"MinAPIVersion":"1.44"}' : '[]')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const engine = await openDocker(dockerOptions({ host: `tcp://127.0.0.1:${port}`, published: true }))
    await engine.logs('x', 1)
    await engine.logs('x', 1)
    expect(calls.map((url) => url.split('?')[0])).toEqual(['/version', '/v1.44/containers/json', '/v1.44/containers/json'])
    server.close()
  })

  test('behind the platform proxy the platform must share the network of the engine, or have an address', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vexil-docker-'))
    const networks = [{ Options: { 'com.docker.network.bridge.name': 'elsewhere0' } }, { Options: null }]
    const server = createServer(({ url = '' }, response) => {
      response.end(JSON.stringify(url === '/version' ? {} : networks))
    }).listen(join(folder, 'docker.sock'))
    await once(server, 'listening')
    const host = `unix://${folder}/docker.sock`
    await expect(openDocker(dockerOptions({ host }))).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(/must share the network.+VEXIL_DOCKER_BIND/),
    })
    for (const more of [{ bind: '10.0.0.1' }, { published: true }])
      await (await openDocker(dockerOptions({ host, ...more }))).close()
    server.close()
    rmSync(folder, { recursive: true })
  })

  test('an unresponsive engine does not delay the platform’s shutdown', async () => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const engine = await openDocker(dockerOptions({ host: `tcp://127.0.0.1:${port}`, published: true }))
    const listing = engine.list()
    await once(server, 'request')
    await engine.close()
    await expect(listing).rejects.toMatchObject({ problem: 'unreachable' })
    server.closeAllConnections()
    server.close()
  })
})
