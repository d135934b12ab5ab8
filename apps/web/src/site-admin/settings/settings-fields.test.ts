import type { SiteConfig } from '@vexil/contract/settings'
import { expect, test } from 'vitest'
import { contradictions, type SettingsFields, settingsBody, settingsFields, wrongSettings } from './settings-fields.ts'

const config: Omit<SiteConfig, 'untrustedProxy' | 'environment'> = {
  accountPolicy: {
    allowRegister: true,
    activeOnRegister: true,
    useCaptcha: false,
    emailConfirmationRequired: false,
    emailDomainList: '',
  },
  globalConfig: {
    title: 'GZ',
    slogan: 'S',
    description: null,
    footerInfo: null,
    customTheme: null,
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
}
const fields = settingsFields(config)
const environment: SiteConfig['environment'] = {
  publicUrl: 'http://localhost',
  captcha: 'CloudflareTurnstile',
  mail: true,
  containers: 'None',
  database: 'embedded',
  files: 'folder',
}

test('SE-3 each limit of the form is the limit of the server', () => {
  const wrong = (change: Partial<SettingsFields>) => wrongSettings({ ...fields, ...change })
  for (const name of ['defaultLifetime', 'extensionDuration'] as const) {
    for (const fine of [1, 7200]) expect(wrong({ [name]: fine })).toEqual([])
    for (const bad of [0, 7201, 1.5, '']) expect(wrong({ [name]: bad })).toEqual([name])
  }
  for (const fine of [1, 360]) expect(wrong({ renewalWindow: fine })).toEqual([])
  for (const bad of [0, 361]) expect(wrong({ renewalWindow: bad })).toEqual(['renewalWindow'])
  for (const fine of ['', 'A', '_A1, b ,', 'A,B']) expect(wrong({ flagVariables: fine })).toEqual([])
  for (const bad of ['1A', 'A B', 'A=B', 'ä', 'A;B']) expect(wrong({ flagVariables: bad })).toEqual(['flagVariables'])
  for (const fine of ['', 'example.org', ' a.example.org , b.net,']) expect(wrong({ emailDomainList: fine })).toEqual([])
  for (const bad of ['@example.org', 'localhost', 'a b.org', 'example.'])
    expect(wrong({ emailDomainList: bad })).toEqual(['emailDomainList'])
})

test('P5.14 SE-2 a colour is #RRGGBB in any letter case, or none', () => {
  const wrong = (customTheme: string) => wrongSettings({ ...fields, customTheme })
  for (const fine of ['', ' ', '#1b57ab', '#1B57AB']) expect(wrong(fine)).toEqual([])
  for (const bad of ['#12345', '1b57ab', '#1b57abc', 'blue', '#gggggg']) expect(wrong(bad)).toEqual(['customTheme'])
})

test('only the changed fields are sent, trimmed, in their groups', () => {
  const changed = { ...fields, title: ' T ', allowRegister: false, renewalWindow: 20 }
  expect(settingsBody(changed, ['title', 'allowRegister', 'renewalWindow'])).toEqual({
    globalConfig: { title: 'T' },
    accountPolicy: { allowRegister: false },
    containerPolicy: { renewalWindow: 20 },
  })
  expect(settingsBody(fields, [])).toEqual({})
})

test.each([
  [{}, {}, []],
  [{ allowRegister: false }, {}, ['registrationClosed']],
  [{ emailConfirmationRequired: true }, {}, ['verificationIdle']],
  [{ emailConfirmationRequired: true, activeOnRegister: false }, {}, []],
  [{ emailConfirmationRequired: true, activeOnRegister: false }, { mail: false }, ['verificationWithoutMail']],
  [{ activeOnRegister: false }, {}, ['activatedByHand']],
  [{ useCaptcha: true }, {}, []],
  [{ useCaptcha: true }, { captcha: 'None' }, ['captchaWithoutProvider']],
  [{ defaultLifetime: 10 }, {}, ['alwaysExtendable']],
  [{ defaultLifetime: 11 }, {}, []],
] as const)('SE-4 %j with %j is explained by %j', (change, beside, found) => {
  expect(contradictions({ ...fields, ...change }, { ...environment, ...beside } as SiteConfig['environment'])).toEqual(found)
})
