/** The only file that constructs adapters. */
import { realpathSync } from 'node:fs'
import type { CaptchaProvider } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import type pg from 'pg'
import type { LogEntry } from './audit.ts'
import type { Config } from './config.ts'
import { type Database, openReader } from './db/database.ts'
import { markInUse } from './db/in-use.ts'
import { openJobs } from './db/jobs.ts'
import type { Db } from './db/transaction.ts'
import { type Versions, watchVersions } from './db/versions.ts'
import type { Deps, Settings } from './deps.ts'
import { readNodeId } from './node-id.ts'
import type { Bus } from './ports/bus/bus.ts'
import { openInProcessBus } from './ports/bus/in-process.ts'
import { openPostgresBus } from './ports/bus/postgres.ts'
import type { Captcha } from './ports/captcha/captcha.ts'
import { noCaptcha } from './ports/captcha/none.ts'
import { openRecaptcha, recaptchaVerifyUrl } from './ports/captcha/recaptcha.ts'
import { openTurnstile, turnstileVerifyUrl } from './ports/captcha/turnstile.ts'
import { openDocker } from './ports/engine/docker/docker.ts'
import type { Engine } from './ports/engine/engine.ts'
import { openEngineWatch } from './ports/engine/engine-watch.ts'
import { noEngine } from './ports/engine/none.ts'
import { type Mailer, noMailer } from './ports/mail/mail.ts'
import { openMailLog } from './ports/mail/mail-log.ts'
import { openSmtp } from './ports/mail/smtp.ts'
import { openLocalStorage, openSharedStorage } from './ports/storage/local.ts'
import { openNamedFolder } from './ports/storage/named-folder.ts'
import { openS3Storage, type S3Place } from './ports/storage/s3.ts'
import { openSecrets, type Secrets } from './secrets.ts'
import { openLog } from './site/log.ts'
import { serviceKeys } from './site/services.ts'
import { openSettings } from './site/settings.ts'

interface StartOutput {
  readonly onError: (error: unknown) => void
  readonly printLine: (line: string) => void
  /** Called with each entry of the administrators' log. */
  readonly printEntry?: (entry: LogEntry) => void
}

/** `given` replaces the configured engine in tests. */
export async function openDeps(
  config: Config,
  database: Database,
  { onError, printLine, printEntry }: StartOutput,
  given?: Engine,
): Promise<Deps> {
  const { db } = database
  const secrets = await openSecrets(config, db)
  const stopped = (ms: number) => log.write({ level: 'Warning', status: 'Failed', name: 'System', message: stoppedFor(ms) })
  const versions = await openVersions(database, onError, stopped)
  const transport =
    config.databaseUrl === null && config.processes === 1
      ? openInProcessBus(onError)
      : await openPostgresBus({
          connect: () => busConnection(database),
          onError,
        })
  const bus: Bus = {
    ...transport,
    publish(name, event) {
      // Invalidates before the change is answered; listeners are notified later.
      if (name === 'security.changed') versions.invalidate()
      transport.publish(name, event)
    },
  }
  const log = openLog(db, bus, { onError, print: printEntry })
  const settings = await openSettings(db, versions)
  const storage = await openStorage(config)
  const captures = await openCaptures(config)
  const services = { config, settings, secrets, onError }
  const captcha = openCaptcha(services, (message) => log.write({ level: 'Warning', status: 'Failed', name: 'System', message }))
  const mailer = openMailer(services, printLine)
  const jobs = openJobs(database, onError)
  const engine = given ?? (await openEngine(config, db, onError))
  const node = readNodeId(config.dataDir)
  return {
    config,
    node,
    database,
    db,
    bus,
    versions,
    storage,
    captures,
    captcha,
    mailer,
    engine,
    jobs,
    log,
    settings,
    secrets,
    onError,
  }
}

/** Milliseconds for a statement that all requests or the other nodes wait for. */
const shortMs = 5_000

/** Over a separate connection: a poll that waited behind requests would refuse all of them, and make a busy node not ready. */
async function openVersions(
  { source }: Database,
  onError: StartOutput['onError'],
  stopped: (ms: number) => void,
): Promise<Versions> {
  const reader = openReader(source, { size: 1, name: 'vexil versions', statementMs: shortMs })
  const versions = await watchVersions(reader.db, onError, stopped)
  return {
    ...versions,
    async close() {
      await versions.close()
      await reader.close()
    },
  }
}

const stoppedFor = (ms: number): string =>
  `A process of this node did not run for ${Math.round(ms / 1000)} s. It reads what changed in the meantime before it answers`

/** An external database is marked as used while the connection is open. */
async function busConnection(database: Database): Promise<pg.Client> {
  const client = await database.reservedClient({ name: 'vexil bus', statementMs: shortMs })
  try {
    await markInUse(client)
    return client
  } catch (error) {
    await client.end()
    throw error
  }
}

async function openEngine(config: Config, db: Db, onError: StartOutput['onError']): Promise<Engine> {
  if (config.containerProvider === 'None') return noEngine
  const engineWatch = openEngineWatch()
  const { registry: name, registryUser: user, registryPassword: password } = config
  const both = {
    installation: await engineLabel(db),
    published: config.containerPorts === 'Default',
    registry: name !== null && user !== null && password !== null ? { name, user, password } : null,
    onError,
    check: engineWatch.check,
  }
  if (config.containerProvider === 'Docker') {
    const docker = await openDocker({
      ...both,
      host: config.dockerHost,
      certs: config.dockerCerts,
      subnets: config.dockerSubnets,
      bind: config.dockerBind,
      deny: config.containerDeny,
    })
    return engineWatch.watch(docker)
  }
  const { openKubernetes } = await import('./ports/engine/kubernetes/kubernetes.ts')
  const cluster = await openKubernetes({
    ...both,
    config: config.kubernetesConfig,
    namespace: config.kubernetesNamespace,
    deny: config.kubernetesDeny,
    pods: config.kubernetesPods,
    dns: config.kubernetesDns,
    requests: config.kubernetesRequests,
  })
  return engineWatch.watch(cluster)
}

/** Labels the containers of this installation; the same on all its nodes. */
async function engineLabel(db: Db): Promise<string> {
  await sql`update installation set engine_label = gen_random_uuid() where engine_label is null`.execute(db)
  const { rows } = await sql<{ engineLabel: string }>`select engine_label from installation`.execute(db)
  return (rows[0] as { engineLabel: string }).engineLabel
}

/** The adapter for the current value of `read`. A changed value replaces it; the old one is closed. */
function following<Value, Adapter>(
  settings: Settings,
  { read, open, close }: { read: () => Value; open: (value: Value) => Adapter; close: (old: Adapter) => void },
): () => Adapter {
  let value = read()
  let adapter = open(value)
  settings.onChange(() => {
    const next = read()
    if (JSON.stringify(next) === JSON.stringify(value)) return
    const old = adapter
    value = next
    adapter = open(next)
    close(old)
  })
  return () => adapter
}

interface ServiceDeps {
  readonly config: Config
  readonly settings: Settings
  readonly secrets: Secrets
  readonly onError: StartOutput['onError']
}

/** Null, and an error, when a stored secret was sealed with another SECRET_KEY. */
function unsealed({ secrets, onError }: ServiceDeps, name: string, sealed: string): string | null {
  const text = secrets.unseal(name, sealed)
  if (text === null) onError(new Error(`The secret stored as ${name} cannot be decrypted: enter it again in the settings`))
  return text
}

/** The mail server of the environment, otherwise of the settings. Changed settings apply to the next mail. */
function openMailer(deps: ServiceDeps, printLine: StartOutput['printLine']): Mailer {
  const { mailHost, mailPort, mailUser, mailPassword, mailSender, mailSenderName, mailIgnoreCertificate } = deps.config
  if (mailHost === 'log') return openMailLog(mailSenderName, printLine)
  if (mailHost !== null && mailSender !== null) {
    return openSmtp({
      host: mailHost,
      port: mailPort,
      user: mailUser,
      password: mailPassword,
      sender: mailSender,
      senderName: mailSenderName,
      ignoreCertificate: mailIgnoreCertificate,
    })
  }
  const current = following(deps.settings, {
    read: () => deps.settings.services().mail,
    open: (mail) => {
      if (!mail) return noMailer
      const password = mail.password === null ? null : unsealed(deps, serviceKeys.mail, mail.password)
      return openSmtp({ ...mail, user: mail.user || null, password, senderName: mail.senderName || null })
    },
    close: (old) => old.close(),
  })
  return {
    get configured() {
      return current().configured
    },
    get senderName() {
      return current().senderName
    },
    send: (mail) => current().send(mail),
    check: () => current().check(),
    close: () => current().close(),
  }
}

/** The captcha of the environment, otherwise of the settings. Changed settings apply to the next request. */
function openCaptcha(deps: ServiceDeps, warn: (message: string) => void): Captcha {
  const { captchaProvider, captchaSiteKey, captchaSecret, captchaVerifyUrl, captchaThreshold, publicUrl } = deps.config
  const both = { hostname: new URL(publicUrl).hostname, warn }
  const open = (provider: CaptchaProvider, threshold: number, keys: { siteKey: string; secret: string | null }): Captcha =>
    provider === 'GoogleRecaptcha'
      ? openRecaptcha({ ...both, ...keys, threshold, verifyUrl: captchaVerifyUrl ?? recaptchaVerifyUrl })
      : openTurnstile({ ...both, ...keys, verifyUrl: captchaVerifyUrl ?? turnstileVerifyUrl })
  if (captchaProvider !== 'None' && captchaSiteKey !== null)
    return open(captchaProvider, captchaThreshold, { siteKey: captchaSiteKey, secret: captchaSecret })
  const current = following(deps.settings, {
    read: () => deps.settings.services().captcha,
    open: (captcha) => {
      if (!captcha) return noCaptcha
      const { provider, siteKey, threshold } = captcha
      // An empty secret key is refused by the provider; null would let every check pass.
      return open(provider, threshold, { siteKey, secret: unsealed(deps, serviceKeys.captcha, captcha.secret) ?? '' })
    },
    close: () => undefined,
  })
  return {
    get provider() {
      return current().provider
    },
    get siteKey() {
      return current().siteKey
    },
    get origins() {
      return current().origins
    },
    verify: (token, ip, action) => current().verify(token, ip, action),
    acceptsSecret: () => current().acceptsSecret(),
  }
}

/** The configured storage. @throws StartError when a folder or bucket cannot be used */
export function openStorage(config: Config) {
  const { filesDir, dataDir } = config
  if (filesDir !== null) return openSharedStorage(filesDir)
  const bucket = bucketOf(config)
  return bucket ? openS3Storage(bucket, dataDir) : openLocalStorage(dataDir)
}

function bucketOf(config: Config): S3Place | null {
  const { s3Bucket: bucket, s3Endpoint, s3Region, s3AccessKey, s3SecretKey, s3PathStyle } = config
  if (bucket === null || s3AccessKey === null || s3SecretKey === null) return null
  const keys = { accessKey: s3AccessKey, secretKey: s3SecretKey }
  return { bucket, endpoint: s3Endpoint, region: s3Region, pathStyle: s3PathStyle, ...keys }
}

/** After `openStorage`, which creates the shared folder and reaches the bucket. */
async function openCaptures(config: Config): Promise<Deps['captures']> {
  const { filesDir, dataDir } = config
  const own = openNamedFolder(dataDir)
  const bucket = bucketOf(config)
  if (bucket) return [own, await (await import('./ports/storage/named-bucket.ts')).openNamedBucket(bucket)]
  if (filesDir === null || realpathSync(filesDir) === realpathSync(dataDir)) return [own]
  return [own, openNamedFolder(filesDir)]
}

/** What `openDeps` has opened, in the order in which it is closed. */
export const openedDeps = ({ log, bus, versions, jobs, mailer, engine }: Deps) =>
  [jobs, engine, mailer, log, bus, versions] as const
