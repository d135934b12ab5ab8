/** Tests that every provider must pass; the vendor is an HTTP server of the test. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Captcha, ProviderOptions } from '../src/ports/captcha/captcha.ts'

export interface Asked {
  readonly method: string
  readonly type: string
  readonly body: string
}

interface Suite {
  readonly open: (options: ProviderOptions) => Captcha
  /** The answer of the vendor to a valid token. */
  readonly good: object
  /** The fields of a request as the vendor reads them. */
  readonly read: (asked: Asked) => Record<string, string>
  /** Origins of everything that the vendor's script loads. */
  readonly from: readonly string[]
}

export function captchaSuite({ open, good, read, from }: Suite): void {
  const asked: Asked[] = []
  const warnings: string[] = []
  let answer: (response: ServerResponse) => void
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    asked.push({
      method: request.method ?? '',
      type: request.headers['content-type'] ?? '',
      body: await text(request),
    })
    answer(response)
  })
  const says = (body: unknown, status = 200) => {
    answer = (response) => response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  let verifyUrl: string
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    verifyUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  beforeEach(() => {
    asked.length = warnings.length = 0
    says(good)
  })
  const captcha = (more: Partial<ProviderOptions> = {}) =>
    open({
      siteKey: 'site key',
      secret: 'our secret',
      verifyUrl,
      hostname: 'ctf.example.org',
      warn: (message) => warnings.push(message),
      ...more,
    })
  const verify = (more: Partial<ProviderOptions> = {}) => captcha(more).verify('the token', '10.0.0.7', 'login')

  test('P3.42 P3.61 a token accepted by the provider passes; the provider gets secret, token and address', async () => {
    expect(await verify()).toBe(true)
    expect(asked).toHaveLength(1)
    expect(asked[0]?.method).toBe('POST')
    expect(read(asked[0] as Asked)).toMatchObject({ secret: 'our secret', response: 'the token', remoteip: '10.0.0.7' })
    expect(warnings).toEqual([])
  })

  test('the browser gets the site key and the origins the page can load from', () => {
    const { siteKey, origins } = captcha()
    expect([siteKey, origins]).toEqual(['site key', from])
  })

  test('a token refused by the provider is refused', async () => {
    says({ ...good, success: false, 'error-codes': ['timeout-or-duplicate'] })
    expect(await verify()).toBe(false)
    expect(warnings).toEqual([])
  })

  test('without a token the check fails, and the provider is not called', async () => {
    for (const token of [null, '']) expect(await captcha().verify(token, '10.0.0.7', 'login')).toBe(false)
    expect(await captcha().verify('the token', '', 'login')).toBe(false)
    expect(asked).toEqual([])
  })

  test('without a secret every request passes, and the provider is not called', async () => {
    expect(await verify({ secret: null })).toBe(true)
    expect(await captcha({ secret: null }).verify(null, '10.0.0.7', 'login')).toBe(true)
    expect(asked).toEqual([])
  })

  test('a token for another site or form is refused; one without this data passes', async () => {
    says({ ...good, hostname: 'evil.example.com' })
    expect(await verify()).toBe(false)
    expect(warnings.join()).toContain('evil.example.com')
    says({ ...good, hostname: 'x'.repeat(1000) })
    expect(await verify()).toBe(false)
    expect(warnings.at(-1)?.length).toBeLessThan(200)
    says({ ...good, hostname: 'ctf.example.org', action: 'register' })
    expect(await verify()).toBe(false)
    says({ ...good, hostname: 'ctf.example.org', action: 'login' })
    expect(await verify()).toBe(true)
    says({ ...good, hostname: '', action: '' })
    expect(await verify()).toBe(true)
  })

  test('a secret refused by the provider is reported to the operator', async () => {
    says({ success: false, 'error-codes': ['invalid-input-secret'] })
    expect(await verify()).toBe(false)
    expect(warnings.join()).toContain('refuses the secret key')
    expect(warnings.join()).not.toContain('our secret')
  })

  test('a made-up token shows whether the provider accepts the secret; without an answer there is no result', async () => {
    says({ success: false, 'error-codes': ['invalid-input-response'] })
    expect(await captcha().acceptsSecret()).toBe(true)
    expect(read(asked[0] as Asked)).toMatchObject({ secret: 'our secret', response: 'test' })
    for (const code of ['invalid-input-secret', 'missing-input-secret']) {
      says({ success: false, 'error-codes': [code] })
      expect(await captcha().acceptsSecret()).toBe(false)
    }
    says('', 500)
    await expect(captcha().acceptsSecret()).rejects.toThrow()
    expect(warnings).toEqual([])
  })

  test.each([
    ['nothing', ''],
    ['a page', '<html>Bad gateway</html>'],
    ['a word', '"yes"'],
    ['null', 'null'],
    ['a list', '[]'],
    ['success as text', '{"success":"true","score":1}'],
    ['a response that is too large', JSON.stringify({ ...good, filler: 'x'.repeat(20_000) })],
  ])('a response of %s fails the check', async (_, body) => {
    says(body)
    expect(await verify()).toBe(false)
  })

  test('a redirect is not followed', async () => {
    answer = (response) => response.writeHead(302, { location: `${verifyUrl}/elsewhere` }).end()
    expect(await verify()).toBe(false)
    expect(asked).toHaveLength(1)
  })

  test('a refused or lost connection fails the check, with a warning', async () => {
    expect(await verify({ verifyUrl: 'http://127.0.0.1:9/siteverify' })).toBe(false)
    answer = (response) => response.destroy()
    expect(await verify()).toBe(false)
    expect(warnings).toHaveLength(2)
    for (const warning of warnings) {
      expect(warning).toMatch(/^The captcha provider did not answer: \S/)
      expect(warning).not.toMatch(/our secret|the token/)
    }
  })

  test('a check takes at most five seconds', async () => {
    answer = () => undefined
    const within = vi.spyOn(AbortSignal, 'timeout')
    expect(await verify()).toBe(false)
    expect(within.mock.calls).toEqual([[5_000]])
    within.mockRestore()
    expect(warnings).toHaveLength(1)
  })
}
