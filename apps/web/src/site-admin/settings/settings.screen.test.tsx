// @vitest-environment jsdom
import type { SiteConfigChange } from '@vexil/contract/settings'
import { defaultSiteTitle, siteLimits, textLimits } from '@vexil/core/limits'
import { act } from 'react'
import { Link } from 'react-router'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { button, click, field, named, rows, settle, write } from '../../../test/acts.ts'
import { json, openPage, toasts, until, Where, where } from '../../../test/page.tsx'
import { screens } from '../../shell/screen-table.ts'
import { siteQuery, useSite } from '../../shell/site.ts'
import { Titled } from '../../shell/titled.tsx'
import { hasUnsaved } from '../../shell/unsaved.tsx'
import { t } from '../../ui/text/organiser-texts.ts'
import SettingsScreen from './settings.screen.tsx'

beforeEach(() => {
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:chosen')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const file = (n: number, references: number) => ({
  hash: String(n).padStart(64, 'a'),
  name: `file ${n}.zip`,
  fileSize: 2048 * n,
  uploadTime: '2026-11-20T08:00:00+00:00',
  references,
  uses:
    references === 0
      ? []
      : [
          { use: 'Challenge', name: 'Buoy', gameId: 7, challengeId: 3 },
          { use: 'Writeup', name: 'Gulls', gameId: 7, challengeId: null },
        ],
})

const services = {
  mail: { host: '', port: 587, user: '', sender: '', senderName: '', ignoreCertificate: false, passwordSet: false, fixed: false },
  captcha: { provider: 'None', siteKey: '', threshold: 0.5, secretSet: false, fixed: false },
}

/** A server that keeps its settings while pages are opened and closed. */
function aServer({
  containers = 'Default',
  environment = {},
  logoHash = null as string | null,
  files = [file(1, 3), file(2, 0)],
  untrustedProxy = null as string | null,
} = {}) {
  let config = {
    accountPolicy: {
      allowRegister: true,
      activeOnRegister: true,
      useCaptcha: false,
      emailConfirmationRequired: false,
      emailDomainList: '',
    },
    globalConfig: {
      title: 'GZ',
      slogan: 'Raise your flag',
      description: 'An open platform',
      footerInfo: '',
      customTheme: '',
      logoHash,
      faviconHash: logoHash,
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
    untrustedProxy,
    environment: {
      publicUrl: 'https://ctf.example.org',
      captcha: 'None',
      mail: false,
      containers: 'Docker',
      database: 'embedded',
      files: 'folder',
      ...environment,
    },
  }
  let stored = files
  const sent: SiteConfigChange[] = []
  const calls: string[] = []
  const refusals = new Map<string, object>()
  /** Promises that delay the answers of calls. */
  const holds = new Map<string, Promise<void>>()
  const configOf = () => {
    const { title, slogan, customTheme, logoHash: logo } = config.globalConfig
    return { title, slogan, customTheme, containers, logoUrl: logo && `/assets/${logo}/logo` }
  }
  vi.stubGlobal('fetch', async (input: string, init: RequestInit = {}) => {
    const [path = '', query = ''] = String(input).split('?')
    const [method, call] = [init.method ?? 'GET', `${init.method ?? 'GET'} ${path}`]
    if (method !== 'GET') calls.push(call)
    await holds.get(call)
    const refusal = refusals.get(call)
    if (refusal) return json(refusal, 400)
    if (path === '/api/config') return json(configOf())
    if (path === '/api/admin/config/services') return json(services)
    if (path === '/api/admin/mails') return json({ data: [], length: 0, total: 0, configured: false })
    if (path === '/api/admin/files') {
      calls.push(`files ${query}`)
      const { count, skip } = Object.fromEntries(new URLSearchParams(query))
      const data = stored.slice(Number(skip), Number(skip) + Number(count))
      return json({ data, length: data.length, total: stored.length })
    }
    if (path.startsWith('/api/assets/')) stored = stored.filter(({ hash }) => !path.endsWith(hash))
    if (path === '/api/admin/config/logo') {
      const hash = method === 'POST' ? 'c'.repeat(64) : null
      config = { ...config, globalConfig: { ...config.globalConfig, logoHash: hash, faviconHash: hash } }
    }
    if (call === 'PUT /api/admin/config') {
      const body = JSON.parse(String(init.body))
      sent.push(body)
      for (const group of ['accountPolicy', 'globalConfig', 'containerPolicy'] as const)
        config = { ...config, [group]: { ...config[group], ...body[group] } }
    }
    return call === 'GET /api/admin/config' ? json(config) : new Response(null)
  })
  return { sent, calls, refusals, holds, configOf }
}
type Server = ReturnType<typeof aServer>

/** Shows the site's data as the shell does. */
function Shell() {
  const { name, slogan, customTheme, logoUrl } = useSite()
  return <i data-shell>{[name, slogan, customTheme, logoUrl].join(', ')}</i>
}

/** Opens the page without cached data. */
async function open(server: Server, address = '/admin/Settings') {
  const page = (
    <>
      <Titled title={screens.adminSettings.title}>
        <SettingsScreen />
      </Titled>
      <Link to="/elsewhere">elsewhere</Link>
      <Where />
      <Shell />
    </>
  )
  const place = await openPage(page, [[siteQuery.queryKey, server.configOf()]], address)
  await settle()
  const save = (count: number) =>
    click(
      [...place.querySelectorAll('button')].find(
        ({ textContent }) => textContent === `Save ${count} change${count > 1 ? 's' : ''}`,
      ),
    )
  return { place, save }
}
const toggle = (name: string) => click(named(name))
const noSave = () =>
  expect([...document.querySelectorAll('button')].some(({ textContent }) => textContent?.startsWith('Save'))).toBe(false)

test('the stored values are shown, and saving is offered only after a change', async () => {
  Element.prototype.scrollIntoView ??= () => {}
  const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView')
  const { place } = await open(aServer())
  const links = [...place.querySelectorAll<HTMLAnchorElement>('nav[aria-label=Sections] a')]
  expect(links).toHaveLength(7)
  for (const link of links) expect(place.querySelector(`section${link.hash} h2`)?.textContent, link.hash).toBe(link.textContent)
  const tab = place.querySelector('nav [aria-current=page]')
  expect(tab?.textContent).toBe('Settings')
  // On a narrow window the row of tabs overflows.
  expect(scrolled.mock.contexts).toContain(tab)
  expect(place.textContent).not.toContain('Untrusted proxy')
  expect(place.querySelectorAll('[aria-invalid=true], li[data-wrong]')).toHaveLength(0)
  const { titleMax, sloganMax, descriptionMax, domainListMax } = siteLimits
  const longest = {
    ...{ Name: titleMax, Slogan: sloganMax, Description: descriptionMax, Footer: textLimits.footerMax },
    ...{ 'Email domains': domainListMax, 'Additional flag variables': 1000 },
  }
  for (const [label, length] of Object.entries(longest)) expect(field(label).maxLength, label).toBe(length)
  expect(field('Name').placeholder).toBe(defaultSiteTitle)
  expect(place.querySelector('[data-step]')?.closest('[role=img]')?.getAttribute('aria-label')).toBe(t('admin.settings.steps'))
  expect(place.querySelector<HTMLInputElement>('input[type=file]')?.accept).toMatch(/^image\/\w+(,image\/\w+)+$/)
  expect(place.textContent).not.toContain(t('admin.settings.containersOff'))
  expect([field('Name').value, field('Slogan').value, field('Lifetime').value]).toEqual(['GZ', 'Raise your flag', '120'])
  expect(named<HTMLInputElement>('Open registration')?.checked).toBe(true)
  noSave()
})

const texts = {
  Name: 'Harbour',
  Slogan: 'Sail on',
  Description: 'About us',
  Colour: '#AA5500',
  Footer: 'By the **crew**<mbr/>of Harbour',
  'Email domains': 'example.org, example.net',
  Lifetime: '90',
  Extension: '45',
  'Extension window': '20',
  'Additional flag variables': 'SECRET, CTF_FLAG',
}
const switches = [
  'Watermark',
  'Open registration',
  'Activate new accounts immediately',
  'Confirm email addresses',
  'Captcha',
  'Replace the oldest instance at the limit',
  'End the instance on solve',
]

test('a link to a section scrolls to it when the settings are loaded', async () => {
  const shown: string[] = []
  Element.prototype.scrollIntoView ??= () => {}
  const scroll = vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
    shown.push(this.id)
  })
  onTestFinished(() => scroll.mockRestore())
  aServer()
  await openPage(<SettingsScreen />, [], '/admin/Settings#captcha')
  await until(() => expect(shown.at(-1)).toBe('captcha'))
})

test('P2.15 P3.40 SE-1 one bar saves every field, and a reload reads them back', async () => {
  const server = aServer()
  const { save } = await open(server)
  for (const [label, text] of Object.entries(texts)) await write(field(label), text)
  const before = switches.map((name) => named<HTMLInputElement>(name)?.checked)
  for (const name of switches) await toggle(name)
  await save(17)
  expect(server.sent).toEqual([
    {
      globalConfig: {
        title: 'Harbour',
        slogan: 'Sail on',
        description: 'About us',
        footerInfo: 'By the **crew**<mbr/>of Harbour',
        customTheme: '#AA5500',
        watermark: true,
      },
      accountPolicy: {
        allowRegister: false,
        activeOnRegister: false,
        emailConfirmationRequired: true,
        emailDomainList: 'example.org, example.net',
        useCaptcha: true,
      },
      containerPolicy: {
        defaultLifetime: 90,
        extensionDuration: 45,
        renewalWindow: 20,
        autoDestroyOnLimitReached: true,
        destroyOnSolve: true,
        flagVariables: 'SECRET, CTF_FLAG',
      },
    },
  ])
  expect(toasts()).toMatchObject([{ title: 'Saved', role: 'status' }])
  noSave()
  await open(server)
  for (const [label, text] of Object.entries(texts)) expect(field(label).value, label).toBe(text)
  expect(switches.map((name) => named<HTMLInputElement>(name)?.checked)).toEqual(before.map((on) => !on))
})

test('SE-1 only the changed fields are sent, and text typed during the call is still a change', async () => {
  const server = aServer()
  const { place, save } = await open(server)
  let answer = () => {}
  server.holds.set('PUT /api/admin/config', new Promise((resolve) => (answer = resolve)))
  await write(field('Slogan'), 'Sail on')
  await save(1)
  await write(field('Name'), 'Later')
  // While they are being stored, nothing asks before the page is left.
  expect(hasUnsaved()).toBe(false)
  answer()
  await until(() => expect(hasUnsaved()).toBe(true))
  await settle()
  expect(server.sent).toEqual([{ globalConfig: { slogan: 'Sail on' } }])
  expect([field('Name').value, field('Slogan').value]).toEqual(['Later', 'Sail on'])
  expect(place.textContent).toContain('Save 1 change')
  // Before the settings are read again the other ones of the group have their values.
  server.holds.set('GET /api/admin/config', new Promise(() => {}))
  await toggle('Open registration')
  await save(2)
  await until(() => expect(server.sent).toHaveLength(2))
  await settle()
  expect(named<HTMLInputElement>('Activate new accounts immediately')?.checked).toBe(true)
})

test('SE-1 when the settings cannot be read again after they were saved, the saved ones are shown and discarding restores them', async () => {
  const server = aServer()
  const { save } = await open(server)
  await write(field('Slogan'), 'Sail on')
  server.refusals.set('GET /api/admin/config', { title: 'Out of order', status: 400, code: 'request.invalid' })
  await save(1)
  noSave()
  await write(field('Slogan'), 'Typed later')
  await write(field('Name'), 'Later')
  await click(button('Discard'))
  expect([field('Name').value, field('Slogan').value, field('Lifetime').value]).toEqual(['GZ', 'Sail on', '120'])
  expect(named<HTMLInputElement>('Open registration')?.checked).toBe(true)
  noSave()
})

test('P3.46 SE-1 name, slogan, colour and logo of the page change at once', async () => {
  const server = aServer()
  const { place, save } = await open(server)
  await write(field('Name'), 'Harbour')
  await write(field('Slogan'), 'Sail on')
  await write(field('Colour'), '#AA5500')
  await pick(png)
  await save(4)
  expect(document.title).toContain('Harbour::CTF')
  const shell = () => place.querySelector('[data-shell]')?.textContent
  await until(() => expect(shell()).toBe(`Harbour, Sail on, #AA5500, /assets/${'c'.repeat(64)}/logo`))
  expect(place.textContent).toContain('Shown as Harbour::CTF')
})

const saveByKeys = async () => {
  const keys = { key: 's', code: 'KeyS', ctrlKey: true, bubbles: true }
  await act(async () => field('Slogan').dispatchEvent(new KeyboardEvent('keydown', keys)))
  await settle()
}

test('SE-1 control and S save like the button', async () => {
  const server = aServer()
  await open(server)
  await write(field('Slogan'), 'By keys')
  await saveByKeys()
  expect(server.sent).toEqual([{ globalConfig: { slogan: 'By keys' } }])
})

test('a refusal keeps the typed text; discarding restores the stored values', async () => {
  const server = aServer()
  server.refusals.set('PUT /api/admin/config', { title: 'No', status: 400, code: 'request.invalid' })
  const { save } = await open(server)
  await write(field('Extension'), '45')
  await save(1)
  expect(toasts()).toMatchObject([{ title: 'Could not save', message: 'No', role: 'alert' }])
  expect(field('Extension').value).toBe('45')
  await click(button('Discard'))
  expect(field('Extension').value).toBe('120')
  noSave()
})

test('FB-6 GUARD-12 one guard asks once before unsaved work of any section is left', async () => {
  await open(aServer())
  expect(hasUnsaved()).toBe(false)
  await write(field('Name'), 'Harbour')
  await write(field('Lifetime'), '90')
  await click([...document.querySelectorAll('a')].find(({ textContent }) => textContent === 'elsewhere'))
  await until(() => expect(document.querySelectorAll('[role=dialog]')).toHaveLength(1))
  await click(button('Cancel'))
  expect(field('Name').value).toBe('Harbour')
  const leaving = new Event('beforeunload', { cancelable: true })
  window.dispatchEvent(leaving)
  expect(leaving.defaultPrevented).toBe(true)
})

const steps = () => [...document.querySelectorAll('[data-step]')].map((step) => step.getAttribute('data-step'))

test('SE-2 the shades follow a valid colour; an invalid one is marked, leaves them and prevents saving', async () => {
  const { place } = await open(aServer())
  const own = steps()
  expect(own).toHaveLength(20)
  await write(field('Colour'), '#AA5500')
  const orange = steps()
  expect(orange).not.toEqual(own)
  await write(field('Colour'), '#AA55')
  expect(place.textContent).toContain('#RRGGBB')
  expect(field('Colour').getAttribute('aria-invalid')).toBe('true')
  expect(field('Colour').value).toBe('#AA55')
  expect(steps()).toEqual(own)
  expect(button('Save 1 change')?.disabled).toBe(true)
  expect(place.querySelector('li[data-wrong]')?.textContent).toContain('Colour')
})

test('SE-3 numbers are limited to their range when the field is left', async () => {
  await open(aServer())
  for (const [label, typed, kept] of [
    ['Lifetime', '9000', '7200'],
    ['Extension', '0', '1'],
    ['Extension window', '400', '360'],
  ] as const) {
    await act(async () => field(label).focus())
    await write(field(label), typed)
    await act(async () => field(label).blur())
    expect(field(label).value, label).toBe(kept)
  }
})

test('SE-3 an error is shown and prevents saving', async () => {
  const server = aServer()
  const { place } = await open(server)
  await write(field('Additional flag variables'), 'MY-FLAG')
  expect(place.textContent).toContain('Use letters, digits, underscores')
  expect([button('Save 1 change')?.disabled, button('Discard')?.disabled]).toEqual([true, false])
  await saveByKeys()
  expect(server.sent).toEqual([])
  await write(field('Additional flag variables'), '')
  await write(field('Lifetime'), '')
  expect(place.textContent).toContain('A whole number from 1 to 7,200')
  expect(place.textContent).not.toContain('instances can be extended at any time')
  await write(field('Email domains'), '@example.org')
  expect(place.querySelectorAll('li[data-wrong]')).toHaveLength(2)
  expect(place.textContent).not.toContain(t('shell.colourWrong'))
  await write(field('Colour'), '#AA55')
  expect(place.textContent).toContain(t('shell.colourWrong'))
  expect([...place.querySelectorAll('li[data-wrong]')].map(({ textContent }) => textContent)).toEqual(
    ['Colour', 'Email domains', 'Lifetime'].map((label) => t('admin.settings.correct', { field: label })),
  )
  const marked = [...Object.keys(texts)].filter((label) => field(label).getAttribute('aria-invalid') === 'true')
  expect(marked).toEqual(['Colour', 'Email domains', 'Lifetime'])
})

test('SE-4 conflicting settings are explained while they are changed', async () => {
  const { place } = await open(aServer())
  await toggle('Confirm email addresses')
  const notes = [...place.querySelectorAll('[role=status]')].map(({ textContent }) => textContent)
  expect(notes).toContainEqual(expect.stringContaining('No effect while new accounts are activated immediately'))
  await toggle('Activate new accounts immediately')
  expect(place.textContent).toContain('No mail server configured: users cannot register')
  await toggle('Confirm email addresses')
  expect(place.textContent).toContain('an administrator activates each account')
  await toggle('Captcha')
  expect(place.textContent).toContain('no provider configured')
  expect(place.textContent).not.toContain(t('admin.settings.beside.registrationClosed'))
  await toggle('Open registration')
  expect(place.textContent).toContain(t('admin.settings.beside.registrationClosed'))
  expect(place.textContent).toContain(t('admin.settings.shownAs', { name: 'GZ::CTF' }))
  await write(field('Name'), '  ')
  expect(place.textContent).toContain(t('admin.settings.shownAs', { name: `${defaultSiteTitle}::CTF` }))
  await write(field('Lifetime'), '10')
  expect(place.textContent).toContain('instances can be extended at any time')
})

test('without an engine the times are shown, with a message about when they apply', async () => {
  const { place } = await open(aServer({ containers: 'None', environment: { containers: 'None' } }))
  expect(place.textContent).toContain('These settings apply once VEXIL_CONTAINER_PROVIDER is set')
  expect(environmentRows()).toEqual([
    ['PUBLIC_URL', 'https://ctf.example.org'],
    ['VEXIL_MAIL_HOST', t('admin.server.mailOff')],
    ['VEXIL_CAPTCHA_PROVIDER', t('admin.server.captchaOff')],
    ['VEXIL_CONTAINER_PROVIDER', t('admin.server.containersOff')],
    ['DATABASE_URL', t('admin.server.database.embedded')],
    ['VEXIL_S3_BUCKET', t('admin.server.files.folder')],
  ])
  expect(field('Lifetime').value).toBe('120')
})

test('a proxy in front of the platform that is not trusted is named', async () => {
  const { place } = await open(aServer({ untrustedProxy: '10.0.0.9' }))
  expect(place.textContent).toContain('10.0.0.9 sends X-Forwarded-For but is not trusted')
})

const serverSection = () =>
  [...document.querySelectorAll('section')].find((one) => one.querySelector('h2')?.textContent === 'Server')
const environmentRows = () =>
  [...(serverSection()?.querySelectorAll('dl > div') ?? [])].map((row) => [...row.children].map(({ textContent }) => textContent))

test('SE-7 a value set by the environment is shown with its variable and has no control', async () => {
  await open(aServer({ environment: { captcha: 'CloudflareTurnstile', mail: true, database: 'outside', files: 'bucket' } }))
  const section = serverSection()
  expect([section?.querySelector('details')?.open, section?.querySelector('summary')?.textContent]).toEqual([
    false,
    'Show the variables',
  ])
  expect(environmentRows()).toEqual([
    ['PUBLIC_URL', 'https://ctf.example.org'],
    ['VEXIL_MAIL_HOST', 'Mail server configured'],
    ['VEXIL_CAPTCHA_PROVIDER', 'CloudflareTurnstile'],
    ['VEXIL_CONTAINER_PROVIDER', 'Docker'],
    ['VEXIL_CONTAINER_PORTS', 'Each container has its own port'],
    ['DATABASE_URL', 'External PostgreSQL'],
    ['VEXIL_S3_BUCKET', 'Files are stored in S3'],
  ])
  expect(section?.querySelectorAll('input, button, textarea')).toHaveLength(0)
})

const pick = async (chosen: File) => {
  const input = document.querySelector<HTMLInputElement>('input[type=file]')
  Object.defineProperty(input, 'files', { value: [chosen], configurable: true })
  await act(async () => input?.dispatchEvent(new Event('change', { bubbles: true })))
  await settle()
}
const png = new File(['picture'], 'logo.png', { type: 'image/png' })
const previews = () => [...document.querySelectorAll('img[src^="blob:"]')].map((one) => (one as HTMLElement).style.maxHeight)

test('P2.15 SE-1 a chosen logo is shown in four sizes and stored with the rest, the fields first', async () => {
  const server = aServer()
  const { save } = await open(server)
  await pick(png)
  expect(previews()).toEqual(['20px', '40px', '60px', '80px'])
  expect(server.calls.filter((call) => call.includes('logo'))).toEqual([])
  expect(hasUnsaved()).toBe(true)
  await write(field('Slogan'), 'Sail on')
  await save(2)
  expect(server.calls.filter((call) => call.includes('config'))).toEqual(['PUT /api/admin/config', 'POST /api/admin/config/logo'])
  expect(hasUnsaved()).toBe(false)
  noSave()
  expect((await open(server)).place.querySelectorAll(`img[src="/assets/${'c'.repeat(64)}/logo"]`)).toHaveLength(4)
})

test('SE-1 a logo that is refused stays chosen, while the fields are saved', async () => {
  const server = aServer()
  server.refusals.set('POST /api/admin/config/logo', { title: 'No picture', status: 400, code: 'site.logo_failed' })
  const { place, save } = await open(server)
  const cleared = vi.fn()
  Object.defineProperty(document.querySelector('input[type=file]'), 'value', { set: cleared })
  await pick(png)
  // The same file can be chosen again.
  expect(cleared).toHaveBeenCalledWith('')
  await write(field('Slogan'), 'Sail on')
  await save(2)
  expect(toasts().at(-1)).toMatchObject({ message: 'No picture', role: 'alert' })
  expect(place.textContent).toContain('Save 1 change')
  expect(previews()).toHaveLength(4)
  expect(URL.revokeObjectURL).not.toHaveBeenCalled()
  await click(button('Discard'))
  expect(previews()).toHaveLength(0)
  expect(URL.revokeObjectURL).toHaveBeenCalledExactlyOnceWith('blob:chosen')
  expect(field('Slogan').value).toBe('Sail on')
})

test.each([
  ['of another kind', new File(['x'], 'a.svg', { type: 'image/svg+xml' })],
  ['above 3 MB', new File([new Uint8Array(3 * 1024 * 1024 + 1)], 'a.png', { type: 'image/png' })],
])('SE-1 a picture %s is refused with a message', async (_, chosen) => {
  await open(aServer())
  await pick(chosen)
  const message = 'File invalid (check format and size)'
  expect(toasts()).toMatchObject([{ title: 'Failed to load file', message, role: 'alert' }])
  noSave()
})

test('SE-5 the built-in logo is restored after a question; No keeps the own one', async () => {
  const server = aServer({ logoHash: 'b'.repeat(64) })
  const { place } = await open(server)
  await pick(png)
  expect(button('Reset logo')).toBeUndefined()
  expect(place.textContent).toContain(t('admin.settings.logoChosen', { name: 'logo.png' }))
  expect(place.textContent).not.toContain(t('ui.imageRule'))
  await click(button('Discard'))
  await click(button('Reset logo'))
  await until(() => expect(document.body.textContent).toContain('Reset to the built-in logo?'))
  expect(document.querySelector('[role=dialog]')?.textContent).toContain(t('admin.settings.logoResetText'))
  await click(button('Cancel'))
  expect(server.calls).not.toContain('DELETE /api/admin/config/logo')
  const call = 'DELETE /api/admin/config/logo'
  server.refusals.set(call, { title: 'No', status: 400, code: 'request.invalid' })
  await click(button('Reset logo'))
  await click(button('Reset logo'))
  await until(() => expect(toasts()).toMatchObject([{ title: 'Could not save', message: 'No', role: 'alert' }]))
  server.refusals.delete(call)
  await click(button('Reset logo'))
  await until(() => expect(document.querySelector('[role=dialog]')).not.toBeNull())
  await click(button('Reset logo'))
  expect(server.calls).toContain('DELETE /api/admin/config/logo')
  await until(() => expect(toasts()).toMatchObject([{ title: 'Logo reset', role: 'status' }]))
  await until(() => expect(document.querySelectorAll('img[src^="/assets/b"]')).toHaveLength(0))
  expect(button('Reset logo')).toBeUndefined()
})

test('SE-6 SE-7 files are listed with name, hash, size and the places that use them; unused ones are deleted after a question', async () => {
  const server = aServer({ files: [...Array.from({ length: 20 }, (_, i) => file(i + 3, 2)), file(1, 3), file(2, 0)] })
  const { place } = await open(server, '/admin/Settings?files=2')
  expect(server.calls.filter((call) => call.startsWith('files'))).toEqual(['files count=20&skip=20'])
  await until(() =>
    expect(rows(place)).toEqual([
      expect.stringMatching(/file 1\.zip.*2\.0 KiB.*Challenge BuoyWriteup of Gulls and 1 more$/),
      expect.stringMatching(/file 2\.zip.*4\.0 KiB.*unused/),
    ]),
  )
  expect(rows(place).map((text) => text.includes('unused'))).toEqual([false, true])
  expect([...place.querySelectorAll('tbody a')].map((one) => one.getAttribute('href'))).toEqual([
    '/admin/games/7/challenges/3',
    '/admin/games/7/Writeups',
  ])
  expect(named(`Copy hash ${file(1, 2).hash.slice(0, 12)}: ${file(1, 2).hash}`)).toBeTruthy()
  expect(place.querySelector('tbody [title]')?.getAttribute('title')).toBe('file 1.zip')
  expect([...place.querySelectorAll('#files [role=status]')].map(({ textContent }) => textContent)).toEqual(['2 of 22'])
  expect(named('Delete file 1.zip')).toBeUndefined()
  await click(named('Delete file 2.zip'))
  const question = document.querySelector('[role=dialog]')?.textContent
  expect(question).toMatch(/file 2\.zip.*Links to it stop working\. This cannot be undone\./)
  expect(server.calls).not.toContain(`DELETE /api/assets/${file(2, 0).hash}`)
  await click(button('Delete'))
  expect(server.calls).toContain(`DELETE /api/assets/${file(2, 0).hash}`)
  await until(() => expect(rows(place)).toHaveLength(1))
  expect(toasts()).toMatchObject([{ title: 'file 2.zip deleted', role: 'status' }])
  expect(place.textContent).toContain('1 of 21')
  await click([...place.querySelectorAll('#files button')].find(({ textContent }) => textContent === '1'))
  expect([server.calls.at(-1), where()]).toEqual(['files count=20&skip=0', '/admin/Settings'])
  await until(() => expect(rows(place)).toHaveLength(20))
  expect(rows(place).join()).not.toContain('more')
  // A page is read again when it is shown again.
  const reads = () => server.calls.filter((call) => call === 'files count=20&skip=20').length
  const before = reads()
  await click([...place.querySelectorAll('#files button')].find(({ textContent }) => textContent === '2'))
  await until(() => expect(rows(place)).toHaveLength(1))
  expect(reads()).toBe(before + 1)
})

test('SE-6 a file names each kind of place that uses it; exactly one page has no page numbers, and no file at all a message', async () => {
  const use = (use: string, name: string) => ({ use, name, gameId: use === 'Game' ? 7 : null, challengeId: null })
  const uses = [use('Account', 'ada & co'), use('Team', 'Gulls'), use('Game', 'Cup'), use('Site', '')]
  const server = aServer({ files: [{ ...file(1, 4), uses }, ...Array.from({ length: 19 }, (_, i) => file(i + 2, 0))] as never })
  const { place } = await open(server)
  await until(() => expect(rows(place)).toHaveLength(20))
  expect(rows(place)[0]).toContain('20 Nov')
  expect(rows(place)[0]).toMatch(/Picture of ada & coPicture of team GullsPoster of CupLogo of the platform$/)
  expect([...place.querySelectorAll('tbody a')].map((one) => one.getAttribute('href'))).toEqual([
    '/admin/Users?search=ada+%26+co',
    '/admin/Teams',
    '/admin/games/7/Info',
  ])
  expect([...place.querySelectorAll('#files button')].filter(({ textContent }) => textContent === '1')).toEqual([])
  expect(place.textContent).not.toContain(t('admin.files.none'))
  const empty = await open(aServer({ files: [] }))
  await until(() => expect(empty.place.textContent).toContain(t('admin.files.none')))
  expect(empty.place.querySelector('#files table')).toBeNull()
})

test('SE-6 a page of files stays until the next one is there; a file that is not deleted stays, and the reason is shown', async () => {
  const files = Array.from({ length: 21 }, (_, i) => file(i + 1, 0))
  const server = aServer({ files })
  server.refusals.set(`DELETE /api/assets/${files[0]?.hash}`, { title: 'In use', status: 400, code: 'request.invalid' })
  const { place } = await open(server)
  await until(() => expect(rows(place)).toHaveLength(20))
  await click(named('Delete file 1.zip'))
  await click(button('Delete'))
  await until(() => expect(toasts()).toMatchObject([{ title: 'Could not delete', message: 'In use', role: 'alert' }]))
  expect(rows(place)).toHaveLength(20)
  let answer = () => {}
  server.holds.set('GET /api/admin/files', new Promise((resolve) => (answer = resolve)))
  await click([...place.querySelectorAll('#files button')].find(({ textContent }) => textContent === '2'))
  expect([where(), rows(place).length]).toEqual(['/admin/Settings?files=2', 20])
  answer()
  await until(() => expect(rows(place)).toHaveLength(1))
})

test('the page of files that loses its last row leads to the one before', async () => {
  const server = aServer({ files: [...Array.from({ length: 20 }, (_, i) => file(i + 3, 1)), file(2, 0)] })
  const { place } = await open(server, '/admin/Settings?files=2')
  await until(() => expect(rows(place)).toHaveLength(1))
  await click(named('Delete file 2.zip'))
  await click(button('Delete'))
  await until(() => expect(rows(place)).toHaveLength(20))
  expect(server.calls.at(-1)).toBe('files count=20&skip=0')
})
