import type { Captcha, ProviderOptions } from './captcha.ts'
import { openProvider } from './provider.ts'

export const recaptchaVerifyUrl = 'https://www.recaptcha.net/recaptcha/api/siteverify'

/** reCAPTCHA v3 returns a score from 0 (program) to 1 (person) without interaction. */
export const openRecaptcha = (options: ProviderOptions & { readonly threshold: number }): Captcha =>
  openProvider({
    ...options,
    provider: 'GoogleRecaptcha',
    origins: ['https://www.recaptcha.net', 'https://www.google.com', 'https://www.gstatic.com', 'https://www.gstatic.cn'],
    request: (question) => ({ body: new URLSearchParams(question) }),
    refuses: ({ score }) => !(typeof score === 'number' && score >= options.threshold),
  })
