import type { Captcha } from './captcha.ts'

/** Without a provider every check passes. */
export const noCaptcha: Captcha = { provider: 'None', siteKey: '', origins: [], verify: async () => true }
