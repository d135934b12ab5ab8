/** An engine that is reached over TLS with certificates on both sides: the real one behind a listener that requires our certificate. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type Server } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dockerApi, dockerHost, dockerOptions, images, makeImages, withDocker } from '../../../../test/docker.ts'
import { aContainer, talkTo } from '../../../../test/engine.suite.ts'
import { openDocker } from './docker.ts'

const skipped = dockerHost === null || !existsSync('/usr/bin/openssl')
describe.skipIf(skipped)('Docker on another host', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-certs-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  let server: Server
  let host = ''

  beforeAll(async () => {
    await makeImages(dockerApi())
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    openssl('req', '-x509', ...key, '-keyout', 'ca-key.pem', '-out', 'ca.pem', '-subj', '/CN=tests', '-days', '2')
    for (const [name, file] of [
      ['server', 'server'],
      ['platform', ''],
    ]) {
      const [keyFile, certificate] = [`${file && `${file}-`}key.pem`, `${file && `${file}-`}cert.pem`]
      openssl('req', ...key, '-keyout', keyFile, '-out', 'request.pem', '-subj', `/CN=${name}`)
      writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1')
      const signed = ['-CA', 'ca.pem', '-CAkey', 'ca-key.pem', '-CAcreateserial', '-extfile', 'names', '-days', '2']
      openssl('x509', '-req', '-in', 'request.pem', '-out', certificate, ...signed)
    }
    const [ca, cert, ownKey] = ['ca.pem', 'server-cert.pem', 'server-key.pem'].map((name) => readFileSync(join(folder, name)))
    server = createServer({ ca, cert, key: ownKey, requestCert: true, rejectUnauthorized: true }, (socket) => {
      const engine = connect(dockerHost!.replace('unix://', ''))
      for (const end of [socket, engine]) end.on('error', () => undefined)
      socket.pipe(engine).pipe(socket)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    host = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })

  test('with certificates a container runs at the private address; the isolation of that host is unknown', async () => {
    await withDocker({ host, certs: folder, bind: '127.0.0.1' }, async (engine) => {
      const spec = aContainer({ image: images.echo })
      const started = await engine.create(spec)
      expect(started).toMatchObject({ host: '127.0.0.1', published: null })
      expect(await talkTo(started)).toBe(`${spec.environment.FLAG}\n`)
      const state = await engine.probe()
      expect(state).toMatchObject({ disk: null, memory: { free: null } })
      expect(state.isolation).toMatch(/^Not proven: the engine is on another host\. .+npm run firewall/)
    })
  })

  test('without certificates it is unavailable', async () => {
    const engine = await openDocker(dockerOptions({ host, published: true }))
    await expect(engine.list()).rejects.toMatchObject({ problem: 'unreachable' })
    await engine.close()
  })
})
