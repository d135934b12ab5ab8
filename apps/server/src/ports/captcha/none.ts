import type { Captcha } from './captcha.ts'

export const noCaptcha: Captcha = {
  provider: 'None',
  siteKey: '',
  origins: [],
  verify: async () => true,
  acceptsSecret: async () => true,
}
