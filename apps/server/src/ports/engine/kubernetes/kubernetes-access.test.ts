import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openAccess } from './kubernetes-access.ts'

/** The files of a pod's service account, by path. */
const account = vi.hoisted(() => new Map<unknown, string>())
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  return {
    ...real,
    readFileSync: (...asked: Parameters<typeof real.readFileSync>) => account.get(asked[0]) ?? real.readFileSync(...asked),
  }
})

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vexil-kubeconfig-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const base64 = (text: string) => Buffer.from(text).toString('base64')
function configOf({ cluster = '{server: "https://k.example:6443/base/"}', user = '{token: abc}', current = 'one' } = {}): string {
  const file = join(folder, 'config')
  writeFileSync(
    file,
    `current-context: ${current}
contexts: [{name: one, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: ${cluster}}]
users: [{name: u, user: ${user}}]
`,
  )
  return file
}

test('the server, the path prefix and the token are read', () => {
  const access = openAccess(configOf())
  expect(access.target).toMatchObject({ secure: true, host: 'k.example', port: '6443', rejectUnauthorized: true })
  expect([access.path, access.headers(), access.ownNamespace]).toEqual(['/base', { authorization: 'Bearer abc' }, null])
})

test('certificates are inline or in files next to it', () => {
  writeFileSync(join(folder, 'ca.crt'), 'authority')
  writeFileSync(join(folder, 'key.pem'), 'key')
  const cluster = `{server: "https://[fd00::1]", certificate-authority: ca.crt, tls-server-name: other}`
  const access = openAccess(configOf({ cluster, user: `{client-certificate-data: ${base64('cert')}, client-key: key.pem}` }))
  expect(access.target).toMatchObject({
    host: 'fd00::1',
    port: 443,
    servername: 'other',
    ca: Buffer.from('authority'),
    cert: Buffer.from('cert'),
    key: Buffer.from('key'),
  })
  expect(access.headers()).toEqual({})
})

test('in a pod, its service account gives the authority, the namespace, and the token of each call', () => {
  const set = (name: string, text: string) => account.set(`/var/run/secrets/kubernetes.io/serviceaccount/${name}`, text)
  for (const name of ['ca.crt', 'token', 'namespace']) set(name, `the ${name}\n`)
  const access = openAccess(null)
  expect(access.target).toMatchObject({ secure: true, host: 'kubernetes.default.svc', port: 443, ca: 'the ca.crt\n' })
  expect([access.path, access.ownNamespace]).toEqual(['', 'the namespace'])
  set('token', 'next\n')
  expect(access.headers()).toEqual({ authorization: 'Bearer next' })
  account.clear()
  expect(() => openAccess(null)).toThrow('needs VEXIL_KUBERNETES_CONFIG')
})

test('a token file is read again for each call', () => {
  writeFileSync(join(folder, 'token'), 'first\n')
  const access = openAccess(configOf({ user: '{tokenFile: token}' }))
  expect(access.headers()).toEqual({ authorization: 'Bearer first' })
  writeFileSync(join(folder, 'token'), 'second\n')
  expect(access.headers()).toEqual({ authorization: 'Bearer second' })
})

test('certificate checks are only disabled explicitly', () => {
  expect(openAccess(configOf({ cluster: '{server: "https://k", insecure-skip-tls-verify: true}' })).target).toMatchObject({
    rejectUnauthorized: false,
  })
})

test.each([
  [{ current: 'two' }, 'it has no context "two"'],
  [{ cluster: '{server: nowhere}' }, '"nowhere" is no address'],
  [{ cluster: '{server: "https://k", certificate-authority: none.crt}' }, 'ENOENT'],
  [{ user: '{exec: {command: aws}}' }, 'signs in by exec'],
  [{ user: '{auth-provider: {name: gcp}}' }, 'signs in by auth-provider'],
  [{ user: '{tokenFile: none}' }, 'ENOENT'],
])('an unusable configuration is reported with a message: %j', (parts, reason) => {
  expect(() => openAccess(configOf(parts))).toThrow(
    expect.objectContaining({ name: 'StartError', message: expect.stringContaining(reason) }),
  )
})

test('without kubeconfig and outside a pod the driver fails to open', () => {
  expect(() => openAccess(join(folder, 'missing'))).toThrow('VEXIL_KUBERNETES_CONFIG')
  expect(() => openAccess(null)).toThrow('VEXIL_KUBERNETES_CONFIG')
})

test('the end of a token or certificate in the kubeconfig is read, and a token file, which is renewed, has none', () => {
  const claims = (exp: unknown) => `x.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.y`
  const until = (user: string) => openAccess(configOf({ user })).expiresAt
  expect(until(`{token: ${claims(1_800_000_000)}}`)).toBe(1_800_000_000_000)
  for (const token of ['abc', 'a.b.c', claims('soon'), claims(undefined)]) expect(until(`{token: ${token}}`)).toBeNull()
  writeFileSync(join(folder, 'token'), claims(1_800_000_000))
  expect(until(`{tokenFile: token, token: ${claims(1_700_000_000)}}`)).toBeNull()
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'client.key']
  const made = ['req', '-x509', ...key, '-days', '30', '-subj', '/CN=tests', '-out', 'client.crt']
  execFileSync('openssl', made, { cwd: folder, stdio: 'ignore' })
  const ends = new X509Certificate(readFileSync(join(folder, 'client.crt'))).validToDate.getTime()
  expect(until('{client-certificate: client.crt, client-key: client.key}')).toBe(ends)
  expect(until(`{client-certificate: client.crt, client-key: client.key, token: ${claims(1_700_000_000)}}`)).toBe(
    1_700_000_000_000,
  )
})
