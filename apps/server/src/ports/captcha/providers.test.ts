import { describe, expect, test } from 'vitest'
import { type Asked, captchaSuite } from '../../../test/captcha.suite.ts'
import { noCaptcha } from './none.ts'
import { openRecaptcha } from './recaptcha.ts'
import { openTurnstile } from './turnstile.ts'

const form = ({ type, body }: Asked) => {
  expect(type).toMatch(/^application\/x-www-form-urlencoded/)
  return Object.fromEntries(new URLSearchParams(body))
}
const json = ({ type, body }: Asked) => {
  expect(type).toBe('application/json')
  return JSON.parse(body) as Record<string, string>
}

describe('GoogleRecaptcha', () => {
  captchaSuite({
    open: (options) => openRecaptcha({ ...options, threshold: 0.5 }),
    good: { success: true, score: 0.9 },
    read: form,
    from: ['recaptcha.net', 'google.com', 'gstatic.com', 'gstatic.cn'].map((host) => `https://www.${host}`),
  })
})

describe('CloudflareTurnstile', () => {
  captchaSuite({ open: openTurnstile, good: { success: true }, read: json, from: ['https://challenges.cloudflare.com'] })
})

describe('provider-specific behaviour', () => {
  const withVerdict = async (verdict: object, work: (verifyUrl: string) => Promise<unknown>) => {
    const bodies: string[] = []
    const { createServer } = await import('node:http')
    const { text } = await import('node:stream/consumers')
    const server = createServer(async (request, response) => {
      bodies.push(await text(request))
      response.end(JSON.stringify(verdict))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const result = await work(`http://127.0.0.1:${port}`)
    server.close()
    return { result, bodies }
  }
  const options = (verifyUrl: string) => ({ siteKey: 'k', secret: 's', verifyUrl, hostname: 'h', warn: () => undefined })

  test.each([
    [0.5, true],
    [0.49, false],
    [0, false],
    [undefined, false],
    ['1', false],
  ])('P3.61 reCAPTCHA with the score %s', async (score, passes) => {
    const { result } = await withVerdict({ success: true, score }, (url) =>
      openRecaptcha({ ...options(url), threshold: 0.5 }).verify('t', '10.0.0.1', 'login'),
    )
    expect(result).toBe(passes)
  })

  test('each request to Turnstile has a separate idempotency key', async () => {
    const { bodies } = await withVerdict({ success: true }, async (url) => {
      const captcha = openTurnstile(options(url))
      await captcha.verify('t', '10.0.0.1', 'login')
      await captcha.verify('t', '10.0.0.1', 'login')
    })
    const keys = bodies.map((body) => (JSON.parse(body) as { idempotency_key: string }).idempotency_key)
    expect(new Set(keys).size).toBe(2)
    for (const key of keys) expect(key).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('P3.61 without a provider every request passes', async () => {
    expect(noCaptcha).toMatchObject({ provider: 'None', siteKey: '', origins: [] })
    expect(await noCaptcha.verify(null, '10.0.0.1', 'login')).toBe(true)
  })
})
