import type { Captcha, ProviderOptions, Verdict } from './captcha.ts'

const withinMs = 5_000
const answerMax = 16_384

interface Provider extends ProviderOptions, Pick<Captcha, 'provider' | 'origins'> {
  readonly request: (question: { secret: string; response: string; remoteip: string }) => RequestInit
  readonly refuses?: (verdict: Verdict) => boolean
}

export function openProvider({
  provider,
  origins,
  siteKey,
  secret,
  verifyUrl,
  hostname,
  warn,
  request,
  refuses,
}: Provider): Captcha {
  async function requestVerdict(response: string, remoteip: string): Promise<Verdict> {
    try {
      const question = request({ secret: secret as string, response, remoteip })
      const answer = await fetch(verifyUrl, {
        ...question,
        method: 'POST',
        redirect: 'error',
        signal: AbortSignal.timeout(withinMs),
      })
      const text = await answer.text()
      if (text.length > answerMax) throw new Error('the answer is too long')
      const verdict: unknown = JSON.parse(text)
      if (typeof verdict !== 'object' || verdict === null) throw new Error('the answer is no object')
      return verdict
    } catch (error) {
      throw new Error(reasonOf(error))
    }
  }

  return {
    provider,
    siteKey,
    origins,
    async verify(token, ip, action) {
      if (secret === null) return true
      if (token === null || token === '' || ip === '') return false
      const verdict = await requestVerdict(token, ip).catch((error: Error) => {
        warn(`The captcha provider did not answer: ${error.message}`)
        return null
      })
      if (!verdict) return false
      if (verdict.success !== true) {
        // A configuration error that fails every check, so it is reported.
        if (refusesSecret(verdict)) warn('The captcha provider refuses the secret key')
        return false
      }
      if (named(verdict.hostname) && verdict.hostname !== hostname) {
        warn(`A captcha was solved for ${String(verdict.hostname).slice(0, 100)}, not for ${hostname} (PUBLIC_URL)`)
        return false
      }
      if (named(verdict.action) && verdict.action !== action) return false
      return refuses?.(verdict) !== true
    },
    acceptsSecret: async () => !refusesSecret(await requestVerdict('test', '')),
  }
}

/** Both providers name the fault: `missing-input-secret` or `invalid-input-secret`. */
const refusesSecret = ({ 'error-codes': codes }: Verdict) =>
  Array.isArray(codes) && codes.some((code) => String(code).includes('secret'))

const named = (value: unknown) => value !== undefined && value !== null && value !== ''

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? message ?? String(error)
}
