/** Mail server and captcha provider of the settings: one row each, as JSON with the secret sealed. */
import type { CaptchaChange, MailServerChange, ServiceSettings } from '@vexil/contract/service-settings'
import { isEmail } from '@vexil/core/accounts'
import {
  CaptchaKeysMissing,
  CaptchaNotConfigured,
  CaptchaNotTested,
  CaptchaSecretRefused,
  MailPasswordMissing,
  MailSenderMissing,
  SetByEnvironment,
} from '@vexil/core/rules'
import { type Actor, audit } from '../audit.ts'
import type { Config } from '../config.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps, StoredCaptcha, StoredMail, StoredServices } from '../deps.ts'

/** Keys of the rows, and names that their secrets are sealed for. */
export const serviceKeys = { mail: 'Services:Mail', captcha: 'Services:Captcha' } as const

export function parseServices(rows: readonly { readonly key: string; readonly value: string }[]): StoredServices {
  const read = (wanted: string) => JSON.parse(rows.find(({ key }) => key === wanted)?.value ?? 'null') as unknown
  return { mail: read(serviceKeys.mail) as StoredMail | null, captcha: read(serviceKeys.captcha) as StoredCaptcha | null }
}

type ConfigPart = Pick<Config, `mail${string}` & keyof Config> & Pick<Config, `captcha${string}` & keyof Config>

const mailIsFixed = (config: Pick<Config, 'mailHost'>) => config.mailHost !== null
const captchaIsFixed = (config: Pick<Config, 'captchaProvider'>) => config.captchaProvider !== 'None'

/** Services in effect, for administrators. */
export function servicesView(config: ConfigPart, { mail, captcha }: StoredServices): ServiceSettings {
  return {
    mail: mailIsFixed(config)
      ? {
          host: config.mailHost ?? '',
          port: config.mailPort,
          user: config.mailUser ?? '',
          sender: config.mailSender ?? '',
          senderName: config.mailSenderName ?? '',
          ignoreCertificate: config.mailIgnoreCertificate,
          passwordSet: config.mailPassword !== null,
          fixed: true,
        }
      : {
          host: mail?.host ?? '',
          port: mail?.port ?? 587,
          user: mail?.user ?? '',
          sender: mail?.sender ?? '',
          senderName: mail?.senderName ?? '',
          ignoreCertificate: mail?.ignoreCertificate ?? false,
          passwordSet: (mail?.password ?? null) !== null,
          fixed: false,
        },
    captcha: captchaIsFixed(config)
      ? {
          provider: config.captchaProvider,
          siteKey: config.captchaSiteKey ?? '',
          threshold: config.captchaThreshold,
          secretSet: config.captchaSecret !== null,
          fixed: true,
        }
      : {
          provider: captcha?.provider ?? 'None',
          siteKey: captcha?.siteKey ?? '',
          threshold: captcha?.threshold ?? 0.5,
          secretSet: captcha !== null,
          fixed: false,
        },
  }
}

type ChangeDeps = Pick<Deps, 'db' | 'bus' | 'log' | 'settings' | 'secrets' | 'config'>

/**
 * Sets or removes the mail server. A stored password is never sent to a server or for a user that it was not entered for.
 * @throws SetByEnvironment, MailSenderMissing, MailPasswordMissing
 */
export async function changeMailServer(deps: ChangeDeps, by: Actor, { password, ...wanted }: MailServerChange): Promise<void> {
  if (mailIsFixed(deps.config)) throw new SetByEnvironment({ variable: 'VEXIL_MAIL_HOST' })
  const change = { ...wanted, user: wanted.user.trim(), senderName: wanted.senderName.trim() }
  const on = change.host !== ''
  if (on && !isEmail(change.sender)) throw new MailSenderMissing()
  await store(deps, serviceKeys.mail, (stored: StoredMail | null): StoredMail | null => {
    if (!on) return null
    const given = typeof password === 'string'
    const { host, port, user } = change
    const isKnown = stored !== null && stored.host === host && stored.port === port && stored.user === user
    if (!given && !isKnown && user !== '' && (stored?.password ?? null) !== null) throw new MailPasswordMissing()
    const kept = isKnown ? stored.password : null
    return { ...change, password: given ? (password === '' ? null : deps.secrets.seal(serviceKeys.mail, password)) : kept }
  })
  const what = on ? `${change.host}:${change.port}, sender ${change.sender}` : 'none'
  audit(deps, by, `Changed the mail server: ${what}${password ? ', with a new password' : ''}`)
}

/** @throws SetByEnvironment, CaptchaKeysMissing */
export async function changeCaptcha(deps: ChangeDeps, by: Actor, wanted: CaptchaChange): Promise<void> {
  if (captchaIsFixed(deps.config)) throw new SetByEnvironment({ variable: 'VEXIL_CAPTCHA_PROVIDER' })
  const { provider, threshold } = wanted
  const change = { provider, threshold, siteKey: wanted.siteKey.trim() }
  const secret = wanted.secret?.trim()
  const on = provider !== 'None'
  if (on && change.siteKey === '') throw new CaptchaKeysMissing()
  await store(deps, serviceKeys.captcha, (stored: StoredCaptcha | null): StoredCaptcha | null => {
    if (!on) return null
    if (secret) return { ...change, secret: deps.secrets.seal(serviceKeys.captcha, secret) }
    if (stored?.provider !== provider) throw new CaptchaKeysMissing()
    return { ...change, secret: stored.secret }
  })
  audit(deps, by, `Changed the captcha provider: ${provider}${secret ? ', with a new secret key' : ''}`)
}

/** @throws CaptchaNotConfigured, CaptchaSecretRefused, CaptchaNotTested */
export async function testCaptcha(captcha: Deps['captcha']): Promise<void> {
  if (captcha.provider === 'None') throw new CaptchaNotConfigured()
  const accepted = await captcha.acceptsSecret().catch(({ message }: Error) => {
    throw new CaptchaNotTested({ reason: message })
  })
  if (!accepted) throw new CaptchaSecretRefused()
}

/** Replaces the row while it is locked, so that a concurrent change cannot combine one server with the password of another. */
async function store<Stored>(
  deps: Pick<Deps, 'db' | 'bus' | 'settings'>,
  key: string,
  change: (stored: Stored | null) => Stored | null,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const value = JSON.stringify(change(await lockRow<Stored>(tx, key)))
    await tx.updateTable('settings').set({ value }).where('key', '=', key).execute()
  })
  await deps.settings.reload()
  deps.bus.publish('settings.changed', {})
}

async function lockRow<Stored>(tx: Tx, key: string): Promise<Stored | null> {
  const empty = { key, value: 'null' }
  await tx
    .insertInto('settings')
    .values(empty)
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  const row = await tx.selectFrom('settings').select('value').where('key', '=', key).forUpdate().executeTakeFirstOrThrow()
  return JSON.parse(row.value) as Stored | null
}
