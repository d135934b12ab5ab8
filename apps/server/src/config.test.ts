import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Config, ConfigError, readConfig, settings } from './config.ts'

test('an empty environment results in the defaults', () => {
  expect(readConfig({})).toEqual({
    port: 8080,
    migrate: 'auto',
    filesDir: null,
    nodeUrl: null,
    host: '127.0.0.1',
    publicUrl: 'http://localhost:8080',
    dataDir: resolve('data'),
    databaseUrl: null,
    databasePool: 20,
    adminPassword: null,
    adminEmail: null,
    processes: 1,
    disableRateLimit: false,
    hallNetworks: [],
    trustedProxies: ['loopback'],
    sessionCookie: 'vexil_session',
    secretKey: null,
    backupDir: null,
    backupMinutes: 60,
    drainSeconds: 1,
    drainHubSeconds: 20,
    drainProxySeconds: 60,
    logDays: 90,
    mailHost: null,
    mailPort: 587,
    mailUser: null,
    mailPassword: null,
    mailSender: null,
    mailSenderName: null,
    mailIgnoreCertificate: false,
    captchaProvider: 'None',
    captchaSiteKey: null,
    captchaSecret: null,
    captchaVerifyUrl: null,
    captchaThreshold: 0.5,
    s3Bucket: null,
    s3Endpoint: null,
    s3Region: 'us-east-1',
    s3AccessKey: null,
    s3SecretKey: null,
    s3PathStyle: false,
    containerProvider: 'None',
    containerPorts: 'Default',
    containerEntry: 'localhost',
    containerCapture: false,
    captureDays: 30,
    captureGb: 10,
    assetMb: 500,
    containerDeny: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16'],
    containerWeb: null,
    isolationProbe: true,
    probeImage: null,
    containerTls: null,
    containerTlsListen: { host: '127.0.0.1', port: 0 },
    containerTlsCert: null,
    containerTlsKey: null,
    containerTlsProxyProtocol: false,
    dockerHost: 'unix:///var/run/docker.sock',
    dockerCerts: null,
    dockerSubnets: '100.64.0.0/16',
    dockerBind: null,
    kubernetesConfig: null,
    kubernetesNamespace: 'vexil-challenges',
    kubernetesDeny: ['10.0.0.0/8'],
    kubernetesPods: [],
    kubernetesDns: [],
    kubernetesRequests: 0.1,
    registry: null,
    registryUser: null,
    registryPassword: null,
    proxyIdleMinutes: 10,
    proxyTotalMinutes: 240,
    logLevel: 'warn',
    logFormat: 'text',
    metrics: null,
  })
})

test('paths are relative to the current folder', () => {
  const paths = { VEXIL_BACKUP_DIR: 'backups', VEXIL_DOCKER_CERTS: 'certs', VEXIL_KUBERNETES_CONFIG: 'kube/config' }
  const { backupDir, dockerCerts, kubernetesConfig } = readConfig(paths)
  expect([backupDir, dockerCerts, kubernetesConfig]).toEqual(['backups', 'certs', 'kube/config'].map((path) => resolve(path)))
})

test('an empty value counts as absent', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: ' ' })).toEqual(readConfig({}))
})

test('the public URL follows the port, and loses its trailing slash', () => {
  expect(readConfig({ PORT: '9000' }).publicUrl).toBe('http://localhost:9000')
  expect(readConfig({ PUBLIC_URL: 'https://ctf.example.org/' }).publicUrl).toBe('https://ctf.example.org')
})

test('trusted proxies are addresses and ranges of both families', () => {
  expect(readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, ::1,fd00::/8' }).trustedProxies).toEqual(['10.0.0.0/8', '::1', 'fd00::/8'])
  expect(readConfig({ TRUSTED_PROXIES: 'none' }).trustedProxies).toEqual([])
})

test('P3.61 a captcha provider is accepted in any case, and requires its site key', () => {
  const read = (env: Record<string, string>) => readConfig({ VEXIL_CAPTCHA_SITE_KEY: 'key', ...env }).captchaProvider
  expect(read({ VEXIL_CAPTCHA_PROVIDER: 'googlerecaptcha' })).toBe('GoogleRecaptcha')
  expect(read({ VEXIL_CAPTCHA_PROVIDER: 'CloudflareTurnstile' })).toBe('CloudflareTurnstile')
  expect(() => read({ VEXIL_CAPTCHA_PROVIDER: 'None', VEXIL_CAPTCHA_SITE_KEY: '' })).not.toThrow()
  expect(() => read({ VEXIL_CAPTCHA_PROVIDER: 'CloudflareTurnstile', VEXIL_CAPTCHA_SITE_KEY: '' })).toThrow(
    'VEXIL_CAPTCHA_SITE_KEY',
  )
})

test('a mail server requires a sender', () => {
  expect(() => readConfig({ VEXIL_MAIL_HOST: 'mail.example.org' })).toThrow('VEXIL_MAIL_SENDER must be given')
  const config = readConfig({ VEXIL_MAIL_HOST: 'mail.example.org', VEXIL_MAIL_SENDER: 'ctf@example.org', VEXIL_MAIL_PORT: '465' })
  expect(config).toMatchObject({ mailHost: 'mail.example.org', mailPort: 465, mailSender: 'ctf@example.org' })
})

test('settings of Kubernetes: a path, lists of ranges and of name servers', () => {
  const read = readConfig({
    VEXIL_CONTAINER_PROVIDER: 'kubernetes',
    VEXIL_KUBERNETES_CONFIG: '/etc/vexil/kubeconfig',
    VEXIL_KUBERNETES_DENY: '10.0.0.0/8, fd00::/8',
    VEXIL_KUBERNETES_PODS: '10.42.0.0/16',
    VEXIL_KUBERNETES_DNS: '9.9.9.9,2620:fe::fe',
  })
  expect(read).toMatchObject({
    containerProvider: 'Kubernetes',
    kubernetesConfig: '/etc/vexil/kubeconfig',
    kubernetesDeny: ['10.0.0.0/8', 'fd00::/8'],
    kubernetesPods: ['10.42.0.0/16'],
    kubernetesDns: ['9.9.9.9', '2620:fe::fe'],
  })
})

test('players see the host of the public URL before a port, unless another entry is set', () => {
  expect(readConfig({ PUBLIC_URL: 'https://ctf.example.org' }).containerEntry).toBe('ctf.example.org')
  // Without the brackets of a URL, which an entry adds.
  expect(readConfig({ PUBLIC_URL: 'http://[2001:db8::7]:8080' }).containerEntry).toBe('2001:db8::7')
  expect(readConfig({ VEXIL_CONTAINER_ENTRY: '192.0.2.7' }).containerEntry).toBe('192.0.2.7')
  expect(() => readConfig({ VEXIL_CONTAINER_ENTRY: 'ctf.example.org/' })).toThrow(
    'VEXIL_CONTAINER_ENTRY must be a host name or address, without port, not "ctf.example.org/".',
  )
})

test('Swarm is refused with a message that lists the alternatives', () => {
  expect(() => readConfig({ VEXIL_CONTAINER_PROVIDER: 'Swarm' })).toThrow(
    /^VEXIL_CONTAINER_PROVIDER .*Swarm.*Docker.*Kubernetes\.$/,
  )
})

test.each([
  ['VEXIL_CONTAINER_PROVIDER', 'Podman'],
  ['VEXIL_CONTAINER_PORTS', 'Proxy'],
  ['VEXIL_CONTAINER_ENTRY', 'http://example.org'],
  ['VEXIL_CONTAINER_CAPTURE', 'perhaps'],
  ['VEXIL_BACKUP_MINUTES', '4'],
  ['VEXIL_BACKUP_MINUTES', '1441'],
  ['VEXIL_CAPTURE_DAYS', '0'],
  ['VEXIL_CAPTURE_GB', '0'],
  ['VEXIL_ASSET_MB', '0'],
  ['VEXIL_CONTAINER_DENY', '10.0.0.1'],
  ['VEXIL_CONTAINER_DENY', '10.0.0.0/40'],
  ['VEXIL_DOCKER_HOST', '/var/run/docker.sock'],
  ['VEXIL_DOCKER_HOST', 'tcp://engine'],
  ['VEXIL_DOCKER_HOST', 'http://engine:2375'],
  ['VEXIL_DOCKER_SUBNETS', '100.64.0.0/30'],
  ['VEXIL_DOCKER_SUBNETS', '100.0.0.0/7'],
  ['VEXIL_DOCKER_SUBNETS', 'fd00::/16'],
  ['VEXIL_DOCKER_BIND', 'engine'],
  ['VEXIL_KUBERNETES_NAMESPACE', 'Vexil'],
  ['VEXIL_KUBERNETES_NAMESPACE', '-a'],
  ['VEXIL_KUBERNETES_DENY', '10.0.0.1'],
  ['VEXIL_KUBERNETES_DENY', '0.0.0.0/0'],
  ['VEXIL_KUBERNETES_PODS', 'all'],
  ['VEXIL_KUBERNETES_DNS', 'dns.example.org'],
  ['VEXIL_KUBERNETES_DNS', '1.1.1.1,1.0.0.1,9.9.9.9,8.8.8.8'],
  ['VEXIL_REGISTRY', 'https://registry.example.org'],
  ['VEXIL_PROXY_IDLE', '0'],
  ['VEXIL_PROXY_TOTAL', '0'],
  ['VEXIL_MAIL_HOST', 'smtp://mail.example.org'],
  ['VEXIL_MAIL_PORT', '0'],
  ['VEXIL_MAIL_SENDER', 'nobody'],
  ['VEXIL_MAIL_IGNORE_CERTIFICATE', 'maybe'],
  ['VEXIL_CAPTCHA_PROVIDER', 'Other'],
  ['VEXIL_CAPTCHA_VERIFY_URL', 'ftp://example.org'],
  ['VEXIL_CAPTCHA_THRESHOLD', '1.5'],
  ['PORT', '80a80'],
  ['PORT', '0'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PUBLIC_URL', 'ctf.example.org'],
  ['PUBLIC_URL', 'https://example.org/ctf'],
  ['PUBLIC_URL', 'ftp://example.org'],
  ['DATABASE_URL', 'mysql://localhost/x'],
  ['DATABASE_URL', 'nonsense'],
  ['VEXIL_DATABASE_POOL', '1'],
  ['ADMIN_PASSWORD', 'short'],
  ['ADMIN_PASSWORD', 'x'.repeat(257)],
  ['ADMIN_EMAIL', 'nobody'],
  ['DISABLE_RATE_LIMIT', 'perhaps'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['TRUSTED_PROXIES', 'example.org'],
  ['SECRET_KEY', 'tooshort'],
  ['VEXIL_SESSION_COOKIE', 'two words'],
  ['VEXIL_SESSION_COOKIE', 'a;b'],
  ['VEXIL_SESSION_COOKIE', 'a=b'],
  ['VEXIL_SESSION_COOKIE', 'x'.repeat(65)],
  ['VEXIL_SESSION_COOKIE', '__Host-vexil'],
  ['VEXIL_SESSION_COOKIE', 'vexil_device'],
  ['VEXIL_S3_BUCKET', 'Has_Capitals'],
  ['VEXIL_S3_ENDPOINT', 'minio:9000'],
  ['VEXIL_S3_REGION', 'eu central'],
  ['VEXIL_S3_PATH_STYLE', 'perhaps'],
  ['LOG_LEVEL', 'loud'],
])('a bad %s (%s) is reported in one sentence', (variable, value) => {
  expect(() => readConfig({ [variable]: value })).toThrow(ConfigError)
  expect(() => readConfig({ [variable]: value })).toThrow(new RegExp(`^${variable} must .*\\.$`))
})

/** The setting of a variable that has this text. */
function settingFrom(variable: string, text: string, more: Record<string, string> = {}): unknown {
  const [setting] = Object.entries(settings).find(([, one]) => one.variable === variable) ?? []
  return readConfig({ ...more, [variable]: text })[setting as keyof Config]
}

test.each([
  ['PORT', 1, 65_535],
  ['VEXIL_PROCESSES', 1, 16],
  ['VEXIL_DATABASE_POOL', 2, 1000],
  ['VEXIL_LOG_DAYS', 1, 36_500],
  ['VEXIL_BACKUP_MINUTES', 5, 1440],
  ['VEXIL_DRAIN_SECONDS', 0, 300],
  ['VEXIL_DRAIN_HUB_SECONDS', 0, 300],
  ['VEXIL_DRAIN_PROXY_SECONDS', 0, 3600],
  ['VEXIL_MAIL_PORT', 1, 65_535],
  ['VEXIL_CAPTURE_DAYS', 1, 36_500],
  ['VEXIL_CAPTURE_GB', 1, 1_000_000],
  ['VEXIL_ASSET_MB', 1, 100_000],
  ['VEXIL_PROXY_IDLE', 1, 10_080],
  ['VEXIL_PROXY_TOTAL', 1, 100_800],
])('%s is a whole number from %d to %d', (variable, least, most) => {
  expect([least, most].map((number) => settingFrom(variable, String(number)))).toEqual([least, most])
  for (const number of [least - 1, most + 1])
    expect(() => settingFrom(variable, String(number))).toThrow(
      `${variable} must be a whole number from ${least} to ${most}, not "${number}".`,
    )
})

test.each<[string, string, unknown]>([
  ...['true', '1', 'yes', 'ON'].map((word): [string, string, boolean] => ['DISABLE_RATE_LIMIT', word, true]),
  ...['false', '0', 'no', 'OFF'].map((word): [string, string, boolean] => ['VEXIL_CONTAINER_CAPTURE', word, false]),
  ['VEXIL_CAPTCHA_THRESHOLD', '0', 0],
  ['VEXIL_CAPTCHA_THRESHOLD', '1', 1],
  ['TRUSTED_PROXIES', '192.0.2.7/32, 2001:db8::7/128', ['192.0.2.7/32', '2001:db8::7/128']],
  ['VEXIL_KUBERNETES_DNS', '9.9.9.9,1.1.1.1,2620:fe::fe', ['9.9.9.9', '1.1.1.1', '2620:fe::fe']],
  ...['a', 'a'.repeat(63)].map((name): [string, string, string] => ['VEXIL_KUBERNETES_NAMESPACE', name, name]),
  ...['100.64.0.0/29', '100.0.0.0/8'].map((range): [string, string, string] => ['VEXIL_DOCKER_SUBNETS', range, range]),
  ['VEXIL_SESSION_COOKIE', 'x'.repeat(64), 'x'.repeat(64)],
  ['SECRET_KEY', 'x'.repeat(16), 'x'.repeat(16)],
  ['VEXIL_METRICS', '127.0.0.1:1', { host: '127.0.0.1', port: 1 }],
  ['VEXIL_METRICS', '[::1]:65535', { host: '::1', port: 65_535 }],
])('%s may be "%s"', (variable, text, value) => {
  expect(settingFrom(variable, text)).toEqual(value)
})

test('the name of a bucket has 3 to 63 characters', () => {
  const keys = { VEXIL_S3_ACCESS_KEY: 'a', VEXIL_S3_SECRET_KEY: 'b' }
  const read = (length: number) => settingFrom('VEXIL_S3_BUCKET', 'b'.repeat(length), keys)
  expect([read(3), read(63)]).toEqual(['bbb', 'b'.repeat(63)])
  for (const length of [2, 64]) expect(() => read(length)).toThrow('VEXIL_S3_BUCKET must have 3 to 63')
})

test('the password of the first account has the same limits as any other', () => {
  for (const length of [6, 256]) expect(readConfig({ ADMIN_PASSWORD: 'x'.repeat(length) }).adminPassword).toBe('x'.repeat(length))
})

test('a bucket requires its keys, and is part of the path for a custom server', () => {
  const bucket = { VEXIL_S3_BUCKET: 'files' }
  expect(() => readConfig(bucket)).toThrow('VEXIL_S3_ACCESS_KEY must be set when VEXIL_S3_BUCKET is.')
  expect(() => readConfig({ ...bucket, VEXIL_S3_ACCESS_KEY: 'a' })).toThrow(
    'VEXIL_S3_SECRET_KEY must be set when VEXIL_S3_BUCKET is.',
  )
  const keys = { ...bucket, VEXIL_S3_ACCESS_KEY: 'a', VEXIL_S3_SECRET_KEY: 'b' }
  expect(readConfig(keys).s3PathStyle).toBe(false)
  expect(readConfig({ ...keys, VEXIL_S3_ENDPOINT: 'http://minio:9000' }).s3PathStyle).toBe(true)
  expect(readConfig({ ...keys, VEXIL_S3_ENDPOINT: 'http://minio:9000', VEXIL_S3_PATH_STYLE: 'no' }).s3PathStyle).toBe(false)
})

test('a folder of files is absolute, and not combined with a bucket', () => {
  expect(readConfig({}).filesDir).toBeNull()
  expect(readConfig({ VEXIL_FILES_DIR: 'shared' }).filesDir).toBe(resolve('shared'))
  const keys = { VEXIL_S3_BUCKET: 'files', VEXIL_S3_ACCESS_KEY: 'a', VEXIL_S3_SECRET_KEY: 'b' }
  expect(() => readConfig({ ...keys, VEXIL_FILES_DIR: '/shared' })).toThrow(
    'VEXIL_FILES_DIR cannot be set when VEXIL_S3_BUCKET is.',
  )
})

test('a secret is never included in a message', () => {
  const message = (env: Record<string, string>) => {
    try {
      readConfig(env)
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }
  expect(message({ ADMIN_PASSWORD: 'hush' })).not.toContain('hush')
  expect(message({ SECRET_KEY: 'hushhush' })).not.toContain('hush')
  expect(message({ DATABASE_URL: 'mysql://me:hush@localhost/x' })).not.toContain('hush')
})

test('every variable is documented in the manual', () => {
  for (const { meaning } of Object.values(settings)) expect(meaning.length).toBeGreaterThan(10)
})

test('the session cookie can have the name that other tools expect', () => {
  expect(readConfig({ VEXIL_SESSION_COOKIE: 'GZCTF_Token' }).sessionCookie).toBe('GZCTF_Token')
})

test('TLS connections to instances have a name, an address to listen on, and files', () => {
  const files = { VEXIL_CONTAINER_TLS_CERT: '/tls/cert.pem', VEXIL_CONTAINER_TLS_KEY: '/tls/key.pem' }
  const read = (env: Record<string, string>) => {
    const { containerTls, containerTlsListen, containerTlsCert, containerTlsKey } = readConfig({ ...files, ...env })
    return [containerTls, containerTlsListen, containerTlsCert, containerTlsKey]
  }
  expect(read({ VEXIL_CONTAINER_TLS: '*.Tcp.example.net:8443', HOST: '0.0.0.0' })).toEqual([
    { suffix: 'tcp.example.net', port: 8443 },
    { host: '0.0.0.0', port: 8443 },
    '/tls/cert.pem',
    '/tls/key.pem',
  ])
  expect(read({ VEXIL_CONTAINER_TLS: '*.tcp.example.net:443', VEXIL_CONTAINER_TLS_LISTEN: '[::1]:8443' })[1]).toEqual({
    host: '::1',
    port: 8443,
  })
  for (const missing of ['VEXIL_CONTAINER_TLS_CERT', 'VEXIL_CONTAINER_TLS_KEY'])
    expect(() => read({ VEXIL_CONTAINER_TLS: '*.tcp.example.net:443', [missing]: '' })).toThrow(
      `${missing} must be set when VEXIL_CONTAINER_TLS is`,
    )
})

test.each([
  'tcp.example.net:443',
  '*.tcp.example.net',
  '*.tcp.example.net:0',
  '*.tcp.example.net:65536',
  '*.192.0.2.1:443',
  '*.a..b:443',
])('%s is not valid for TLS connections to instances', (tls) => {
  expect(() => readConfig({ VEXIL_CONTAINER_TLS: tls })).toThrow(/^VEXIL_CONTAINER_TLS must be a name with a port/)
})

test.each(['8443', 'localhost:8443', '127.0.0.1:0', '127.0.0.1:65536', '127.0.0.1'])(
  '%s is not valid to listen on for them',
  (listen) => {
    expect(() => readConfig({ VEXIL_CONTAINER_TLS_LISTEN: listen })).toThrow(
      /^VEXIL_CONTAINER_TLS_LISTEN must be an address and a port/,
    )
  },
)

test('hosts of web pages take protocol and port of PUBLIC_URL unless they have a port', () => {
  const read = (web: string, url?: string) =>
    readConfig({ VEXIL_CONTAINER_WEB: web, ...(url && { PUBLIC_URL: url }) }).containerWeb
  expect(read('*.Instances.example.net', 'https://ctf.example.org')).toEqual({
    hostname: 'instances.example.net',
    origin: 'https://*.instances.example.net',
  })
  expect(read('*.localhost')).toEqual({ hostname: 'localhost', origin: 'http://*.localhost:8080' })
  expect(read('*.a.example.net:8443', 'https://ctf.example.org:444')?.origin).toBe('https://*.a.example.net:8443')
  // Each name below a public suffix is a separate site.
  expect(read('*.github.io', 'https://ctf.github.io')?.hostname).toBe('github.io')
  expect(read('*.example.net', 'https://192.0.2.7')?.hostname).toBe('example.net')
})

test.each([
  ['*.example.org', 'https://ctf.example.org'],
  ['*.deep.instances.example.org', 'https://example.org'],
  ['*.x.ctf.co.uk', 'https://ctf.co.uk'],
  ['*.ctf.github.io', 'https://ctf.github.io'],
])('hosts of web pages %s on the site of %s are refused', (web, url) => {
  expect(() => readConfig({ VEXIL_CONTAINER_WEB: web, PUBLIC_URL: url })).toThrow(
    /^VEXIL_CONTAINER_WEB .*another site than PUBLIC_URL/,
  )
})

test.each([
  'instances.example.net',
  '*',
  '*.',
  'https://*.example.net',
  '*.example.net/',
  '*.192.0.2.1',
  '*.example.net:99999',
  '*.a..b',
])('%s is not valid for hosts of web pages', (web) => {
  expect(() => readConfig({ VEXIL_CONTAINER_WEB: web })).toThrow(/^VEXIL_CONTAINER_WEB must be a name such as/)
})
