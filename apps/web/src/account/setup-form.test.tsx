// @vitest-environment jsdom
import { siteLimits } from '@vexil/core/limits'
import { act } from 'react'
import { expect, test } from 'vitest'
import { click, field, send } from '../../test/acts.ts'
import { openPage, type, until, Where, where } from '../../test/page.tsx'
import { acts, serve } from '../../test/server.ts'
import { keys } from '../api/query-keys.ts'
import { t } from '../ui/text/texts.tsx'
import SetupScreen from './setup.screen.tsx'
import { SetupForm } from './setup-form.tsx'

test('the form shows the platform name exactly as it is typed', async () => {
  const place = await openPage(<SetupForm token="t" />)
  const title = field('Platform name')
  expect([title.value, title.maxLength, field('Slogan').maxLength]).toEqual(['Vexil', siteLimits.titleMax, siteLimits.sloganMax])
  for (const name of ['Regatta', '{{name}}', '<b>x</b>']) {
    await type(title, name)
    expect(place.querySelector('b')?.textContent).toBe(`${name}::CTF`)
  }
})

test('the first field is the username of the administrator and has the focus; an emptied name is the proposed one', async () => {
  const held = Promise.withResolvers<object>()
  const requests = serve(({ method }) => (method === 'POST' ? held.promise : {}))
  const form = (
    <>
      <Where />
      <SetupForm token="t" />
    </>
  )
  await openPage(form, [[keys.config, { title: 'GZ' }]], '/setup')
  expect(document.activeElement).toBe(field('Username of the administrator'))
  expect(document.querySelector('form input')).toBe(document.activeElement)
  const isMarked = (label: string) => field(label).getAttribute('aria-invalid') === 'true'
  await type(field('Username of the administrator'), 'skipper')
  await send(field('Email'))
  expect([isMarked('Email'), acts(requests)]).toEqual([true, []])
  await type(field('Email'), 'skipper@example.org')
  expect(isMarked('Email')).toBe(false)
  await type(field('Password'), 'secret-1')
  await type(field('Retype password'), 'secret-1')
  await type(field('Platform name'), '')
  await type(field('Slogan'), 'Ahoy')
  await type(field('Colour'), '#00aa0')
  await act(async () => void field('Colour').dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
  expect(field('Colour').value).toBe('#00aa0')
  await send(field('Email'))
  expect([isMarked('Colour'), acts(requests)]).toEqual([true, []])
  await type(field('Colour'), '#00aa00')
  await click(document.querySelector('input[type=checkbox]'))
  await send(field('Email'))
  const labels = ['Username of the administrator', 'Email', 'Password', 'Retype password', 'Platform name', 'Slogan', 'Colour']
  expect(labels.filter((label) => !field(label).readOnly)).toEqual([])
  expect(document.querySelector<HTMLInputElement>('input[type=checkbox]')?.disabled).toBe(true)
  await act(async () => held.resolve({}))
  await until(() => expect(where()).toBe('/'))
  const site = { title: 'Vexil', slogan: 'Ahoy', customTheme: '#00aa00', demo: false }
  expect(acts(requests)).toMatchObject([{ call: 'POST /api/setup', body: { userName: 'skipper', ...site } }])
  // Configuration and session have changed, and the home page shows both.
  expect(requests.map(({ path }) => path)).toEqual(expect.arrayContaining(['/api/config', '/api/account/session']))
  expect(where()).toBe('/')
})

test('without the token of the link the setup explains what is missing and has no form', async () => {
  const place = await openPage(<SetupScreen />, [[keys.config, { title: 'GZ' }]], '/setup?token=')
  expect(place.textContent).toContain(t('setup.notYetHow'))
  expect(place.querySelector('form')).toBeNull()
  const whole = await openPage(<SetupScreen />, [[keys.config, { title: 'GZ' }]], '/setup?token=t')
  expect(whole.querySelector('form')).not.toBeNull()
  expect(whole.textContent).not.toContain(t('setup.notYetHow'))
})

test('an empty slogan is the proposed one, and an empty colour the one of the platform', async () => {
  const requests = serve(() => ({}))
  await openPage(<SetupForm token="t" />)
  await type(field('Username of the administrator'), 'skipper')
  await type(field('Email'), 'skipper@example.org')
  for (const label of ['Password', 'Retype password']) await type(field(label), 'secret-1')
  await send(field('Email'))
  const site = { title: 'Vexil', slogan: field('Slogan').placeholder, customTheme: null, demo: true }
  expect(acts(requests)).toMatchObject([{ call: 'POST /api/setup', body: { token: 't', ...site } }])
  expect(site.slogan).toMatch(/\w{3}/)
})
