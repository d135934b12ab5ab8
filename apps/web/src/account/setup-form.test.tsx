// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import i18next from 'i18next'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { initReactI18next } from 'react-i18next'
import { MemoryRouter } from 'react-router'
import { beforeAll, expect, test } from 'vitest'
import en from '../../locales/en_US.json' with { type: 'json' }
import { SetupForm } from './setup-form.tsx'

beforeAll(async () => {
  Object.assign(globalThis, {
    IS_REACT_ACT_ENVIRONMENT: true,
    ResizeObserver: class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  })
  window.matchMedia = ((query: string) => ({
    matches: false,
    media: query,
    addEventListener() {},
    removeEventListener() {},
  })) as never
  await i18next.use(initReactI18next).init({
    lng: 'en_US',
    cleanCode: false,
    interpolation: { escapeValue: false },
    resources: { en_US: { translation: en } },
  })
})

test('a platform is shown by the name that is typed, whatever it looks like', async () => {
  const place = document.createElement('div')
  document.body.replaceChildren(place)
  await act(async () =>
    createRoot(place).render(
      <MantineProvider env="test">
        <QueryClientProvider client={new QueryClient()}>
          <MemoryRouter>
            <SetupForm token="t" />
          </MemoryRouter>
        </QueryClientProvider>
      </MantineProvider>,
    ),
  )
  const title = place.querySelector<HTMLInputElement>('input[placeholder="GZ"]')!
  for (const name of ['Regatta', '{{name}}', '<b>x</b>']) {
    await act(async () => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(title, name)
      title.dispatchEvent(new Event('input', { bubbles: true }))
    })
    expect(place.querySelector('b')?.textContent).toBe(`${name}::CTF`)
  }
})
