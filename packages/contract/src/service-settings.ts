/** Mail server and captcha provider in the settings. Secrets can be written but not read. */
import { accountLimits, captchaLimits, mailServerLimits } from '@vexil/core/limits'
import { captchaProviders } from '@vexil/core/vocabulary'
import * as Type from 'typebox'
import { endpoint } from './endpoint.ts'
import { OneOf, OptionalText } from './shapes.ts'

const { hostMax, userMax, passwordMax, senderNameMax } = mailServerLimits

const mailServer = {
  /** Name or address without port; empty: no emails are sent. */
  host: Type.String({ maxLength: hostMax, pattern: '^[A-Za-z0-9._:-]*$' }),
  port: Type.Integer({ minimum: 1, maximum: 65535 }),
  /** Empty: no sign-in. */
  user: Type.String({ maxLength: userMax }),
  sender: Type.String({ maxLength: accountLimits.emailMax }),
  /** Empty: the name of the platform. */
  senderName: Type.String({ maxLength: senderNameMax }),
  ignoreCertificate: Type.Boolean(),
}

const captchaProvider = {
  provider: OneOf(captchaProviders),
  siteKey: Type.String({ maxLength: captchaLimits.siteKeyMax }),
  /** Lowest score of GoogleRecaptcha that passes. */
  threshold: Type.Number({ minimum: 0, maximum: 1 }),
}

/** True when the environment of the server sets the service; a change is refused. */
const fixed = Type.Boolean()

export const ServiceSettings = Type.Object({
  mail: Type.Object({ ...mailServer, passwordSet: Type.Boolean(), fixed }),
  captcha: Type.Object({ ...captchaProvider, secretSet: Type.Boolean(), fixed }),
})
export type ServiceSettings = Type.Static<typeof ServiceSettings>

export const getServices = endpoint('GET /api/admin/config/services', {
  access: 'admin',
  ours: true,
  summary: 'Get the settings of mail server and captcha provider',
  reply: ServiceSettings,
})

export const MailServerChange = Type.Object({ ...mailServer, password: OptionalText(passwordMax) })
export type MailServerChange = Type.Static<typeof MailServerChange>

export const updateMailServer = endpoint('PUT /api/admin/config/mail', {
  access: 'admin',
  ours: true,
  summary: 'Set the mail server',
  body: MailServerChange,
  throws: ['site.set_by_environment', 'mail.sender_missing', 'mail.password_missing'],
})

export const CaptchaChange = Type.Object({ ...captchaProvider, secret: OptionalText(captchaLimits.secretMax, 1) })
export type CaptchaChange = Type.Static<typeof CaptchaChange>

export const updateCaptcha = endpoint('PUT /api/admin/config/captcha', {
  access: 'admin',
  ours: true,
  summary: 'Set the captcha provider',
  body: CaptchaChange,
  throws: ['site.set_by_environment', 'captcha.keys_missing'],
})

export const testCaptcha = endpoint('POST /api/admin/config/captcha/test', {
  access: 'admin',
  ours: true,
  limit: 'register',
  summary: 'Test the secret key of the captcha provider',
  throws: ['captcha.not_configured', 'captcha.secret_refused', 'captcha.not_tested'],
})
