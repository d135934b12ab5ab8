/** The only reader of the environment. Validates everything at start; an error message names the variable. */
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { accountLimits } from '@vexil/core/limits'
import { captchaProviders } from '@vexil/core/vocabulary'
import { getDomain } from 'tldts'
import { dataDirOf } from './data-dir.ts'
import { deviceCookie } from './http/known-device.ts'
import { cookieName } from './http/session-cookie.ts'
import { logFormats } from './log-lines.ts'
import { parseImage } from './ports/engine/docker/docker-image.ts'
import { engineKinds } from './ports/engine/engine.ts'
import { StartError } from './start-error.ts'

export class ConfigError extends StartError {
  override readonly name: string = 'ConfigError'
}

/** Networks of neighbours, cloud metadata and the platform itself. */
const privateRanges = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16']

interface Setting<T> {
  readonly variable: string
  readonly default: string | null
  readonly meaning: string
  /** Parses the text (null if absent), given the earlier settings. Throws a string with the error. */
  readonly read: (text: string | null, earlier: Record<string, unknown>) => T
}

export const settings = {
  port: setting('PORT', '8080', 'port to listen on', (text) => wholeNumber(text ?? '8080', 1, 65535)),
  host: setting('HOST', '127.0.0.1', 'address to listen on; 0.0.0.0 or :: for all', (text) => text ?? '127.0.0.1'),
  publicUrl: setting(
    'PUBLIC_URL',
    'http://localhost:{PORT}',
    'public URL of the platform: links in emails, allowed origin',
    (text, { port }) => (text === null ? `http://localhost:${port}` : origin(text)),
  ),
  nodeUrl: setting(
    'VEXIL_NODE_URL',
    null,
    'address at which this node alone is reached, such as http://10.0.0.5:8080, for the health page and `vexil verify --nodes`',
    (text) => (text === null ? null : origin(text)),
  ),
  dataDir: setting(
    'DATA_DIR',
    './data',
    'folder of the embedded database and its log, files and captures; created with mode 0700',
    dataDirOf,
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    null,
    'external PostgreSQL 15 or later (postgres://…) instead of the embedded one',
    (text) => (text === null ? null : postgresUrl(text)),
  ),
  processes: setting(
    'VEXIL_PROCESSES',
    '1',
    'processes of this node that answer requests; the first one runs the embedded database and keeps data folder and limits',
    (text) => wholeNumber(text ?? '1', 1, 16),
  ),
  databasePool: setting('VEXIL_DATABASE_POOL', '20', 'database connections for requests, per process', (text) =>
    wholeNumber(text ?? '20', 2, 1000),
  ),
  migrate: setting(
    'VEXIL_MIGRATE',
    'auto',
    '`auto`: the start upgrades the schema; `never`: it waits until `vexil migrate` has done it',
    (text) => oneOf(text ?? 'auto', ['auto', 'never']),
  ),
  adminPassword: setting('ADMIN_PASSWORD', null, 'creates the account Admin with this password at the first start', (text) =>
    text === null ? null : password(text),
  ),
  adminEmail: setting('ADMIN_EMAIL', null, 'email address of that account', (text) =>
    text === null ? null : emailAddress(text),
  ),
  disableRateLimit: setting('DISABLE_RATE_LIMIT', 'false', 'turns off rate limits, for load tests on your own machine', (text) =>
    trueOrFalse(text ?? 'false'),
  ),
  hallNetworks: setting(
    'VEXIL_HALL_NETWORKS',
    null,
    'CIDR ranges, separated by commas, of halls and schools where many people share an address: wrong passwords from there count per account and address only',
    (text) => (text === null ? [] : ranges(text)),
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    'loopback',
    'addresses and CIDR ranges, separated by commas, whose X-Forwarded-For and -Proto are trusted; `none` trusts no proxy',
    (text) => proxies(text ?? 'loopback'),
  ),
  sessionCookie: setting(
    'VEXIL_SESSION_COOKIE',
    cookieName,
    'name of the session cookie; scripts made for GZ::CTF look for `GZCTF_Token`',
    (text) => cookieToken(text ?? cookieName),
  ),
  secretKey: setting(
    'SECRET_KEY',
    null,
    'protects the keys of games; when not set, generated at the first start and stored in DATA_DIR. All nodes need the same key',
    (text) => (text === null ? null : atLeast(16, text)),
  ),
  logDays: setting('VEXIL_LOG_DAYS', '90', 'days after which log entries are deleted', (text) =>
    wholeNumber(text ?? '90', 1, 36_500),
  ),
  backupDir: setting(
    'VEXIL_BACKUP_DIR',
    null,
    'folder for scheduled backups, best on another disk; when not set, none are made. Every node that sets it needs the same folder',
    (text) => (text === null ? null : resolve(text)),
  ),
  backupMinutes: setting(
    'VEXIL_BACKUP_MINUTES',
    '60',
    'minutes between scheduled backups while a game runs; otherwise one is made each day',
    (text) => wholeNumber(text ?? '60', 5, 1440),
  ),
  drainSeconds: setting(
    'VEXIL_DRAIN_SECONDS',
    '1',
    'seconds that a node still serves after SIGTERM, while /healthz/ready answers 503; longer than a load balancer needs to notice',
    (text) => wholeNumber(text ?? '1', 0, 300),
  ),
  drainHubSeconds: setting(
    'VEXIL_DRAIN_HUB_SECONDS',
    '20',
    'seconds after that in which a node closes its live connections one after another, if another node serves',
    (text) => wholeNumber(text ?? '20', 0, 300),
  ),
  drainProxySeconds: setting(
    'VEXIL_DRAIN_PROXY_SECONDS',
    '60',
    'seconds in which connections to instances may finish at the same time, if another node serves',
    (text) => wholeNumber(text ?? '60', 0, 3600),
  ),
  mailHost: setting(
    'VEXIL_MAIL_HOST',
    null,
    'mail server (SMTP); when not set, the one of the settings; `log` prints emails instead',
    (text) => (text === null ? null : hostName(text)),
  ),
  mailPort: setting(
    'VEXIL_MAIL_PORT',
    '587',
    'port of the mail server; 465 uses TLS from the start, other ports STARTTLS when offered',
    (text) => wholeNumber(text ?? '587', 1, 65535),
  ),
  mailUser: setting('VEXIL_MAIL_USER', null, 'username on the mail server; when not set, no sign-in', (text) => text),
  mailPassword: setting('VEXIL_MAIL_PASSWORD', null, 'password on the mail server', (text) => text),
  mailSender: setting(
    'VEXIL_MAIL_SENDER',
    null,
    'sender address of emails; required with a mail server',
    (text, { mailHost }) => {
      if (text === null && mailHost !== null) throw 'must be given when VEXIL_MAIL_HOST is'
      return text === null ? null : emailAddress(text)
    },
  ),
  mailSenderName: setting(
    'VEXIL_MAIL_SENDER_NAME',
    null,
    'sender name of emails; when not set, the name of the platform',
    (text) => text,
  ),
  mailIgnoreCertificate: setting(
    'VEXIL_MAIL_IGNORE_CERTIFICATE',
    'false',
    'accepts any certificate of the mail server, for closed networks',
    (text) => trueOrFalse(text ?? 'false'),
  ),
  captchaProvider: setting(
    'VEXIL_CAPTCHA_PROVIDER',
    'None',
    'None (the provider of the settings), GoogleRecaptcha (v3) or CloudflareTurnstile; used when captcha is on in the settings',
    (text) => oneOf(text ?? 'None', captchaProviders),
  ),
  captchaSiteKey: setting(
    'VEXIL_CAPTCHA_SITE_KEY',
    null,
    'public key for the provider; required with a provider',
    (text, { captchaProvider }) => {
      if (text === null && captchaProvider !== 'None') throw 'must be given when VEXIL_CAPTCHA_PROVIDER is'
      return text
    },
  ),
  captchaSecret: setting(
    'VEXIL_CAPTCHA_SECRET',
    null,
    'secret key for the provider; when not set, tokens are not checked',
    (text) => text,
  ),
  captchaVerifyUrl: setting(
    'VEXIL_CAPTCHA_VERIFY_URL',
    null,
    'URL that checks tokens; when not set, `https://www.recaptcha.net/recaptcha/api/siteverify` or `https://challenges.cloudflare.com/turnstile/v0/siteverify`',
    (text) => (text === null ? null : httpUrl(text)),
  ),
  captchaThreshold: setting('VEXIL_CAPTCHA_THRESHOLD', '0.5', 'lowest GoogleRecaptcha score that passes, 0 to 1', (text) =>
    share(text ?? '0.5'),
  ),
  s3Bucket: setting('VEXIL_S3_BUCKET', null, 'S3 bucket for files instead of the data folder', (text) =>
    text === null ? null : bucketName(text),
  ),
  s3Endpoint: setting('VEXIL_S3_ENDPOINT', null, 'URL of an S3 server; when not set, Amazon S3', (text) =>
    text === null ? null : origin(text),
  ),
  s3Region: setting('VEXIL_S3_REGION', 'us-east-1', 'region of the bucket', (text) => regionName(text ?? 'us-east-1')),
  s3AccessKey: setting('VEXIL_S3_ACCESS_KEY', null, 'access key for the bucket', withBucket),
  s3SecretKey: setting('VEXIL_S3_SECRET_KEY', null, 'secret key for the bucket', withBucket),
  s3PathStyle: setting(
    'VEXIL_S3_PATH_STYLE',
    null,
    'puts the bucket in the path instead of the host name; default true with VEXIL_S3_ENDPOINT, otherwise false',
    (text, { s3Endpoint }) => (text === null ? s3Endpoint !== null : trueOrFalse(text)),
  ),
  filesDir: setting(
    'VEXIL_FILES_DIR',
    null,
    'folder of files instead of the data folder; several nodes may share it. Not with VEXIL_S3_BUCKET',
    withoutBucket,
  ),
  containerProvider: setting(
    'VEXIL_CONTAINER_PROVIDER',
    'None',
    'container engine for challenges: None, Docker or Kubernetes',
    (text) => {
      if (/swarm/i.test(text ?? '')) throw 'cannot be Swarm, which is not supported; use Docker or Kubernetes'
      return oneOf(text ?? 'None', engineKinds)
    },
  ),
  containerPorts: setting(
    'VEXIL_CONTAINER_PORTS',
    'Default',
    'how players reach them: Default (a port of the host or cluster) or PlatformProxy (through the platform)',
    (text) => oneOf(text ?? 'Default', ['Default', 'PlatformProxy']),
  ),
  containerEntry: setting(
    'VEXIL_CONTAINER_ENTRY',
    'host of PUBLIC_URL',
    'host name or address that players see before the port',
    (text, { publicUrl }) => (text === null ? new URL(publicUrl as string).hostname.replace(/^\[|\]$/g, '') : hostName(text)),
  ),
  containerCapture: setting(
    'VEXIL_CONTAINER_CAPTURE',
    'false',
    'allows capturing traffic of challenges; requires PlatformProxy',
    (text) => trueOrFalse(text ?? 'false'),
  ),
  captureDays: setting('VEXIL_CAPTURE_DAYS', '30', 'days after which captured traffic is deleted', (text) =>
    wholeNumber(text ?? '30', 1, 36_500),
  ),
  captureGb: setting('VEXIL_CAPTURE_GB', '10', 'GB of captured traffic to keep; the oldest is deleted first', (text) =>
    wholeNumber(text ?? '10', 1, 1_000_000),
  ),
  assetMb: setting(
    'VEXIL_ASSET_MB',
    '500',
    'MB of one file that an administrator uploads (a proxy must accept as much); an upload may take 10 minutes',
    (text) => wholeNumber(text ?? '500', 1, 100_000),
  ),
  containerDeny: setting(
    'VEXIL_CONTAINER_DENY',
    privateRanges.join(','),
    'CIDR ranges, separated by commas, that containers on Docker cannot reach',
    (text) => ranges(text ?? privateRanges.join(',')),
  ),
  containerWeb: setting(
    'VEXIL_CONTAINER_WEB',
    null,
    'with PlatformProxy: hosts such as *.instances.example.net where browsers open web pages of instances; must be another site than PUBLIC_URL',
    (text, { publicUrl }) => (text === null ? null : instanceHosts(text, new URL(publicUrl as string))),
  ),
  isolationProbe: setting(
    'VEXIL_ISOLATION_PROBE',
    'true',
    'tries at the start and every hour what containers reach; administrators can start it at any time',
    (text) => trueOrFalse(text ?? 'true'),
  ),
  probeImage: setting(
    'VEXIL_PROBE_IMAGE',
    null,
    'image of deploy/probe for the isolation probe; needed on Kubernetes. On Docker, when not set, the program that `npm start` builds',
    (text) => (text === null ? null : imageName(text)),
  ),
  containerTls: setting(
    'VEXIL_CONTAINER_TLS',
    null,
    'with PlatformProxy: host names such as *.tcp.example.net:8443 at which instances accept TLS connections; the port is the one that players use',
    (text) => (text === null ? null : tlsHosts(text)),
  ),
  containerTlsListen: setting(
    'VEXIL_CONTAINER_TLS_LISTEN',
    'HOST and the port of VEXIL_CONTAINER_TLS',
    'address and port to listen on for them, where another program passes them on',
    (text, { containerTls, host }) => {
      const { port = 0 } = (containerTls ?? {}) as { port?: number }
      return text === null ? { host: host as string, port } : hostAndPort(text)
    },
  ),
  containerTlsCert: setting(
    'VEXIL_CONTAINER_TLS_CERT',
    null,
    'path of the certificate for these names, with its chain (PEM); read again when it changes',
    withTls,
  ),
  containerTlsKey: setting('VEXIL_CONTAINER_TLS_KEY', null, 'path of its private key (PEM)', withTls),
  containerTlsProxyProtocol: setting(
    'VEXIL_CONTAINER_TLS_PROXY_PROTOCOL',
    'false',
    'the program in front, one of TRUSTED_PROXIES, sends the PROXY protocol (version 1), so that the addresses of players are known',
    (text) => trueOrFalse(text ?? 'false'),
  ),
  dockerHost: setting(
    'VEXIL_DOCKER_HOST',
    'unix:///var/run/docker.sock',
    'Docker engine: unix:///path or tcp://host:port',
    (text) => dockerAddress(text ?? 'unix:///var/run/docker.sock'),
  ),
  dockerCerts: setting(
    'VEXIL_DOCKER_CERTS',
    null,
    'folder with ca.pem, cert.pem and key.pem for an engine reached over TLS',
    (text) => (text === null ? null : resolve(text)),
  ),
  dockerSubnets: setting(
    'VEXIL_DOCKER_SUBNETS',
    '100.64.0.0/16',
    'unused range of IPv4 addresses; each container gets its own network of eight addresses',
    (text) => subnetPool(text ?? '100.64.0.0/16'),
  ),
  dockerBind: setting(
    'VEXIL_DOCKER_BIND',
    null,
    'with PlatformProxy and an engine on another host: private address of that host where ports are published for the platform only',
    (text) => (text === null ? null : ipAddress(text)),
  ),
  kubernetesConfig: setting(
    'VEXIL_KUBERNETES_CONFIG',
    null,
    'path of a kubeconfig; when not set, the service account of the pod that runs the platform',
    (text) => (text === null ? null : resolve(text)),
  ),
  kubernetesNamespace: setting(
    'VEXIL_KUBERNETES_NAMESPACE',
    'vexil-challenges',
    'namespace for pods of challenges; use it for nothing else',
    (text) => dnsLabel(text ?? 'vexil-challenges'),
  ),
  kubernetesDeny: setting(
    'VEXIL_KUBERNETES_DENY',
    '10.0.0.0/8',
    'CIDR ranges, separated by commas, that pods of challenges cannot reach: the addresses of pods, services and nodes. Cloud metadata addresses are always denied',
    (text) => deniedRanges(text ?? '10.0.0.0/8'),
  ),
  kubernetesPods: setting(
    'VEXIL_KUBERNETES_PODS',
    null,
    'CIDR ranges, separated by commas, of the cluster’s pods: when set, pods of challenges answer only the pod of the platform',
    (text) => (text === null ? [] : deniedRanges(text)),
  ),
  kubernetesDns: setting(
    'VEXIL_KUBERNETES_DNS',
    null,
    'addresses, separated by commas, of at most three name servers for pods of challenges; when not set, those of the node',
    (text) => (text === null ? [] : nameServers(text)),
  ),
  kubernetesRequests: setting(
    'VEXIL_KUBERNETES_REQUESTS',
    '0.1',
    'share of its limits that a pod of a challenge requests, 0 to 1; at least 0.01 core, 32 MB of memory and 16 MB of disk',
    (text) => share(text ?? '0.1'),
  ),
  registry: setting('VEXIL_REGISTRY', null, 'image registry for the next two settings, without https://', (text) =>
    text === null ? null : registryName(text),
  ),
  registryUser: setting('VEXIL_REGISTRY_USER', null, 'username on the registry', (text) => text),
  registryPassword: setting('VEXIL_REGISTRY_PASSWORD', null, 'password on the registry', (text) => text),
  proxyIdleMinutes: setting('VEXIL_PROXY_IDLE', '10', 'minutes after which an idle connection through the proxy ends', (text) =>
    wholeNumber(text ?? '10', 1, 10_080),
  ),
  proxyTotalMinutes: setting('VEXIL_PROXY_TOTAL', '240', 'minutes after which any connection through the proxy ends', (text) =>
    wholeNumber(text ?? '240', 1, 100_800),
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'warn',
    'lowest level that is printed: trace, debug, info, warn, error, fatal or silent',
    (text) => oneOf(text ?? 'warn', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
  ),
  metrics: setting(
    'VEXIL_METRICS',
    null,
    'address and port for Prometheus such as 127.0.0.1:9464, without login: keep it private; when not set, there are no metrics',
    (text) => (text === null ? null : hostAndPort(text)),
  ),
  logFormat: setting(
    'LOG_FORMAT',
    'text',
    'text, or json: one JSON object per line, also for the entries of the administrators’ log',
    (text) => oneOf(text ?? 'text', logFormats),
  ),
}

/** The validated settings; null for an absent variable without a default. */
export type Config = { readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['read']> }

/** Reads and validates the environment. An empty value counts as absent. Throws `ConfigError`. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const config: Record<string, unknown> = {}
  for (const [name, { variable, read }] of Object.entries<Setting<unknown>>(settings)) {
    try {
      config[name] = read(env[variable]?.trim() || null, config)
    } catch (wrong) {
      if (typeof wrong !== 'string') throw wrong
      throw new ConfigError(`${variable} ${wrong}.`)
    }
  }
  return config as Config
}

function setting<T>(variable: string, fallback: string | null, meaning: string, read: Setting<T>['read']): Setting<T> {
  return { variable, default: fallback, meaning, read }
}

function wholeNumber(text: string, least: number, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw `must be a whole number from ${least} to ${most}, not "${text}"`
}

function trueOrFalse(text: string): boolean {
  if (['true', '1', 'yes', 'on'].includes(text.toLowerCase())) return true
  if (['false', '0', 'no', 'off'].includes(text.toLowerCase())) return false
  throw `must be true or false, not "${text}"`
}

function oneOf<const T extends string>(text: string, words: readonly T[]): T {
  const found = words.find((word) => word.toLowerCase() === text.toLowerCase())
  if (found) return found
  throw `must be one of ${words.join(', ')}, not "${text}"`
}

/** The message must not contain the secret. */
function atLeast(length: number, text: string): string {
  if ([...text].length >= length) return text
  throw `must have at least ${length} characters`
}

function password(text: string): string {
  const { passwordMin, passwordMax } = accountLimits
  if (text.length <= passwordMax) return atLeast(passwordMin, text)
  throw `must have at most ${passwordMax} characters`
}

/** As RFC 6265 allows. Browsers refuse prefixes such as `__Host-` without HTTPS. */
function cookieToken(text: string): string {
  if (text === deviceCookie) throw `must not be ${deviceCookie}, which Vexil uses for another cookie`
  if (/^[!#$%&'*+.^`|~\w-]{1,64}$/.test(text) && !/^__(host|secure)-/i.test(text)) return text
  throw `must have 1 to 64 characters that are allowed in a cookie name, not "${text}"`
}

function emailAddress(text: string): string {
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return text
  throw `must be an email address, not "${text}"`
}

function hostName(text: string): string {
  if (/^[a-z0-9._:-]{1,253}$/i.test(text)) return text
  throw `must be a host name or address, without port, not "${text}"`
}

function imageName(text: string): string {
  if (parseImage(text)) return text
  throw `must be the name of an image, not "${text}"`
}

function httpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw `must be a URL such as https://example.org/siteverify, not "${text}"`
}

function share(text: string): number {
  const number = /^\d?\.?\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  if (number >= 0 && number <= 1) return number
  throw `must be a number from 0 to 1, not "${text}"`
}

function origin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash && !url.username)
    return url.origin
  throw `must be a URL such as https://ctf.example.org, without a path, not "${text}"`
}

function bucketName(text: string): string {
  if (/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text)) return text
  throw `must have 3 to 63 lowercase letters, digits, dots and hyphens, not "${text}"`
}

function regionName(text: string): string {
  if (/^[a-z0-9-]{1,64}$/.test(text)) return text
  throw `must be a region such as eu-central-1, not "${text}"`
}

/** The site of a host, in which pages can share cookies; a name without a site counts as one. */
const siteOf = (host: string) => getDomain(host, { allowPrivateDomains: true }) ?? host

/** Pages of challenges are hostile: on the platform's site they could set or read its cookies. */
function instanceHosts(text: string, publicUrl: URL): { readonly hostname: string; readonly origin: string } {
  const [, hostname, port = ''] = /^\*\.([a-z0-9-]+(?:\.[a-z0-9-]+)*)(:\d{1,5})?$/.exec(text.toLowerCase()) ?? []
  if (hostname === undefined || isIP(hostname) || Number(port.slice(1)) > 65_535)
    throw `must be a name such as *.instances.example.net, not "${text}"`
  const site = siteOf(publicUrl.hostname)
  if (siteOf(`x.${hostname}`) === site)
    throw `must be on another site than PUBLIC_URL, not on ${site}: challenge pages are not trusted`
  const ownPort = publicUrl.port === '' ? '' : `:${publicUrl.port}`
  return { hostname, origin: `${publicUrl.protocol}//*.${hostname}${port || ownPort}` }
}

function tlsHosts(text: string): { readonly suffix: string; readonly port: number } {
  const [, suffix, port] = /^\*\.([a-z0-9-]+(?:\.[a-z0-9-]+)*):(\d{1,5})$/.exec(text.toLowerCase()) ?? []
  if (suffix === undefined || isIP(suffix) || Number(port) < 1 || Number(port) > 65_535)
    throw `must be a name with a port such as *.tcp.example.net:8443, not "${text}"`
  return { suffix, port: Number(port) }
}

function hostAndPort(text: string): { readonly host: string; readonly port: number } {
  const [, host = '', port] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  const address = host.replace(/^\[(.*)\]$/, '$1')
  if (!isIP(address) || Number(port) < 1 || Number(port) > 65_535)
    throw `must be an address and a port such as 127.0.0.1:8443, not "${text}"`
  return { host: address, port: Number(port) }
}

function withTls(text: string | null, { containerTls }: Record<string, unknown>): string | null {
  if (text === null && containerTls !== null) throw 'must be set when VEXIL_CONTAINER_TLS is'
  return text === null ? null : resolve(text)
}

function withBucket(text: string | null, { s3Bucket }: Record<string, unknown>): string | null {
  if (text === null && s3Bucket !== null) throw 'must be set when VEXIL_S3_BUCKET is'
  return text
}

function withoutBucket(text: string | null, { s3Bucket }: Record<string, unknown>): string | null {
  if (text !== null && s3Bucket !== null) throw 'cannot be set when VEXIL_S3_BUCKET is'
  return text === null ? null : resolve(text)
}

function postgresUrl(text: string): string {
  if (URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol)) return text
  throw 'must have the form postgres://user:password@host:5432/database'
}

function proxies(text: string): readonly string[] {
  if (text.toLowerCase() === 'none') return []
  const list = text.split(',').map((part) => part.trim())
  const wrong = list.find((part) => !isProxy(part))
  if (wrong === undefined) return list
  throw `must be addresses or CIDR ranges separated by commas; "${wrong}" is neither`
}

function isProxy(text: string): boolean {
  if (text === 'loopback') return true
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (!family || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

function ranges(text: string): readonly string[] {
  const list = text.split(',').map((part) => part.trim())
  const wrong = list.find((part) => !part.includes('/') || !isProxy(part))
  if (wrong === undefined) return list
  throw `must be CIDR ranges separated by commas; "${wrong}" is not one`
}

/** Refuses a range of all addresses: Kubernetes requires an exception of a network policy to be smaller than its range. */
function deniedRanges(text: string): readonly string[] {
  const list = ranges(text)
  const wrong = list.find((part) => Number(part.split('/')[1]) === 0)
  if (wrong === undefined) return list
  throw `must not cover all addresses; "${wrong}" does`
}

function nameServers(text: string): readonly string[] {
  const list = text.split(',').map((part) => part.trim())
  if (list.length <= 3 && list.every((part) => isIP(part))) return list
  throw `must be at most three addresses separated by commas, not "${text}"`
}

function dnsLabel(text: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) return text
  throw `must have 1 to 63 lowercase letters, digits and hyphens, not "${text}"`
}

/** Each container uses eight addresses: the smallest useful pool is a /29; a pool above /8 is a mistake. */
function subnetPool(text: string): string {
  const [address = '', bits = ''] = text.split('/')
  if (isIP(address) === 4 && /^\d{1,2}$/.test(bits) && Number(bits) >= 8 && Number(bits) <= 29) return text
  throw `must be a range of IPv4 addresses from /8 to /29 such as 100.64.0.0/16, not "${text}"`
}

function ipAddress(text: string): string {
  if (isIP(text)) return text
  throw `must be an address such as 10.1.2.3, not "${text}"`
}

function dockerAddress(text: string): string {
  if (/^unix:\/\/\/./.test(text)) return text
  if (URL.canParse(text) && /^tcp:$/.test(new URL(text).protocol) && new URL(text).port !== '') return text
  throw `must be unix:///path or tcp://host:port, not "${text}"`
}

function registryName(text: string): string {
  if (/^[a-z0-9.-]+(:\d{1,5})?(\/[a-z0-9._/-]+)?$/i.test(text)) return text
  throw `must be a name such as registry.example.org:5000, without https://, not "${text}"`
}
