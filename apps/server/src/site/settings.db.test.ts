import type { SiteConfig } from '@vexil/contract/settings'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { aGif, aPng, htmlBytes } from '../../test/builders/images.ts'
import { type Answer, type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { releaseLost } from '../files/release-file.ts'
import { removeLogo } from './change-logo.ts'
import { changeSettings } from './change-settings.ts'

let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin', userName: 'Root' }))
})
afterAll(() => platform.stop())
beforeEach(async () => {
  await platform.deps.log.flush()
  for (const table of ['settings', 'files', 'logs'] as const) await platform.db.deleteFrom(table).execute()
  await platform.deps.settings.reload()
})

const stored = async () => {
  const rows = await platform.db.selectFrom('settings').selectAll().orderBy('key').execute()
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]))
}
const logged = async () => {
  await platform.deps.log.flush()
  return platform.db.selectFrom('logs').selectAll().orderBy('id').execute()
}
const refused = ({ status, error }: Answer) => [status, error.status, error.code]
const change = (body: unknown) => admin.put('/api/admin/config', body)
const read = async (): Promise<SiteConfig> => (await admin.get('/api/admin/config')).body

const defaults: SiteConfig = {
  accountPolicy: {
    allowRegister: true,
    activeOnRegister: true,
    useCaptcha: false,
    emailConfirmationRequired: false,
    emailDomainList: '',
  },
  globalConfig: {
    title: 'GZ',
    slogan: expect.any(String),
    description: expect.any(String),
    footerInfo: '',
    customTheme: '',
    logoHash: null,
    faviconHash: null,
    watermark: false,
  },
  containerPolicy: {
    autoDestroyOnLimitReached: false,
    maxExerciseContainerCountPerUser: 1,
    defaultLifetime: 120,
    extensionDuration: 120,
    renewalWindow: 10,
    destroyOnSolve: false,
    flagVariables: '',
  },
  untrustedProxy: null,
  environment: {
    publicUrl: expect.stringMatching(/^http:/),
    captcha: 'None',
    mail: false,
    containers: 'None',
    database: 'embedded',
    files: 'folder',
  },
}

describe('settings', () => {
  test('P7.34 P9.4 have the product defaults, and values stored by another process are read at once', async () => {
    expect(await read()).toEqual(defaults)
    await platform.db.insertInto('settings').values({ key: 'GlobalConfig:Title', value: 'Elsewhere' }).execute()
    expect((await read()).globalConfig.title).toBe('Elsewhere')
  })

  test('P7.34 an untrusted proxy is reported to administrators, and logged once', async () => {
    const forwarded = { 'x-forwarded-for': '192.0.2.1' }
    const trusting = await admin.get('/api/admin/config', forwarded)
    expect(trusting.body.untrustedProxy).toBeNull()
    const inject = () => platform.app.inject({ url: '/api/config', remoteAddress: '198.51.100.7', headers: forwarded })
    await Promise.all([inject(), inject(), inject()])
    expect((await read()).untrustedProxy).toBe('198.51.100.7')
    const warnings = (await logged()).filter(({ message }) => message.includes('198.51.100.7'))
    expect(warnings).toMatchObject([
      {
        level: 'Warning',
        status: 'Failed',
        name: 'System',
        message: 'X-Forwarded-For from 198.51.100.7 is not trusted. If it is your proxy, add it to TRUSTED_PROXIES',
      },
    ])
  })

  test('P5.14 P7.35 P3.40 P3.41 every setting can be changed and read back', async () => {
    const wanted: SiteConfig = {
      accountPolicy: {
        allowRegister: false,
        activeOnRegister: false,
        useCaptcha: true,
        emailConfirmationRequired: true,
        emailDomainList: 'example.org, example.net',
      },
      globalConfig: {
        title: 'T',
        slogan: 'S',
        description: 'D',
        footerInfo: 'F',
        customTheme: '#A1b2c3',
        logoHash: null,
        faviconHash: null,
        watermark: true,
      },
      containerPolicy: {
        autoDestroyOnLimitReached: true,
        maxExerciseContainerCountPerUser: 0,
        defaultLifetime: 7200,
        extensionDuration: 1,
        renewalWindow: 360,
        destroyOnSolve: true,
        flagVariables: ' TASK_FLAG, _F1 ,, F2,',
      },
      untrustedProxy: '198.51.100.7',
      environment: defaults.environment,
    }
    const answer = await change({ ...wanted, globalConfig: { ...wanted.globalConfig, logoHash: 'a'.repeat(64) } })
    expect([answer.status, answer.body]).toEqual([200, ''])
    expect(await read()).toEqual(wanted)
    expect((await platform.anyone.get('/api/config')).body).toMatchObject({
      title: 'T',
      slogan: 'S',
      footerInfo: 'F',
      customTheme: '#A1b2c3',
      defaultLifetime: 7200,
      extensionDuration: 1,
      renewalWindow: 360,
      allowRegister: false,
      watermark: true,
    })
  })

  test('P7.35 absent or null groups and fields stay unchanged, and a blank text clears', async () => {
    await change({ globalConfig: { title: 'Kept', footerInfo: 'Gone', slogan: 'Kept too' } })
    await change({ globalConfig: { footerInfo: '', title: null }, accountPolicy: null })
    await change({})
    expect((await read()).globalConfig).toMatchObject({ title: 'Kept', footerInfo: '', slogan: 'Kept too' })
    expect((await platform.anyone.get('/api/config')).body.footerInfo).toBeNull()
  })

  test('P7.35 a change applies on this node before the response, and is published once; an unchanged value is not published', async () => {
    const received: string[] = []
    // Listeners read the settings at once.
    const publish = (event: string) => void received.push(`${event} ${platform.deps.settings.get()['GlobalConfig:Title']}`)
    const bus = { ...platform.deps.bus, publish }
    const by = { id: '', userName: 'Root', ip: '' }
    for (let time = 0; time < 2; time++) await changeSettings({ ...platform.deps, bus }, by, { globalConfig: { title: 'Held' } })
    expect(received).toEqual(['settings.changed Held'])
  })

  test('P7.35 only differences are stored and logged, with the actor; the same values again change nothing', async () => {
    const versions = () => platform.db.selectFrom('versions').select('settings').executeTakeFirstOrThrow()
    await change({ ...defaults, globalConfig: { title: 'New', customTheme: '' } })
    expect(await stored()).toEqual({ 'GlobalConfig:Title': 'New' })
    const before = await versions()
    await change({ globalConfig: { title: 'New' } })
    expect(await versions()).toEqual(before)
    expect(await logged()).toEqual([
      expect.objectContaining({
        level: 'Information',
        status: 'Success',
        name: 'Root',
        ip: '127.0.0.1',
        message: 'Changed settings: GlobalConfig:Title = "New"',
      }),
    ])
  })

  test.each([
    [{ containerPolicy: { defaultLifetime: 0 } }, 'site.container_time_out_of_range'],
    [{ containerPolicy: { defaultLifetime: 7201 } }, 'site.container_time_out_of_range'],
    [{ containerPolicy: { extensionDuration: 0 } }, 'site.container_time_out_of_range'],
    [{ containerPolicy: { extensionDuration: 7201 } }, 'site.container_time_out_of_range'],
    [{ containerPolicy: { renewalWindow: 0 } }, 'site.container_time_out_of_range'],
    [{ containerPolicy: { renewalWindow: 361 } }, 'site.container_time_out_of_range'],
    [{ containerPolicy: { maxExerciseContainerCountPerUser: -1 } }, 'request.invalid'],
    [{ containerPolicy: { flagVariables: 'A=B' } }, 'request.invalid'],
    [{ containerPolicy: { flagVariables: '1A' } }, 'request.invalid'],
    [{ containerPolicy: { flagVariables: 'A, 1B' } }, 'request.invalid'],
    [{ containerPolicy: { flagVariables: 'CTF_FLAG MY_FLAG' } }, 'request.invalid'],
    [{ globalConfig: { customTheme: 'red' } }, 'site.colour_invalid'],
    [{ globalConfig: { customTheme: '#12345' } }, 'site.colour_invalid'],
    [{ globalConfig: { title: 'a'.repeat(101) } }, 'request.invalid'],
    [{ accountPolicy: { allowRegister: 'perhaps' } }, 'request.invalid'],
    ['text', 'request.invalid'],
  ])('P7.35 P5.14 %j is refused and nothing is stored', async (wrong, code) => {
    const body =
      typeof wrong === 'string'
        ? wrong
        : { ...wrong, globalConfig: { slogan: 'changed', ...('globalConfig' in wrong ? wrong.globalConfig : {}) } }
    expect(refused(await change(body))).toEqual([400, 400, code])
    expect([await stored(), await logged()]).toEqual([{}, []])
  })

  test.each([
    ['defaultLifetime', 7200],
    ['extensionDuration', 7200],
    ['renewalWindow', 360],
  ])('P3.44 P7.35 a value out of range is reported with its bounds: %s', async (name, max) => {
    for (const [value, status] of [
      [0, 400],
      [1, 200],
      [max, 200],
      [max + 1, 400],
    ] as const) {
      const answer = await change({ containerPolicy: { [name]: value } })
      expect([value, answer.status]).toEqual([value, status])
      if (status === 400)
        expect([answer.error.data, answer.error.title]).toEqual([
          { name, min: 1, max },
          `${name} must be between 1 and ${max} minutes`,
        ])
    }
  })

  test('P7.35 several changes are one log entry, with the first 80 characters of long texts', async () => {
    await change({ globalConfig: { title: 'T', slogan: 'x'.repeat(100) } })
    expect((await logged()).map(({ message }) => message)).toEqual([
      `Changed settings: GlobalConfig:Title = "T", GlobalConfig:Slogan = "${'x'.repeat(79)}`,
    ])
  })
})

describe('logo', () => {
  const upload = (bytes: Buffer, name = 'logo.png', part = 'file') =>
    admin.upload('POST', '/api/admin/config/logo', part, [{ name, bytes }])
  const stored = (...hashes: (string | null)[]) =>
    platform.db
      .selectFrom('files')
      .select('hash')
      .where('hash', 'in', hashes as string[])
      .execute()
  const logoUrl = async (): Promise<string | null> => (await platform.anyone.get('/api/config')).body.logoUrl
  /** The bytes as a browser gets them; the caller of the tests converts them to text. */
  const fetched = async (url: string, headers: Record<string, string> = {}) =>
    platform.app.inject({ method: 'GET', url, headers })

  test('P3.46 P7.36 one image becomes a logo of 640 and a favicon of 256 pixels', async () => {
    const puts = vi.spyOn(platform.deps.storage, 'put')
    expect(await upload(await aPng({ width: 1280, height: 320 }))).toMatchObject({ status: 200, body: '' })
    // An encoded picture may be larger than the upload.
    expect(puts.mock.calls.map(([, most]) => most)).toEqual([32 * 1024 * 1024, 32 * 1024 * 1024])
    puts.mockRestore()
    const { logoHash, faviconHash } = (await read()).globalConfig
    expect(await logoUrl()).toBe(`/assets/${logoHash}/logo`)
    const logo = await sharp((await fetched(`/assets/${logoHash}/logo`)).rawPayload).metadata()
    expect([logo.format, logo.width, logo.height]).toEqual(['webp', 640, 160])
    const reads = vi.spyOn(platform.deps.storage, 'get')
    const answer = await fetched('/favicon.webp')
    expect((await fetched('/favicon.webp')).rawPayload).toEqual(answer.rawPayload)
    // Every browser requests it.
    expect(reads).toHaveBeenCalledOnce()
    reads.mockRestore()
    const favicon = await sharp(answer.rawPayload).metadata()
    expect([answer.headers['content-type'], favicon.width, favicon.height]).toEqual(['image/webp', 256, 64])
    expect(answer.headers.etag).toBe(`"favicon-${faviconHash!.slice(0, 8)}"`)
    const message = `Changed the logo: ${logoHash!.slice(0, 8)}`
    expect((await logged()).at(-1)).toMatchObject({ name: 'Root', status: 'Success', message })
  })

  test('P7.36 the previous images are deleted, and GIFs stay animated', async () => {
    await upload(await aPng({ width: 300, height: 301 }))
    const before = (await read()).globalConfig
    await upload(await aGif(), 'moving.gif')
    for (const hash of [before.logoHash, before.faviconHash]) expect((await fetched(`/assets/${hash}/x`)).statusCode).toBe(404)
    expect(await stored(before.logoHash, before.faviconHash)).toEqual([])
    expect((await fetched((await logoUrl())!)).headers['content-type']).toBe('image/gif')
    expect((await fetched('/favicon.webp')).headers['content-type']).toBe('image/gif')
  })

  test('P3.46 P7.37 the built-in logo is restored, and the files are deleted', async () => {
    await upload(await aPng({ width: 200, height: 201 }))
    const { logoHash, faviconHash } = (await read()).globalConfig
    expect(await admin.delete('/api/admin/config/logo')).toMatchObject({ status: 200, body: '' })
    expect(await logoUrl()).toBeNull()
    expect((await read()).globalConfig).toMatchObject({ logoHash: null, faviconHash: null })
    for (const hash of [logoHash, faviconHash]) expect((await fetched(`/assets/${hash}/x`)).statusCode).toBe(404)
    expect(await stored(logoHash, faviconHash)).toEqual([])
    const last = (await logged()).findLast(({ name }) => name === 'Root')
    expect(last).toMatchObject({ status: 'Success', message: 'Removed the logo' })
    expect((await admin.delete('/api/admin/config/logo')).status).toBe(200)
  })

  test('P7.37 the built-in favicon is a WebP with an ETag, and a request with the ETag gets 304', async () => {
    const answer = await fetched('/favicon.webp')
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'image/webp'])
    expect((await sharp(answer.rawPayload).metadata()).format).toBe('webp')
    const etag = String(answer.headers.etag)
    expect(etag).toMatch(/^"favicon-[0-9a-f]{8}"$/)
    const again = await fetched('/favicon.webp', { 'if-none-match': etag })
    expect([again.statusCode, again.payload]).toEqual([304, ''])
    expect((await fetched('/favicon.webp', { 'if-none-match': '"favicon-00000000"' })).statusCode).toBe(200)
  })

  test('P7.36 a favicon whose bytes are lost is replaced by the built-in one', async () => {
    await platform.db
      .insertInto('settings')
      .values({ key: 'GlobalConfig:FaviconHash', value: 'b'.repeat(64) })
      .execute()
    await platform.deps.settings.reload()
    const builtIn = (await fetched('/favicon.webp')).headers.etag
    // The row of a file may exist without its bytes.
    await upload(await aPng({ width: 300, height: 303 }))
    const { logoHash, faviconHash } = (await read()).globalConfig
    expect(new Set([builtIn, `"favicon-${faviconHash!.slice(0, 8)}"`]).size).toBe(2)
    await platform.deps.storage.delete(faviconHash!)
    const answer = await fetched('/favicon.webp')
    expect([answer.statusCode, answer.headers['content-type'], answer.headers.etag]).toEqual([200, 'image/webp', builtIn])
    expect((await fetched(`/assets/${logoHash}/logo`)).statusCode).toBe(200)
  })

  test.each([
    ['no content', () => Buffer.alloc(0), 'file.empty'],
    ['HTML named .png', () => htmlBytes, 'site.logo_failed'],
    ['one byte more than 3 MiB', () => aPng({ size: 3 * 1024 * 1024 + 1 }), 'file.too_large'],
  ])('P7.36 a file with %s is refused and the old logo stays', async (_, bytes, code) => {
    await upload(await aPng({ width: 99 }))
    const before = await logoUrl()
    expect(refused(await upload(await bytes()))).toEqual([400, 400, code])
    expect([before, (await fetched(before!)).statusCode]).toEqual([await logoUrl(), 200])
  })

  test('P7.36 an unreadable image is logged', async () => {
    await upload(htmlBytes)
    const message = 'Could not read image (logo)'
    expect(await logged()).toMatchObject([{ level: 'Warning', status: 'Failed', name: 'System', message }])
  })

  test.each([
    ['two files', 300, 2],
    ['the one file of a small one', 120, 1],
  ])(
    'P7.36 a change is published once; an image that cannot be removed is reported and does not prevent it: %s',
    async (_, width, files) => {
      await upload(await aPng({ width, height: 121 }))
      const published: string[] = []
      const faults: unknown[] = []
      const storage = { ...platform.deps.storage, delete: () => Promise.reject(new Error('read-only')) }
      const publish = (event: string) => void published.push(`${event} ${platform.deps.settings.get()['GlobalConfig:LogoHash']}`)
      const bus = { ...platform.deps.bus, publish }
      const onError = (error: unknown) => void faults.push(error)
      await removeLogo({ ...platform.deps, storage, bus, onError }, { id: '', userName: 'Root', ip: '' })
      expect(faults).toMatchObject([{ message: 'read-only' }])
      expect(await platform.db.selectFrom('releasedFiles').select('hash').execute()).toHaveLength(files)
      await releaseLost(platform.deps)
      expect(published).toEqual(['settings.changed '])
      expect(await logoUrl()).toBeNull()
    },
  )

  test('P7.36 its files are registered in the order of their hashes, and stored again if they were removed in between', async () => {
    const has = vi.spyOn(platform.deps.storage, 'has').mockResolvedValueOnce(false).mockResolvedValueOnce(false)
    for (let width = 310; width < 318; width++)
      expect((await upload(await aPng({ width, height: width - 300 }))).status).toBe(200)
    const checked = has.mock.calls.map(([hash]) => hash)
    has.mockRestore()
    const ordered = Array.from({ length: 8 }, (_, i) => checked.slice(2 * i, 2 * i + 2).sort()).flat()
    expect([checked.length, checked]).toEqual([16, ordered])
  })

  test('P7.36 a part with another name is refused', async () => {
    expect(refused(await upload(await aPng(), 'a.png', 'logo'))).toEqual([400, 400, 'file.missing'])
  })

  test('P7.36 of concurrent logos one stays, and the files of the others are deleted', async () => {
    for (let round = 0; round < 10; round++) {
      await Promise.all([1, 2, 3, 4].map(async (i) => upload(await aPng({ width: 400 + 10 * round + i, height: 300 }))))
      const { logoHash, faviconHash } = (await read()).globalConfig
      const files = await platform.db
        .selectFrom('files')
        .select('hash')
        .where('name', 'in', ['logo.webp', 'favicon.webp'])
        .execute()
      expect(files.map(({ hash }) => hash).sort()).toEqual([logoHash, faviconHash].sort())
    }
  })
})
