/** The only file that constructs adapters. */
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { openJobs } from './db/jobs.ts'
import { watchVersions } from './db/versions.ts'
import type { Deps } from './deps.ts'
import { openInProcessBus } from './ports/bus/in-process.ts'
import { openPostgresBus } from './ports/bus/postgres.ts'
import type { Captcha } from './ports/captcha/captcha.ts'
import { noCaptcha } from './ports/captcha/none.ts'
import { openRecaptcha, recaptchaVerifyUrl } from './ports/captcha/recaptcha.ts'
import { openTurnstile, turnstileVerifyUrl } from './ports/captcha/turnstile.ts'
import type { Engine } from './ports/engine/engine.ts'
import { noEngine } from './ports/engine/none.ts'
import { openMailLog } from './ports/mail/log.ts'
import { type Mailer, noMailer } from './ports/mail/mail.ts'
import { openSmtp } from './ports/mail/smtp.ts'
import { openLocalStorage } from './ports/storage/local.ts'
import { openS3Storage } from './ports/storage/s3.ts'
import { openSecrets } from './secrets.ts'
import { openLog } from './site/log.ts'
import { openSettings } from './site/settings.ts'

interface Voices {
  /** Reports a fault of background work. */
  readonly report: (error: unknown) => void
  /** Prints a line on the terminal from which the platform was started. */
  readonly note: (line: string) => void
}

/** `engine` takes the place of the configured one, in tests. */
export async function openDeps(
  config: Config,
  database: Database,
  { report, note }: Voices,
  engine: Engine = noEngine,
): Promise<Deps> {
  const { db } = database
  const secrets = await openSecrets(config, db)
  const versions = await watchVersions(db, report)
  const bus =
    config.databaseUrl === null
      ? openInProcessBus(report)
      : await openPostgresBus({
          connect: () => database.reservedClient({ name: 'vexil bus' }),
          report,
          missed: () => void versions.poll().catch(report),
        })
  const log = openLog(db, bus, report)
  const settings = await openSettings(db, versions, report)
  const storage = await openStorage(config)
  const captcha = openCaptcha(config, (message) => log.write({ level: 'Warning', status: 'Failed', name: 'System', message }))
  const mailer = openMailer(config, note)
  const jobs = openJobs(database, report)
  return { config, database, db, bus, versions, storage, captcha, mailer, engine, jobs, log, settings, secrets, report }
}

function openMailer({ mailHost, mailPort, mailUser, mailPassword, mailSender, ...more }: Config, note: Voices['note']): Mailer {
  if (mailHost === null || mailSender === null) return noMailer
  if (mailHost === 'log') return openMailLog(note)
  return openSmtp({
    host: mailHost,
    port: mailPort,
    user: mailUser,
    password: mailPassword,
    sender: mailSender,
    ignoreCertificate: more.mailIgnoreCertificate,
  })
}

function openCaptcha(config: Config, warn: (message: string) => void): Captcha {
  const {
    captchaProvider,
    captchaSiteKey: siteKey,
    captchaSecret: secret,
    captchaVerifyUrl,
    captchaThreshold: threshold,
  } = config
  if (captchaProvider === 'None' || siteKey === null) return noCaptcha
  const options = { siteKey, secret, hostname: new URL(config.publicUrl).hostname, warn }
  return captchaProvider === 'GoogleRecaptcha'
    ? openRecaptcha({ ...options, threshold, verifyUrl: captchaVerifyUrl ?? recaptchaVerifyUrl })
    : openTurnstile({ ...options, verifyUrl: captchaVerifyUrl ?? turnstileVerifyUrl })
}

function openStorage({ s3Bucket: bucket, s3Endpoint, s3Region, s3AccessKey, s3SecretKey, s3PathStyle, dataDir }: Config) {
  if (bucket === null || s3AccessKey === null || s3SecretKey === null) return openLocalStorage(dataDir)
  const keys = { accessKey: s3AccessKey, secretKey: s3SecretKey }
  return openS3Storage({ bucket, endpoint: s3Endpoint, region: s3Region, pathStyle: s3PathStyle, ...keys }, dataDir)
}

export async function closeDeps({ log, bus, versions, jobs, mailer, engine }: Deps): Promise<void> {
  await jobs.close()
  await engine.close()
  mailer.close()
  await log.close()
  await bus.close()
  versions.close()
}
