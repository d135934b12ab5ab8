/** Distinguishes people from programs at registration, login and recovery. */
import type { CaptchaProvider } from '@vexil/core/vocabulary'

/** What the token was made for; browsers name it to the provider. */
export type CaptchaAction = 'register' | 'login' | 'recovery'

export interface Captcha {
  readonly provider: CaptchaProvider
  /** What the browser needs to show it; empty for none. */
  readonly siteKey: string
  /** Where the page loads it from. */
  readonly origins: readonly string[]
  /** `token` as the browser sent it, null when it sent none. When the provider does not answer, the check fails. */
  verify(token: string | null, ip: string, action: CaptchaAction): Promise<boolean>
}

export interface ProviderOptions {
  readonly siteKey: string
  /** Null: everybody passes. */
  readonly secret: string | null
  readonly verifyUrl: string
  /** Host name that tokens must be made for, where the provider names it. */
  readonly hostname: string
  /** Reports to the operator why a check failed for a reason on the platform's side. */
  readonly warn: (message: string) => void
}

/** What a provider answers, as far as both agree. */
export interface Verdict {
  readonly success?: unknown
  readonly hostname?: unknown
  readonly action?: unknown
  readonly score?: unknown
  readonly 'error-codes'?: unknown
}
