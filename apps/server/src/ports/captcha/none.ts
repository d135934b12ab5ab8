import type { Captcha } from './captcha.ts'

/** No provider: everybody passes. */
export const noCaptcha: Captcha = { provider: 'None', siteKey: '', origins: [], verify: async () => true }
