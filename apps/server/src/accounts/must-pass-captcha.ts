import { CaptchaFailed } from '@vexil/core/rules'
import type { Deps } from '../deps.ts'
import type { CaptchaAction } from '../ports/captcha/captcha.ts'

/** Verifies the captcha if the account policy requires one. @throws CaptchaFailed */
export async function mustPassCaptcha(
  { settings, captcha }: Pick<Deps, 'settings' | 'captcha'>,
  challenge: string | null,
  ip: string,
  action: CaptchaAction,
): Promise<void> {
  if (!settings.get()['AccountPolicy:UseCaptcha']) return
  if (!(await captcha.verify(challenge, ip, action))) throw new CaptchaFailed()
}
