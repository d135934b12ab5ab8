// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { openPage } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { t } from '../ui/text/texts.tsx'
import { Gate } from './gate.tsx'

const site = [keys.config, { title: 'Harbour', logoUrl: '/assets/harbour.webp', slogan: ' Sail on ' }] as const

test('a page of the account has name, picture and slogan of the site; the page of the set-up those of Vexil, with an explanation', async () => {
  const place = await openPage(
    <Gate heading="Sign in">
      <form />
    </Gate>,
    [[...site]],
  )
  expect(place.querySelector('h1')?.textContent).toBe('Sign in')
  expect(place.querySelector('h1 + form')).not.toBeNull()
  const home = place.querySelector('a')
  expect([home?.textContent, home?.getAttribute('href')]).toEqual(['Harbour', '/'])
  expect(home?.querySelector('img')?.getAttribute('src')).toBe('/assets/harbour.webp')
  expect([...place.querySelectorAll('p')].map(({ textContent }) => textContent)).toEqual(['Sail on'])
  // Both have language and colours in their corner, each a stop of Tab.
  const corner = [...place.querySelectorAll<HTMLElement>('button')]
  expect(corner.map((one) => [one.getAttribute('aria-label'), one.tabIndex])).toEqual([
    ['Language', 0],
    ['Light mode', 0],
  ])
  place.remove()
  const setup = await openPage(
    <Gate heading="Set up" unnamed lead="The first start" text="Three steps">
      <form />
    </Gate>,
    [[...site]],
  )
  expect(setup.querySelector('a')?.textContent).toBe('Vexil')
  expect(setup.querySelector('img')).toBeNull()
  expect([...setup.querySelectorAll('p')].map(({ textContent }) => textContent)).toEqual(['The first start', 'Three steps'])
  setup.remove()
  const plain = await openPage(<Gate heading="Sign in">{null}</Gate>, [[keys.config, { title: 'Harbour', slogan: ' ' }]])
  expect(plain.querySelector('p')?.textContent).toBe(t('shell.slogan'))
})
