/** The only reader of the environment. Everything is checked at start; a bad value is named in one sentence. */
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { captchaProviders } from '@vexil/core/vocabulary'
import { getDomain } from 'tldts'
import { dataDirOf } from './data-dir.ts'
import { deviceCookie } from './http/known-device.ts'
import { cookieName } from './http/session-cookie.ts'
import { engineKinds } from './ports/engine/engine.ts'
import { StartError } from './start-error.ts'

/** A variable of the environment has a value that cannot be used. */
export class ConfigError extends StartError {
  override readonly name: string = 'ConfigError'
}

/** Where neighbours, clouds' metadata and the platform itself live. */
const privateRanges = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16']

/** One variable: how it is read, and what the operator's manual says of it. */
interface Setting<T> {
  readonly variable: string
  /** The default as the manual prints it; null where there is none. */
  readonly default: string | null
  readonly meaning: string
  /** Takes the text (null when absent) and what was read before it. Throws a string: what is wrong with the value. */
  readonly read: (text: string | null, earlier: Record<string, unknown>) => T
}

/** All variables, in the order of the manual. */
export const settings = {
  port: setting('PORT', '8080', 'the port where it listens', (text) => wholeNumber(text ?? '8080', 1, 65535)),
  host: setting('HOST', '127.0.0.1', 'the address where it listens; 0.0.0.0 or :: for all', (text) => text ?? '127.0.0.1'),
  publicUrl: setting(
    'PUBLIC_URL',
    'http://localhost:{PORT}',
    'where people reach it: links in mails, allowed origin',
    (text, { port }) => (text === null ? `http://localhost:${port}` : origin(text)),
  ),
  dataDir: setting('DATA_DIR', './data', 'embedded database, files, captures, logs; made with mode 0700', dataDirOf),
  databaseUrl: setting(
    'DATABASE_URL',
    null,
    'an outside PostgreSQL 15 or later (postgres://…) instead of the embedded one',
    (text) => (text === null ? null : postgresUrl(text)),
  ),
  processes: setting(
    'VEXIL_PROCESSES',
    '1',
    'processes of this node that answer requests; the first keeps data folder, embedded database and limits',
    (text) => wholeNumber(text ?? '1', 1, 16),
  ),
  databasePool: setting('VEXIL_DATABASE_POOL', '20', 'connections to the database for requests, of each process', (text) =>
    wholeNumber(text ?? '20', 2, 1000),
  ),
  adminPassword: setting('ADMIN_PASSWORD', null, 'at the first start makes the account Admin with this password', (text) =>
    text === null ? null : atLeast(6, text),
  ),
  adminEmail: setting('ADMIN_EMAIL', null, 'the e-mail address of that account', (text) =>
    text === null ? null : emailAddress(text),
  ),
  disableRateLimit: setting('DISABLE_RATE_LIMIT', 'false', 'no rate limits: for load tests on a machine of one’s own', (text) =>
    yesOrNo(text ?? 'false'),
  ),
  hallNetworks: setting(
    'VEXIL_HALL_NETWORKS',
    null,
    'CIDR ranges, by commas, of halls and schools where many people share an address: wrong passwords there count for account and address only',
    (text) => (text === null ? [] : ranges(text)),
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    'loopback',
    'addresses and CIDR ranges, by commas, whose X-Forwarded-For and -Proto are believed; none for nobody',
    (text) => proxies(text ?? 'loopback'),
  ),
  sessionCookie: setting(
    'VEXIL_SESSION_COOKIE',
    cookieName,
    'the name of the session cookie; scripts made for GZ::CTF look for `GZCTF_Token`',
    (text) => cookieToken(text ?? cookieName),
  ),
  secretKey: setting(
    'SECRET_KEY',
    null,
    'protects the keys of games; made at the first start and kept in DATA_DIR when absent. Several nodes need the same',
    (text) => (text === null ? null : atLeast(16, text)),
  ),
  logDays: setting('VEXIL_LOG_DAYS', '90', 'days after which entries of the log are forgotten', (text) =>
    wholeNumber(text ?? '90', 1, 36_500),
  ),
  drainSeconds: setting(
    'VEXIL_DRAIN_SECONDS',
    '1',
    'seconds that a node still serves after SIGTERM, while /healthz/ready says 503; longer than a load balancer takes to notice',
    (text) => wholeNumber(text ?? '1', 0, 300),
  ),
  mailHost: setting(
    'VEXIL_MAIL_HOST',
    null,
    'the mail server (SMTP); without it no mail is sent, and `log` prints mails instead',
    (text) => (text === null ? null : hostName(text)),
  ),
  mailPort: setting(
    'VEXIL_MAIL_PORT',
    '587',
    'its port; 465 means TLS from the beginning, all others STARTTLS as offered',
    (text) => wholeNumber(text ?? '587', 1, 65535),
  ),
  mailUser: setting('VEXIL_MAIL_USER', null, 'the user name there; none signs in nowhere', (text) => text),
  mailPassword: setting('VEXIL_MAIL_PASSWORD', null, 'the password there', (text) => text),
  mailSender: setting(
    'VEXIL_MAIL_SENDER',
    null,
    'the address that mails come from; needed with a mail server',
    (text, { mailHost }) => {
      if (text === null && mailHost !== null) throw 'must be given when VEXIL_MAIL_HOST is'
      return text === null ? null : emailAddress(text)
    },
  ),
  mailSenderName: setting(
    'VEXIL_MAIL_SENDER_NAME',
    null,
    'the name that they come from; the platform’s when absent',
    (text) => text,
  ),
  mailIgnoreCertificate: setting(
    'VEXIL_MAIL_IGNORE_CERTIFICATE',
    'false',
    'takes any certificate of the mail server, as in a closed network',
    (text) => yesOrNo(text ?? 'false'),
  ),
  captchaProvider: setting(
    'VEXIL_CAPTCHA_PROVIDER',
    'None',
    'None, GoogleRecaptcha (v3) or CloudflareTurnstile; asked for while the account policy says so',
    (text) => oneOf(text ?? 'None', captchaProviders),
  ),
  captchaSiteKey: setting(
    'VEXIL_CAPTCHA_SITE_KEY',
    null,
    'the key that browsers show the provider; needed with one',
    (text, { captchaProvider }) => {
      if (text === null && captchaProvider !== 'None') throw 'must be given when VEXIL_CAPTCHA_PROVIDER is'
      return text
    },
  ),
  captchaSecret: setting(
    'VEXIL_CAPTCHA_SECRET',
    null,
    'the key that the server shows the provider; without it everybody passes',
    (text) => text,
  ),
  captchaVerifyUrl: setting(
    'VEXIL_CAPTCHA_VERIFY_URL',
    null,
    'where tokens are checked; `https://www.recaptcha.net/recaptcha/api/siteverify` or `https://challenges.cloudflare.com/turnstile/v0/siteverify` when absent',
    (text) => (text === null ? null : httpUrl(text)),
  ),
  captchaThreshold: setting('VEXIL_CAPTCHA_THRESHOLD', '0.5', 'the lowest score of GoogleRecaptcha that passes, 0 to 1', (text) =>
    share(text ?? '0.5'),
  ),
  s3Bucket: setting('VEXIL_S3_BUCKET', null, 'files lie in this bucket of S3 instead of the data folder', (text) =>
    text === null ? null : bucketName(text),
  ),
  s3Endpoint: setting('VEXIL_S3_ENDPOINT', null, 'address of a server that speaks S3; Amazon’s own when absent', (text) =>
    text === null ? null : origin(text),
  ),
  s3Region: setting('VEXIL_S3_REGION', 'us-east-1', 'region of the bucket', (text) => regionName(text ?? 'us-east-1')),
  s3AccessKey: setting('VEXIL_S3_ACCESS_KEY', null, 'access key for the bucket', withBucket),
  s3SecretKey: setting('VEXIL_S3_SECRET_KEY', null, 'secret key for the bucket', withBucket),
  s3PathStyle: setting(
    'VEXIL_S3_PATH_STYLE',
    null,
    'the bucket stands in the path and not in the name of the host; true with VEXIL_S3_ENDPOINT, otherwise false',
    (text, { s3Endpoint }) => (text === null ? s3Endpoint !== null : yesOrNo(text)),
  ),
  containerProvider: setting(
    'VEXIL_CONTAINER_PROVIDER',
    'None',
    'where containers of challenges run: None, Docker or Kubernetes',
    (text) => {
      if (/swarm/i.test(text ?? '')) throw 'cannot be Swarm, which is not supported; take Docker or Kubernetes'
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
    'the name or address that players see before the port',
    (text, { publicUrl }) => (text === null ? new URL(publicUrl as string).hostname : hostName(text)),
  ),
  containerCapture: setting(
    'VEXIL_CONTAINER_CAPTURE',
    'false',
    'traffic of challenges may be captured; needs PlatformProxy',
    (text) => yesOrNo(text ?? 'false'),
  ),
  captureDays: setting('VEXIL_CAPTURE_DAYS', '30', 'days after which captured traffic is deleted', (text) =>
    wholeNumber(text ?? '30', 1, 36_500),
  ),
  captureGb: setting('VEXIL_CAPTURE_GB', '10', 'GB of captured traffic that are kept; the oldest goes first', (text) =>
    wholeNumber(text ?? '10', 1, 1_000_000),
  ),
  containerDeny: setting(
    'VEXIL_CONTAINER_DENY',
    privateRanges.join(','),
    'CIDR ranges, by commas, that containers on Docker may not reach',
    (text) => ranges(text ?? privateRanges.join(',')),
  ),
  containerWeb: setting(
    'VEXIL_CONTAINER_WEB',
    null,
    'with PlatformProxy: hosts such as *.instances.example.net where browsers open web pages of instances; another site than PUBLIC_URL',
    (text, { publicUrl }) => (text === null ? null : instanceHosts(text, new URL(publicUrl as string))),
  ),
  dockerHost: setting(
    'VEXIL_DOCKER_HOST',
    'unix:///var/run/docker.sock',
    'the Docker engine: unix:///path or tcp://host:port',
    (text) => dockerAddress(text ?? 'unix:///var/run/docker.sock'),
  ),
  dockerCerts: setting(
    'VEXIL_DOCKER_CERTS',
    null,
    'a folder with ca.pem, cert.pem and key.pem for an engine that is reached by TLS',
    (text) => (text === null ? null : resolve(text)),
  ),
  dockerSubnets: setting(
    'VEXIL_DOCKER_SUBNETS',
    '100.64.0.0/16',
    'a range of IPv4 addresses that nothing else uses; each container gets eight of them, a network of its own',
    (text) => subnetPool(text ?? '100.64.0.0/16'),
  ),
  dockerBind: setting(
    'VEXIL_DOCKER_BIND',
    null,
    'with PlatformProxy and an engine on another host: its private address where ports are published for the platform alone',
    (text) => (text === null ? null : ipAddress(text)),
  ),
  kubernetesConfig: setting(
    'VEXIL_KUBERNETES_CONFIG',
    null,
    'the path of a kubeconfig; without it the service account of the pod in which the platform runs',
    (text) => (text === null ? null : resolve(text)),
  ),
  kubernetesNamespace: setting(
    'VEXIL_KUBERNETES_NAMESPACE',
    'vexil-challenges',
    'the namespace of challenges’ pods, which is for nothing else',
    (text) => dnsLabel(text ?? 'vexil-challenges'),
  ),
  kubernetesDeny: setting(
    'VEXIL_KUBERNETES_DENY',
    '10.0.0.0/8',
    'CIDR ranges, by commas, that pods of challenges may not reach: where pods, services and nodes have their addresses. The addresses of clouds’ metadata are denied besides',
    (text) => deniedRanges(text ?? '10.0.0.0/8'),
  ),
  kubernetesPods: setting(
    'VEXIL_KUBERNETES_PODS',
    null,
    'CIDR ranges, by commas, of the cluster’s pods: with them pods of challenges answer no other pod but the platform’s',
    (text) => (text === null ? [] : deniedRanges(text)),
  ),
  kubernetesDns: setting(
    'VEXIL_KUBERNETES_DNS',
    null,
    'addresses, by commas, of at most three name servers for pods of challenges; without them those of the node',
    (text) => (text === null ? [] : nameServers(text)),
  ),
  registry: setting('VEXIL_REGISTRY', null, 'the image registry that the next two are for, without https://', (text) =>
    text === null ? null : registryName(text),
  ),
  registryUser: setting('VEXIL_REGISTRY_USER', null, 'the user name there', (text) => text),
  registryPassword: setting('VEXIL_REGISTRY_PASSWORD', null, 'the password there', (text) => text),
  proxyIdleMinutes: setting('VEXIL_PROXY_IDLE', '10', 'minutes after which a silent connection through the proxy ends', (text) =>
    wholeNumber(text ?? '10', 1, 10_080),
  ),
  proxyTotalMinutes: setting('VEXIL_PROXY_TOTAL', '240', 'minutes after which any connection through the proxy ends', (text) =>
    wholeNumber(text ?? '240', 1, 100_800),
  ),
  logLevel: setting('LOG_LEVEL', 'warn', 'what is printed: trace, debug, info, warn, error, fatal or silent', (text) =>
    oneOf(text ?? 'warn', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
  ),
}

/** The checked settings. Where a variable is absent and has no default, the value is null. */
export type Config = { readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['read']> }

/** Reads and checks the environment. An empty value counts as absent. Throws `ConfigError`. */
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

function yesOrNo(text: string): boolean {
  if (['true', '1', 'yes', 'on'].includes(text.toLowerCase())) return true
  if (['false', '0', 'no', 'off'].includes(text.toLowerCase())) return false
  throw `must be true or false, not "${text}"`
}

function oneOf<const T extends string>(text: string, words: readonly T[]): T {
  const found = words.find((word) => word.toLowerCase() === text.toLowerCase())
  if (found) return found
  throw `must be one of ${words.join(', ')}, not "${text}"`
}

/** Secrets are never repeated in a message. */
function atLeast(length: number, text: string): string {
  if ([...text].length >= length) return text
  throw `must have at least ${length} characters`
}

/** As RFC 6265 allows. Prefixes such as `__Host-` would be refused by browsers wherever the site is not HTTPS. */
function cookieToken(text: string): string {
  if (text === deviceCookie) throw `must not be ${deviceCookie}, which is another cookie of ours`
  if (/^[!#$%&'*+.^`|~\w-]{1,64}$/.test(text) && !/^__(host|secure)-/i.test(text)) return text
  throw `must have 1 to 64 letters, digits and signs that a cookie's name may hold, not "${text}"`
}

function emailAddress(text: string): string {
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return text
  throw `must be an e-mail address, not "${text}"`
}

function hostName(text: string): string {
  if (/^[a-z0-9._:-]{1,253}$/i.test(text)) return text
  throw `must be the name or address of a mail server, without port, not "${text}"`
}

function httpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw `must be an address such as https://example.org/siteverify, not "${text}"`
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
  throw `must be an address such as https://ctf.example.org, without a path, not "${text}"`
}

function bucketName(text: string): string {
  if (/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text)) return text
  throw `must have 3 to 63 small letters, digits, dots and hyphens, not "${text}"`
}

function regionName(text: string): string {
  if (/^[a-z0-9-]{1,64}$/.test(text)) return text
  throw `must be a region such as eu-central-1, not "${text}"`
}

/** The site of a host, within which pages may see each other's cookies; a name without a site counts as one. */
const siteOf = (host: string) => getDomain(host, { allowPrivateDomains: true }) ?? host

/** Pages of challenges are hostile: on the platform's own site they could plant cookies there, or read what is meant for it. */
function instanceHosts(text: string, publicUrl: URL): { readonly hostname: string; readonly origin: string } {
  const [, hostname, port = ''] = /^\*\.([a-z0-9-]+(?:\.[a-z0-9-]+)*)(:\d{1,5})?$/.exec(text.toLowerCase()) ?? []
  if (hostname === undefined || isIP(hostname) || Number(port.slice(1)) > 65_535)
    throw `must be a name such as *.instances.example.net, not "${text}"`
  const site = siteOf(publicUrl.hostname)
  if (siteOf(`x.${hostname}`) === site)
    throw `must be on another site than PUBLIC_URL, not on ${site}: pages of challenges are hostile`
  const ownPort = publicUrl.port === '' ? '' : `:${publicUrl.port}`
  return { hostname, origin: `${publicUrl.protocol}//*.${hostname}${port || ownPort}` }
}

/** A bucket without its keys is of no use. */
function withBucket(text: string | null, { s3Bucket }: Record<string, unknown>): string | null {
  if (text === null && s3Bucket !== null) throw 'must be set when VEXIL_S3_BUCKET is'
  return text
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
  throw `must be CIDR ranges separated by commas; "${wrong}" is none`
}

/** A range that holds every address could be no exception of a network policy, which Kubernetes wants to be smaller than what it is taken from. */
function deniedRanges(text: string): readonly string[] {
  const list = ranges(text)
  const wrong = list.find((part) => Number(part.split('/')[1]) === 0)
  if (wrong === undefined) return list
  throw `must leave something to reach; "${wrong}" is everything`
}

function nameServers(text: string): readonly string[] {
  const list = text.split(',').map((part) => part.trim())
  if (list.length <= 3 && list.every((part) => isIP(part))) return list
  throw `must be at most three addresses separated by commas, not "${text}"`
}

function dnsLabel(text: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) return text
  throw `must have 1 to 63 small letters, digits and hyphens, not "${text}"`
}

/** Eight addresses a container: at most a /29 is of use, and more than a /8 is a slip. */
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
