/** Tells people from programs at registration, login and recovery. */
import type { CaptchaProvider } from '@vexil/core/vocabulary'

export interface Captcha {
  readonly provider: CaptchaProvider
  /** What the browser needs to show it; empty for none. */
  readonly siteKey: string
  /** `token` as the browser sent it, null when it sent none. */
  verify(token: string | null, ip: string): Promise<boolean>
}
