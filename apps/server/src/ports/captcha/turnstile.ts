import { randomUUID } from 'node:crypto'
import type { Captcha, ProviderOptions } from './captcha.ts'
import { openProvider } from './provider.ts'

export const turnstileVerifyUrl = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'

export const openTurnstile = (options: ProviderOptions): Captcha =>
  openProvider({
    ...options,
    provider: 'CloudflareTurnstile',
    origins: ['https://challenges.cloudflare.com'],
    request: (question) => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...question, idempotency_key: randomUUID() }),
    }),
  })
