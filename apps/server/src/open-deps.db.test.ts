/** Which settings of the environment reach the adapters of other services. What the adapters do with them is tested with each. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { freshDatabase, type TestDatabase } from '../test/database.ts'
import type { Actor } from './audit.ts'
import { readConfig } from './config.ts'
import { mustNotBeInUse } from './db/in-use.ts'
import { inTransaction } from './db/transaction.ts'
import type { Deps } from './deps.ts'
import { openDeps, openedDeps } from './open-deps.ts'
import { noCaptcha } from './ports/captcha/none.ts'
import { noEngine } from './ports/engine/none.ts'
import { noMailer } from './ports/mail/mail.ts'
import { changeMailServer } from './site/services.ts'
import { saveSettings } from './site/settings.ts'

const opened = vi.hoisted(() => ({
  ...{ openDocker: vi.fn(), openKubernetes: vi.fn(), openSmtp: vi.fn(), openRecaptcha: vi.fn(), openTurnstile: vi.fn() },
  ...{ openS3Storage: vi.fn(), openNamedBucket: vi.fn() },
}))
vi.mock('./ports/engine/docker/docker.ts', () => opened)
vi.mock('./ports/engine/kubernetes/kubernetes.ts', () => opened)
vi.mock('./ports/mail/smtp.ts', () => opened)
vi.mock('./ports/captcha/recaptcha.ts', () => ({ ...opened, recaptchaVerifyUrl: 'https://recaptcha.example/' }))
vi.mock('./ports/captcha/turnstile.ts', () => ({ ...opened, turnstileVerifyUrl: 'https://turnstile.example/' }))
vi.mock('./ports/storage/s3.ts', () => opened)
vi.mock('./ports/storage/named-bucket.ts', () => opened)

/** Closes what a start that failed has left open. */
const left = vi.hoisted(() => ({ close: async (): Promise<void> => undefined }))
vi.mock('./db/versions.ts', async (load) => {
  const module = await load<typeof import('./db/versions.ts')>()
  const watchVersions: typeof module.watchVersions = async (db, ...given) => {
    const versions = await module.watchVersions(db, ...given)
    left.close = async () => {
      await versions.close()
      await db.destroy()
    }
    return versions
  }
  return { ...module, watchVersions }
})

const dataDir = mkdtempSync(join(tmpdir(), 'vexil-open-deps-'))
const onError = vi.fn()
let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(async () => {
  await database.drop()
  rmSync(dataDir, { recursive: true })
})
beforeEach(() => {
  vi.resetAllMocks()
  for (const open of [opened.openDocker, opened.openKubernetes]) open.mockResolvedValue(noEngine)
  for (const open of [opened.openRecaptcha, opened.openTurnstile]) open.mockReturnValue(noCaptcha)
  opened.openSmtp.mockReturnValue(noMailer)
})

/** Opens and closes everything; in between `work`. */
async function open(env: Record<string, string>, work: (deps: Deps) => Promise<void> = async () => undefined): Promise<void> {
  const config = readConfig({ DATA_DIR: dataDir, PUBLIC_URL: 'https://ctf.example.org', ...env })
  const deps = await openDeps(config, database, { onError, printLine: () => undefined })
  await work(deps)
  for (const part of openedDeps(deps)) await part.close()
}

test('an engine gets its own settings, the label of the installation and the credentials of the registry', async () => {
  await open({
    VEXIL_CONTAINER_PROVIDER: 'Docker',
    VEXIL_CONTAINER_PORTS: 'PlatformProxy',
    VEXIL_CONTAINER_DENY: '10.0.0.0/8, 192.0.2.0/24',
    VEXIL_DOCKER_HOST: 'tcp://10.0.0.9:2376',
    VEXIL_DOCKER_CERTS: '/certs',
    VEXIL_DOCKER_SUBNETS: '100.65.0.0/16',
    VEXIL_DOCKER_BIND: '10.0.0.9',
    VEXIL_REGISTRY: 'registry.example.org',
    VEXIL_REGISTRY_USER: 'puller',
    VEXIL_REGISTRY_PASSWORD: 'secret',
  })
  const installation = expect.stringMatching(/^[0-9a-f-]{36}$/)
  expect(opened.openDocker.mock.calls).toEqual([
    [
      {
        ...{ installation, published: false, onError, check: expect.any(Function) },
        registry: { name: 'registry.example.org', user: 'puller', password: 'secret' },
        ...{ host: 'tcp://10.0.0.9:2376', certs: '/certs', subnets: '100.65.0.0/16', bind: '10.0.0.9' },
        deny: ['10.0.0.0/8', '192.0.2.0/24'],
      },
    ],
  ])
  await open({
    VEXIL_CONTAINER_PROVIDER: 'Kubernetes',
    VEXIL_KUBERNETES_CONFIG: '/kubeconfig',
    VEXIL_KUBERNETES_NAMESPACE: 'challenges',
    VEXIL_KUBERNETES_DENY: '10.0.0.0/8',
    VEXIL_KUBERNETES_PODS: '10.1.0.0/16',
    VEXIL_KUBERNETES_DNS: '192.0.2.53',
    VEXIL_KUBERNETES_REQUESTS: '0.25',
    VEXIL_REGISTRY: 'registry.example.org',
    VEXIL_REGISTRY_USER: 'puller',
  })
  expect(opened.openKubernetes.mock.calls).toEqual([
    [
      {
        // The same as before: the containers of an earlier run are found again.
        installation: opened.openDocker.mock.calls[0]![0].installation,
        ...{ published: true, onError, check: expect.any(Function), registry: null },
        ...{ config: '/kubeconfig', namespace: 'challenges', deny: ['10.0.0.0/8'], pods: ['10.1.0.0/16'] },
        ...{ dns: ['192.0.2.53'], requests: 0.25 },
      },
    ],
  ])
  await open({})
  expect([opened.openDocker, opened.openKubernetes].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
})

test('while a backup is restored no node starts, and none leaves a connection of the bus', async () => {
  const restoring = await database.reservedClient()
  await mustNotBeInUse(restoring)
  await expect(open({ VEXIL_PROCESSES: '2' })).rejects.toThrow('A backup is being restored into the database')
  await left.close()
  await restoring.end()
  const named = "select from pg_stat_activity where datname = current_database() and application_name = 'vexil bus'"
  await expect.poll(async () => (await database.pool.query(named)).rowCount).toBe(0)
})

test('mail server, captcha provider and bucket get the settings of the environment', async () => {
  await open({
    VEXIL_MAIL_HOST: 'mail.example.org',
    VEXIL_MAIL_PORT: '465',
    VEXIL_MAIL_USER: 'mailer',
    VEXIL_MAIL_PASSWORD: 'mail secret',
    VEXIL_MAIL_SENDER: 'ctf@example.org',
    VEXIL_MAIL_SENDER_NAME: 'The CTF',
    VEXIL_MAIL_IGNORE_CERTIFICATE: 'true',
    VEXIL_CAPTCHA_PROVIDER: 'GoogleRecaptcha',
    VEXIL_CAPTCHA_SITE_KEY: 'site',
    VEXIL_CAPTCHA_SECRET: 'captcha secret',
    VEXIL_CAPTCHA_THRESHOLD: '0.7',
    VEXIL_S3_BUCKET: 'files',
    VEXIL_S3_ENDPOINT: 'https://s3.example.org',
    VEXIL_S3_REGION: 'eu-1',
    VEXIL_S3_ACCESS_KEY: 'access',
    VEXIL_S3_SECRET_KEY: 's3 secret',
    VEXIL_S3_PATH_STYLE: 'false',
  })
  expect(opened.openSmtp.mock.calls).toEqual([
    [
      {
        ...{ host: 'mail.example.org', port: 465, user: 'mailer', password: 'mail secret' },
        ...{ sender: 'ctf@example.org', senderName: 'The CTF', ignoreCertificate: true },
      },
    ],
  ])
  const both = { hostname: 'ctf.example.org', siteKey: 'site', warn: expect.any(Function) }
  expect(opened.openRecaptcha.mock.calls).toEqual([
    [{ ...both, secret: 'captcha secret', threshold: 0.7, verifyUrl: 'https://recaptcha.example/' }],
  ])
  const place = {
    ...{ bucket: 'files', endpoint: 'https://s3.example.org', region: 'eu-1', pathStyle: false },
    ...{ accessKey: 'access', secretKey: 's3 secret' },
  }
  expect([opened.openS3Storage.mock.calls, opened.openNamedBucket.mock.calls]).toEqual([[[place, dataDir]], [[place]]])
  const turnstile = { VEXIL_CAPTCHA_PROVIDER: 'CloudflareTurnstile', VEXIL_CAPTCHA_SITE_KEY: 'site' }
  await open(turnstile)
  await open({ ...turnstile, VEXIL_CAPTCHA_VERIFY_URL: 'https://verify.example/' })
  expect(opened.openTurnstile.mock.calls).toEqual(
    ['https://turnstile.example/', 'https://verify.example/'].map((verifyUrl) => [{ ...both, secret: null, verifyUrl }]),
  )
})

test('another mail server in the settings replaces the one of before, which is closed; other settings leave it', async () => {
  const closed: string[] = []
  opened.openSmtp.mockImplementation(({ host }: { host: string }) => ({ ...noMailer, close: () => void closed.push(host) }))
  await open({}, async (deps) => {
    const by = { userName: 'Admin', ip: '192.0.2.1' }
    const use = (host: string) =>
      changeMailServer(deps, by as Actor, {
        ...{ host, port: 587, user: '', password: '', sender: 'ctf@example.org', senderName: '', ignoreCertificate: false },
      })
    await use('first')
    await inTransaction(deps.db, (tx) => saveSettings(tx, { 'GlobalConfig:Slogan': 'Sail' }))
    await deps.settings.reload()
    expect([opened.openSmtp.mock.calls.length, closed]).toEqual([1, []])
    await use('second')
    expect([opened.openSmtp.mock.calls.length, closed]).toEqual([2, ['first']])
  })
  expect(closed).toEqual(['first', 'second'])
})
