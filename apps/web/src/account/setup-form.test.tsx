// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { openPage, type } from '../../test/page.tsx'
import { SetupForm } from './setup-form.tsx'

test('the form shows the platform name exactly as it is typed', async () => {
  const place = await openPage(<SetupForm token="t" />)
  const title = place.querySelector<HTMLInputElement>('input[placeholder="GZ"]')!
  for (const name of ['Regatta', '{{name}}', '<b>x</b>']) {
    await type(title, name)
    expect(place.querySelector('b')?.textContent).toBe(`${name}::CTF`)
  }
})
