// @vitest-environment jsdom
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { json, openPage, type, until, Where, where } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import TeamsScreen from './teams.screen.tsx'

afterEach(() => void vi.unstubAllGlobals())

const button = (text: string) => [...document.querySelectorAll('button')].filter((one) => one.textContent === text).at(-1)

async function makeTeam(address: string) {
  const made = { id: 12, name: 'Kombu', bio: '', avatar: null, locked: false, members: [] }
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) =>
    json(init?.method === 'POST' ? made : input === '/api/team' ? [] : {}),
  )
  await openPage(
    <>
      <Where />
      <Routes>
        <Route path="/Teams" element={<TeamsScreen />} />
        <Route path="*" element={null} />
      </Routes>
    </>,
    [
      [keys.config, { title: 'GZ' }],
      [keys.profile, { userId: 'u', userName: 'ann', role: 'User' }],
    ],
    address,
  )
  await until(() => expect(button('Create a team')).toBeTruthy())
  await act(async () => button('Create a team')?.click())
  await until(() => expect(document.querySelector('[role=dialog] input')).not.toBeNull())
  await type(document.querySelector<HTMLInputElement>('[role=dialog] input') ?? undefined, 'Kombu')
  await act(
    async () =>
      void document.querySelector('[role=dialog] form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })),
  )
}

test('TEAMS-9 a team that is created on the way to a game opens its join form, with the values chosen before', async () => {
  await makeTeam('/Teams?for=7&division=Open&code=ahoy')
  await until(() => expect(where()).toBe('/games/7?join=12&division=Open&code=ahoy'))
})

test('TEAMS-9 without a game in the address the page stays; an invalid address is not followed', async () => {
  await makeTeam('/Teams')
  await until(() => expect(document.querySelector('[role=dialog]')).toBeNull())
  expect(where()).toBe('/Teams')
  await makeTeam('/Teams?for=//evil.example')
  await until(() => expect(document.querySelectorAll('[role=dialog]')).toHaveLength(0))
  expect(where()).toMatch(/^\/Teams/)
})
