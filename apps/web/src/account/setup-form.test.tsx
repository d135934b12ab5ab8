// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { field, send } from '../../test/acts.ts'
import { openPage, type } from '../../test/page.tsx'
import { acts, serve } from '../../test/server.ts'
import { keys } from '../api/query-keys.ts'
import { SetupForm } from './setup-form.tsx'

test('the form shows the platform name exactly as it is typed', async () => {
  const place = await openPage(<SetupForm token="t" />)
  const title = field('Platform name')
  expect(title.value).toBe('Vexil')
  for (const name of ['Regatta', '{{name}}', '<b>x</b>']) {
    await type(title, name)
    expect(place.querySelector('b')?.textContent).toBe(`${name}::CTF`)
  }
})

test('the first field is the username of the administrator and has the focus; an emptied name is the proposed one', async () => {
  const asked = serve(() => ({}))
  await openPage(<SetupForm token="t" />, [[keys.config, { title: 'GZ' }]])
  expect(document.activeElement).toBe(field('Username of the administrator'))
  expect(document.querySelector('form input')).toBe(document.activeElement)
  await type(field('Username of the administrator'), 'skipper')
  await type(field('Email'), 'skipper@example.org')
  await type(field('Password'), 'secret-1')
  await type(field('Retype password'), 'secret-1')
  await type(field('Platform name'), '')
  await send(field('Email'))
  expect(acts(asked)[0]).toMatchObject({ call: 'POST /api/setup', body: { userName: 'skipper', title: 'Vexil' } })
})
