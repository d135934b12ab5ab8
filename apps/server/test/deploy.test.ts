/** The files in `deploy/`, tested with a real nginx and, where it is installed, the check of systemd. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { request } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { brotliDecompressSync } from 'node:zlib'
import { challengeDefaults, challengeLimits } from '@vexil/core/limits'
import { loadAll } from 'js-yaml'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { freePort } from '../../../e2e/platform.ts'
import { serverEnv, serverFlags } from '../../../scripts/toolchain.mjs'
import { hashPassword } from '../src/accounts/passwords.ts'
import { startSession } from '../src/accounts/sessions.ts'
import { readConfig } from '../src/config.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { openMemoryEngine } from './memory-engine.ts'
import { readPcap } from './pcap.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'

const root = join(import.meta.dirname, '../../..')
const nginx = '/usr/sbin/nginx'
const analyze = '/usr/bin/systemd-analyze'
const folder = mkdtempSync(join(tmpdir(), 'vexil-deploy-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: object
}
interface Container {
  readonly image: string
  readonly args?: readonly string[]
  readonly env: readonly { readonly name: string; readonly value?: string }[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}
interface WithPods extends Manifest {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> }
      readonly spec: {
        readonly securityContext: object
        readonly terminationGracePeriodSeconds: number
        readonly containers: readonly [Container]
        readonly volumes: readonly object[]
      }
    }
  }
}
const manifestsOf = (path: string) => loadAll(readFileSync(join(root, 'deploy', path), 'utf8')) as Manifest[]
const platformFiles = ['platform.yaml', 'migrate.yaml', 'network-policies.yaml'].map((name) => `kubernetes/${name}`)
/** The only manifest of this kind and name of the platform in `deploy/kubernetes`. */
function manifest<T extends Manifest>(kind: string, name?: string): T {
  const found = platformFiles.flatMap(manifestsOf).filter((one) => one.kind === kind && (!name || one.metadata.name === name))
  expect([kind, found.length]).toEqual([kind, 1])
  return found[0] as T
}

/** Seconds that a supervisor has to allow: the three waits of a drain, and the time for requests under way and the database. */
function stopsWithin(env: Readonly<Record<string, string>>): number {
  const { drainSeconds, drainHubSeconds, drainProxySeconds } = readConfig(env)
  return drainSeconds + drainHubSeconds + drainProxySeconds + 20
}

describe.skipIf(!existsSync(nginx))('behind nginx', () => {
  let platform: TestPlatform
  let proxy: ChildProcess
  let plain: number
  let secure: number
  let admin: string

  beforeAll(async () => {
    platform = await startTestPlatform(
      {
        PUBLIC_URL: 'https://ctf.example.org',
        VEXIL_CONTAINER_PORTS: 'PlatformProxy',
        VEXIL_CONTAINER_WEB: '*.instances.example.net',
      },
      openMemoryEngine({ published: false }),
    )
    admin = await anAccount(platform.db, { role: 'Admin', userName: 'Boss', passwordHash: await hashPassword('long enough', '') })
    await platform.app.listen({ port: 0, host: '127.0.0.1' })
    plain = await freePort()
    secure = await freePort()
    writeConfiguration((platform.app.server.address() as AddressInfo).port)
    const command = ['-p', folder, '-c', join(folder, 'nginx.conf')]
    const checked = spawnSync(nginx, ['-t', ...command], { encoding: 'utf8' })
    expect(checked.stderr).toContain('test is successful')
    expect(checked.stderr).not.toContain('[warn]')
    proxy = spawn(nginx, command, { stdio: 'inherit' })
    await vi.waitFor(async () => expect(await isOpen(secure)).toBe(true))
  })
  afterAll(async () => {
    proxy.kill('SIGTERM')
    await platform.stop()
  })

  /** Both sites as they are in the repository, with ports and a certificate of this test. */
  function writeConfiguration(port: number): void {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
    const subject = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=ctf.example.org']
    spawnSync('openssl', ['req', ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
    for (const name of ['nginx.conf', 'nginx-instances.conf']) {
      const site = readFileSync(join(root, 'deploy', name), 'utf8')
        .replaceAll(/^ +listen \[::\].*\n/gm, '')
        .replace('listen 80;', `listen 127.0.0.1:${plain};`)
        .replace('listen 443 ', `listen 127.0.0.1:${secure} `)
        .replace(/ssl_certificate \S+;/, `ssl_certificate ${certificate};`)
        .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`)
        .replace('127.0.0.1:8080', `127.0.0.1:${port}`)
      mkdirSync(join(folder, 'sites'), { recursive: true })
      writeFileSync(join(folder, 'sites', name), site)
    }
    mkdirSync(join(folder, 'temporary'))
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path temporary/${name};`)
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid nginx.pid; error_log stderr; events {}\nhttp { access_log off; ${places.join(' ')} include sites/*.conf; }\n`,
    )
  }

  const isOpen = (port: number) =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => resolve(false))
      socket.on('connect', () => {
        socket.destroy()
        resolve(true)
      })
    })

  interface Asked {
    readonly method?: string
    readonly headers?: Record<string, string>
    readonly body?: string | Buffer
    /** Does not send the end of the body. */
    readonly half?: boolean
  }
  function ask(path: string, { method = 'GET', headers = {}, body, half }: Asked = {}) {
    return new Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
      const host = { host: 'ctf.example.org', ...headers }
      const sent = request({ port: secure, path, method, headers: host, rejectUnauthorized: false }, async (answer) => {
        const bytes = Buffer.concat(await answer.toArray())
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes })
        sent.destroy()
      })
      sent.on('error', reject)
      if (half) sent.write(body)
      else sent.end(body)
    })
  }
  const session = async (id: string) => ({ cookie: `${cookieName}=${await startSession(platform.db, id)}` })
  const form = (part: string, bytes: Buffer) =>
    Buffer.concat([
      Buffer.from(`--b\r\nContent-Disposition: form-data; name="${part}"; filename="a.bin"\r\n\r\n`),
      bytes,
      Buffer.from('\r\n--b--\r\n'),
    ])
  const multipart = { 'content-type': 'multipart/form-data; boundary=b' }

  test('plain HTTP redirects to TLS', async () => {
    const answer = await fetch(`http://127.0.0.1:${plain}/games?a=b`, {
      redirect: 'manual',
      headers: { host: 'ctf.example.org' },
    })
    expect(answer.status).toBe(308)
    expect(answer.headers.get('location')).toMatch(/^https:\/\/[^/]+\/games\?a=b$/)
  })

  test('responses pass unchanged', async () => {
    const { status, headers, bytes } = await ask('/api/openapi.json', { headers: { 'accept-encoding': 'br' } })
    expect([status, headers['content-encoding']]).toEqual([200, 'br'])
    expect(headers['strict-transport-security']).toBeDefined()
    expect(JSON.parse(brotliDecompressSync(bytes).toString()).openapi).toBe('3.1.0')
  })

  test('the platform gets the caller’s address and TLS, and a client cannot forge another address', async () => {
    const { status, headers } = await ask('/api/account/login', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: 'https://ctf.example.org',
        'x-forwarded-for': '203.0.113.9',
        'x-forwarded-proto': 'http',
      },
      body: JSON.stringify({ userName: 'Boss', password: 'long enough' }),
    })
    expect(status).toBe(200)
    expect(String(headers['set-cookie'])).toContain('Secure')
    await platform.deps.log.flush()
    const entries = await platform.db.selectFrom('logs').select('ip').where('name', '=', 'Boss').execute()
    expect(entries.map(({ ip }) => ip)).toEqual(['127.0.0.1'])
  })

  test('a large file of an administrator passes', async () => {
    const body = form('files', Buffer.alloc(40_000_000, 7))
    const { status, bytes } = await ask('/api/assets', {
      method: 'POST',
      headers: { ...(await session(admin)), ...multipart },
      body,
    })
    expect(status).toBe(200)
    const [file] = JSON.parse(bytes.toString())
    const stored = await ask(`/assets/${file.hash}/a.bin`, { headers: { range: 'bytes=39999990-' } })
    expect([stored.status, stored.bytes.length]).toEqual([206, 10])
  })

  test('an upload is refused before its data is sent', async () => {
    const headers = { ...(await session(await anAccount(platform.db))), ...multipart, 'content-length': '20000000' }
    const half = form('file', Buffer.alloc(1000)).subarray(0, 900)
    const { status, bytes } = await ask('/api/game/1/writeup', { method: 'POST', headers, body: half, half: true })
    expect([status, JSON.parse(bytes.toString()).code]).toEqual([404, 'game.not_found'])
  })

  test('live connections pass', async () => {
    const socket = new WebSocket(`wss://127.0.0.1:${secure}/hub/site`, {
      rejectUnauthorized: false,
      headers: { host: 'ctf.example.org', origin: 'https://ctf.example.org' },
    })
    const answer = new Promise<string>((resolve, reject) => {
      socket.on('open', () => socket.send('{"protocol":"json","version":1}\x1e'))
      socket.on('message', (data) => resolve(String(data)))
      socket.on('error', reject)
    })
    expect(await answer).toBe('{}\x1e')
    socket.close()
  })

  describe('at the hosts of instances', () => {
    let received: IncomingMessage[]
    let pages: Server
    let host: string
    beforeAll(async () => {
      received = []
      pages = createServer((asked, answer) => {
        received.push(asked)
        answer.setHeader('set-cookie', 'own=1')
        if (asked.url === '/slow') answer.write('first')
        else asked.pipe(answer)
      }).listen(0, '127.0.0.1')
      await once(pages, 'listening')
      new WebSocketServer({ server: pages }).on('connection', (socket) => {
        socket.on('message', (data) => socket.send(`again ${data}`))
      })
      const game = await aGame(platform.db, { practiceMode: true })
      const team = await aTeam(platform.db)
      await aParticipation(platform.db, game, team)
      const challenge = await aChallenge(platform.db, game, { type: 'StaticContainer', containerImage: 'web' })
      const { body } = await (await platform.as(team.captain)).post(`/api/game/${game}/container/${challenge}`)
      host = `${body.entry}.instances.example.net`
      const { port } = pages.address() as AddressInfo
      await platform.db.updateTable('containers').set({ port }).where('id', '=', body.entry).execute()
    })
    afterAll(() => {
      pages.closeAllConnections()
      pages.close()
    })

    test('pages of an instance pass in both directions, without the platform’s cookie', async () => {
      const { cookie } = await session(admin)
      const body = Buffer.alloc(3_000_000, 5)
      const { status, headers, bytes } = await ask('/up?a=b', {
        method: 'POST',
        headers: { host, cookie: `${cookie}; own=1` },
        body,
      })
      expect([status, bytes.equals(body), headers['set-cookie']]).toEqual([200, true, ['own=1']])
      const [{ url, headers: passed }] = received.splice(0) as [IncomingMessage]
      expect([url, passed.host, passed.cookie, passed['x-forwarded-for']]).toEqual(['/up?a=b', host, 'own=1', undefined])
    })

    test('a page sent in chunks arrives in chunks', async () => {
      const first = await new Promise((resolve, reject) => {
        const sent = request({ port: secure, path: '/slow', headers: { host }, rejectUnauthorized: false }, (answer) =>
          answer.once('data', (chunk) => {
            resolve(String(chunk))
            sent.destroy()
          }),
        )
        sent.on('error', reject).end()
      })
      expect(first).toBe('first')
    })

    test('WebSockets pass', async () => {
      const socket = new WebSocket(`wss://127.0.0.1:${secure}/ws`, { rejectUnauthorized: false, headers: { host } })
      await once(socket, 'open')
      socket.send('hello')
      expect(String((await once(socket, 'message'))[0])).toBe('again hello')
      socket.close()
    })

    test('calls of the platform are unavailable there, and the platform’s own host serves no instance', async () => {
      expect((await ask('/api/account/profile', { headers: { host, ...(await session(admin)) } })).bytes.toString()).toBe('')
      expect(received.splice(0).map(({ url }) => url)).toContain('/api/account/profile')
      const unknown = await ask('/', { headers: { host: 'nothing.instances.example.net' } })
      expect(unknown.status).toBe(404)
      expect((await ask('/api/config', { headers: { host: 'ctf.example.org' } })).status).toBe(200)
      expect(received).toEqual([])
    })
  })
})

const streamModule = '/usr/lib/nginx/modules/ngx_stream_module.so'
describe.skipIf(!existsSync(nginx) || !existsSync(streamModule))('behind nginx with a shared port', () => {
  const own = join(folder, 'shared')
  const ports = { shared: 0, site: 0, tls: 0 }
  let platform: TestPlatform
  let proxy: ChildProcess

  beforeAll(async () => {
    mkdirSync(join(own, 'temporary'), { recursive: true })
    for (const name of ['shared', 'site', 'tls'] as const) ports[name] = await freePort()
    const [key, certificate] = [join(own, 'key.pem'), join(own, 'certificate.pem')]
    const subject = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=example.net']
    spawnSync('openssl', ['req', ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
    const env = {
      PUBLIC_URL: 'https://ctf.example.org',
      VEXIL_CONTAINER_PORTS: 'PlatformProxy',
      VEXIL_CONTAINER_CAPTURE: 'true',
      VEXIL_CONTAINER_TLS: '*.tcp.example.net:443',
      VEXIL_CONTAINER_TLS_LISTEN: `127.0.0.1:${ports.tls}`,
      VEXIL_CONTAINER_TLS_PROXY_PROTOCOL: 'true',
      VEXIL_CONTAINER_TLS_CERT: certificate,
      VEXIL_CONTAINER_TLS_KEY: key,
    }
    platform = await startTestPlatform(env, openMemoryEngine({ published: false }))
    await anAccount(platform.db, { role: 'Admin', userName: 'Boss', passwordHash: await hashPassword('long enough', '') })
    await platform.app.listen({ port: 0, host: '127.0.0.1' })
    await platform.tlsEntry!.listen({ reusePort: false })
    const stream = readFileSync(join(root, 'deploy/nginx-tcp.conf'), 'utf8')
    // The lines that its comment gives for the sites.
    const listen = [...stream.matchAll(/^# {5}(.*;)$/gm)].map(([, line]) => line).join('\n    ')
    const site = readFileSync(join(root, 'deploy/nginx.conf'), 'utf8')
      .replaceAll(/^ +listen (80|\[::\].*);\n/gm, '')
      .replace('listen 443 ssl http2;', listen.replace('4443', String(ports.site)))
      .replace('server_name ctf.example.org;\n    return', `listen 127.0.0.1:${await freePort()};\n    return`)
      .replace(/ssl_certificate \S+;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`)
      .replace('127.0.0.1:8080', `127.0.0.1:${(platform.app.server.address() as AddressInfo).port}`)
    const shared = stream
      .replaceAll(/^ +listen \[::\].*\n/gm, '')
      .replace('listen 443;', `listen 127.0.0.1:${ports.shared};`)
      .replace('default 127.0.0.1:4443', `default 127.0.0.1:${ports.site}`)
      .replace('net 127.0.0.1:8443', `net 127.0.0.1:${ports.tls}`)
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path temporary/${name};`)
    writeFileSync(join(own, 'site.conf'), site)
    writeFileSync(
      join(own, 'nginx.conf'),
      `load_module ${streamModule};\ndaemon off; pid nginx.pid; error_log stderr; events {}\nhttp { access_log off; ${places.join(' ')} include site.conf; }\n${shared}`,
    )
    const command = ['-p', own, '-c', join(own, 'nginx.conf')]
    const checked = spawnSync(nginx, ['-t', ...command], { encoding: 'utf8' })
    expect(checked.stderr).toContain('test is successful')
    proxy = spawn(nginx, command, { stdio: 'inherit' })
    await vi.waitFor(async () => expect((await dial('ctf.example.org')).destroyed).toBe(false))
  })
  afterAll(async () => {
    proxy.kill('SIGTERM')
    await platform.stop()
  })

  /** A TLS connection from another address of this machine, which the platform must see. */
  async function dial(servername: string) {
    const options = { host: '127.0.0.1', port: ports.shared, servername, rejectUnauthorized: false, localAddress: '127.0.0.5' }
    const socket = connectTls(options)
    await once(socket, 'secureConnect')
    return socket.on('error', () => undefined)
  }

  test('the site answers there, and the platform knows the address of the caller', async () => {
    const socket = await dial('ctf.example.org')
    const body = JSON.stringify({ userName: 'Boss', password: 'long enough' })
    const head = [
      'POST /api/account/login HTTP/1.1',
      'Host: ctf.example.org',
      'Origin: https://ctf.example.org',
      'Connection: close',
    ]
    socket.write([...head, 'Content-Type: application/json', `Content-Length: ${body.length}`, '', body].join('\r\n'))
    expect(String(Buffer.concat(await socket.toArray()))).toMatch(/^HTTP\/1\.1 200 /)
    await platform.deps.log.flush()
    const entries = await platform.db.selectFrom('logs').select('ip').where('name', '=', 'Boss').execute()
    expect(entries.map(({ ip }) => ip)).toEqual(['127.0.0.5'])
  })

  test('an instance is reached by its name, and its capture has the address of the player', async () => {
    const game = await aGame(platform.db, { practiceMode: true })
    const team = await aTeam(platform.db)
    const participation = await aParticipation(platform.db, game, team)
    const challenge = await aChallenge(platform.db, game, {
      type: 'StaticContainer',
      containerImage: 'echo',
      captureTraffic: true,
    })
    const { body } = await (await platform.as(team.captain)).post(`/api/game/${game}/container/${challenge}`)
    const { hostName } = await platform.db
      .selectFrom('containers')
      .select('hostName')
      .where('id', '=', body.entry)
      .executeTakeFirstOrThrow()
    const socket = await dial(`${hostName}.tcp.example.net`)
    expect(String((await once(socket, 'data'))[0])).toBe('no flag\n')
    socket.destroy()
    const files = join(platform.dataDir, 'capture', String(challenge), String(participation))
    await vi.waitFor(() => {
      const [, first] = readPcap(readFileSync(join(files, readdirSync(files)[0]!)))
      expect(first!.to).toMatch(/^127\.0\.0\.5 \d+$/)
    })
  })
})

describe('the systemd unit', () => {
  const unit = readFileSync(join(root, 'deploy/vexil.service'), 'utf8')
  const setting = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1]

  test('runs as a separate user without rights outside its folder, and restarts after a failure', () => {
    const wanted = {
      User: 'vexil',
      Restart: 'on-failure',
      NoNewPrivileges: 'true',
      ProtectSystem: 'strict',
      ProtectHome: 'true',
      CapabilityBoundingSet: '',
      StateDirectory: 'vexil',
      KillMode: 'mixed',
      // The notifications come from a program that the platform starts.
      WatchdogSec: '10',
      NotifyAccess: 'all',
    }
    expect(Object.fromEntries(Object.keys(wanted).map((key) => [key, setting(key)]))).toEqual(wanted)
    expect(Number(setting('TimeoutStopSec'))).toBe(stopsWithin({}))
    const [program = '', ...options] = setting('ExecStart')?.split(' ') ?? []
    const main = options.pop() as string
    expect(options).toEqual(serverFlags)
    for (const [name, value] of Object.entries(serverEnv)) expect(setting('Environment')).toContain(`${name}=${value}`)
    for (const path of [program.replace(`${setting('WorkingDirectory')}/`, ''), main])
      expect(existsSync(join(root, path))).toBe(true)
  })

  test.skipIf(!existsSync(analyze))('is accepted by systemd', () => {
    const copy = join(folder, 'vexil.service')
    writeFileSync(copy, unit.replaceAll('/opt/vexil', root))
    const { status, stderr } = spawnSync(analyze, ['verify', '--man=no', '--recursive-errors=no', copy], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })
})

describe('the image', () => {
  const [, runs = ''] = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8').split(/^FROM \$\{BASE\}$/m)
  const user = /^USER (\d+):\1$/m.exec(runs)?.[1]

  test('runs the command line as a user who is not root, the same as in the manifest, with the environment of the server', () => {
    expect(Number(user)).toBeGreaterThan(999)
    for (const [kind, fsGroup] of [['Deployment', Number(user)] as const, ['Job'] as const])
      expect(manifest<WithPods>(kind).spec.template.spec.securityContext).toMatchObject({
        runAsUser: Number(user),
        ...(fsGroup && { fsGroup }),
      })
    // The default, 127.0.0.1, is that of the container, which no published port leads to.
    for (const [name, value] of Object.entries({ HOST: '0.0.0.0', ...serverEnv }))
      expect(runs).toMatch(new RegExp(`^ENV .*${name}=${value}`, 'm'))
    expect(runs).toMatch(/^ENTRYPOINT \["vexil"\]\nCMD \["serve"\]$/m)
    expect(runs).toMatch(/^HEALTHCHECK .*\n.*\/healthz/m)
    expect(runs).toMatch(/^VOLUME \/data$/m)
  })

  test('has the scripts that `vexil serve` imports', () => {
    const script = (name: string) => readFileSync(join(root, 'scripts', name), 'utf8')
    const files = script('image-files.mjs')
    const copied = /const scripts = \[(.+)\]/
      .exec(files)![1]!
      .match(/[\w-]+/g)!
      .map((name) => `${name}.mjs`)
    expect(files).toContain('[ "$*" = serve ] && exec node /app/scripts/serve.mjs\n')
    const imported = copied.flatMap((name) => [...script(name).matchAll(/ from '\.\/(.+)'/g)].map(([, file]) => file))
    expect(new Set(['serve.mjs', ...imported])).toEqual(new Set(copied))
  })

  test('starts beside a database that no port leads to, on a read-only file system, with a volume for each', () => {
    const [{ services, volumes }] = loadAll(readFileSync(join(root, 'deploy/compose.yaml'), 'utf8')) as [
      {
        services: Record<
          string,
          { volumes: string[]; ports?: string[]; stop_grace_period: string; environment: { PORT: string } }
        >
        volumes: object
      },
    ]
    expect(Object.keys(services)).toEqual(['vexil', 'postgres'])
    expect(services.postgres?.ports).toBeUndefined()
    expect(services.vexil).toMatchObject({
      read_only: true,
      restart: 'unless-stopped',
      volumes: ['vexil:/data'],
      tmpfs: ['/tmp'],
    })
    // Links without PUBLIC_URL have the port of the platform, so that must be the published one.
    const { PORT } = services.vexil!.environment
    expect(services.vexil!.ports).toEqual([`${PORT}:${PORT}`])
    expect(services.vexil!.stop_grace_period).toBe(`${stopsWithin({})}s`)
    expect(Object.keys(volumes)).toEqual(['vexil', 'postgres'])
  })
})

describe('the manifests for Kubernetes', () => {
  const { template } = manifest<WithPods>('Deployment').spec
  const [container] = template.spec.containers
  const env = Object.fromEntries(container.env.map(({ name, value = '192.0.2.1' }) => [name, value]))
  const lines = ['settings.env', 'secret.env'].flatMap((name) =>
    readFileSync(join(root, 'deploy/kubernetes-example', name), 'utf8')
      .match(/^[A-Z].*/gm)!
      .map((line) => line.split(/=(.*)/s)),
  )
  const site = Object.fromEntries(lines) as Record<string, string>

  test('a replica stops only after its replacement is ready, and has the time that a drain takes', () => {
    expect(manifest('Deployment').spec).toMatchObject({
      replicas: 2,
      strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    })
    expect(template.spec.terminationGracePeriodSeconds).toBe(stopsWithin({ VEXIL_DRAIN_SECONDS: env.VEXIL_DRAIN_SECONDS! }))
    expect(template.spec).toMatchObject({
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              podAffinityTerm: {
                topologyKey: 'kubernetes.io/hostname',
                labelSelector: { matchLabels: template.metadata.labels },
              },
            },
          ],
        },
      },
    })
    expect(manifest('PodDisruptionBudget').spec).toEqual({
      minAvailable: 1,
      selector: { matchLabels: template.metadata.labels },
    })
  })

  test('a database that does not answer takes replicas out of the Service, and restarts none', () => {
    const { readinessProbe, livenessProbe } = container as unknown as Record<string, object>
    expect([readinessProbe, livenessProbe]).toMatchObject([
      { httpGet: { path: '/healthz/ready', port: 'http' } },
      { tcpSocket: { port: 'http' } },
    ])
    expect(livenessProbe).not.toHaveProperty('httpGet')
  })

  test('their settings and those of the example are valid: files are shared, the data folder is not, the Job alone migrates', () => {
    const config = readConfig({ ...site, ...env })
    expect(config).toMatchObject({
      migrate: 'never',
      dataDir: '/data/node',
      filesDir: '/files/vexil',
      metrics: { host: '0.0.0.0', port: 9464 },
      containerProvider: 'Kubernetes',
    })
    expect(container.ports).toEqual([
      { name: 'http', containerPort: config.port },
      { name: 'metrics', containerPort: config.metrics!.port },
    ])
    expect(env.VEXIL_NODE_URL).toBe(`http://$(POD_IP):${config.port}`)
    expect(container.volumeMounts).toEqual([
      { name: 'data', mountPath: '/data' },
      { name: 'files', mountPath: '/files' },
    ])
    expect(template.spec.volumes).toEqual([
      { name: 'data', emptyDir: {} },
      { name: 'files', persistentVolumeClaim: { claimName: 'vexil-files' } },
    ])
    expect(manifest('PersistentVolumeClaim', 'vexil-files').spec).toMatchObject({ accessModes: ['ReadWriteMany'] })
    const job = manifest<WithPods>('Job').spec.template
    expect(job.spec.containers).toMatchObject([{ image: container.image, args: ['migrate'] }])
    // The Service selects the pods with these labels.
    expect(job.metadata.labels).not.toMatchObject(template.metadata.labels)
    for (const name of ['vexil', 'vexil-metrics'])
      expect(manifest('Service', name).spec).toMatchObject({ selector: template.metadata.labels })
  })
})

test('the LimitRange has the platform’s own limits, and the pods of default challenges are within its defaults', () => {
  const mb = (number: number) => `${number}Mi`
  const { cpuMax, memoryMax, storageMax } = challengeLimits
  const { cpuCount, memoryLimit, storageLimit } = challengeDefaults
  const ranges = manifestsOf('kubernetes/challenges.yaml').filter(({ kind }) => kind === 'LimitRange')
  expect(ranges.map(({ spec }) => spec)).toEqual([
    {
      limits: [
        {
          type: 'Container',
          max: { cpu: `${cpuMax * 100}m`, memory: mb(memoryMax), 'ephemeral-storage': mb(storageMax) },
          default: { cpu: `${cpuCount * 100}m`, memory: mb(memoryLimit), 'ephemeral-storage': mb(storageLimit) },
          defaultRequest: { cpu: '10m', memory: '32Mi', 'ephemeral-storage': '16Mi' },
        },
      ],
    },
  ])
})
