// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import i18next from 'i18next'
import { act, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { initReactI18next } from 'react-i18next'
import { beforeAll, expect, test } from 'vitest'
import en from '../../locales/en_US.json' with { type: 'json' }
import { NewPassword, RetypedPassword } from './password-field.tsx'

beforeAll(async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  window.matchMedia = ((query: string) => ({
    matches: false,
    media: query,
    addEventListener() {},
    removeEventListener() {},
  })) as never
  await i18next.use(initReactI18next).init({ lng: 'en_US', cleanCode: false, resources: { en_US: { translation: en } } })
})

function Form() {
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  return (
    <MantineProvider env="test">
      <NewPassword value={password} onChange={setPassword} />
      <RetypedPassword original={password} value={again} onChange={setAgain} />
    </MantineProvider>
  )
}

async function shown() {
  const place = document.createElement('div')
  document.body.replaceChildren(place)
  await act(async () => createRoot(place).render(<Form />))
  const [password, again] = [...place.querySelectorAll('input')] as [HTMLInputElement, HTMLInputElement]
  const type = (field: HTMLInputElement, text: string) =>
    act(async () => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text)
      field.dispatchEvent(new Event('input', { bubbles: true }))
    })
  const met = () => [...place.querySelectorAll('li')].filter((tick) => tick.dataset.met).map((tick) => tick.textContent)
  return { place, password, again, type, met }
}

test('P5.2 the four hints move while typing and block nothing', async () => {
  const { password, type, met } = await shown()
  expect(met()).toEqual([])
  await type(password, 'abc')
  expect(met().join()).toMatch(/lower case/)
  await type(password, 'aB1!aB1!')
  expect(met()).toHaveLength(5)
  await type(password, 'aaaaaa')
  expect(met()).toHaveLength(2)
})

test('P5.3 a password that differs from the first is marked while typing', async () => {
  const { place, password, again, type } = await shown()
  await type(password, 'harbor')
  expect(place.textContent).not.toContain('The passwords differ')
  await type(again, 'harbo')
  expect(place.textContent).toContain('The passwords differ')
  await type(again, 'harbor')
  expect(place.textContent).not.toContain('The passwords differ')
})
