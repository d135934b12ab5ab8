import type { CaptchaProvider } from '@vexil/core/vocabulary'

/** The form that the token is for; browsers send it to the provider. */
export type CaptchaAction = 'register' | 'login' | 'recovery'

export interface Captcha {
  readonly provider: CaptchaProvider
  readonly siteKey: string
  readonly origins: readonly string[]
  /** `token`: null when the browser sent none. Resolves to false when the provider does not answer. */
  verify(token: string | null, ip: string, action: CaptchaAction): Promise<boolean>
  /** Asks the provider about a made-up token: true unless it names the secret key as the error. @throws Error when it does not answer */
  acceptsSecret(): Promise<boolean>
}

export interface ProviderOptions {
  readonly siteKey: string
  /** null: every check passes. */
  readonly secret: string | null
  readonly verifyUrl: string
  /** Host name that tokens must be made for, if the provider returns it. */
  readonly hostname: string
  readonly warn: (message: string) => void
}

export interface Verdict {
  readonly success?: unknown
  readonly hostname?: unknown
  readonly action?: unknown
  readonly score?: unknown
  readonly 'error-codes'?: unknown
}
