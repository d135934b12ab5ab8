// @vitest-environment jsdom
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { json, openPage, toasts, type, until } from '../../test/page.tsx'
import { paths } from '../shell/paths.ts'
import { JoinTeamButton } from './join-team.tsx'

afterEach(() => void vi.unstubAllGlobals())

test('P5.9 P8.13 TEAM-1 an invite code of a wrong form is refused at its field and sends nothing; a valid one is sent, also that of a pasted link', async () => {
  const requests: unknown[] = []
  const answered = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', async (_input: unknown, init?: RequestInit) => {
    if (init?.body === undefined) return json({})
    requests.push(JSON.parse(String(init.body)))
    return answered.promise
  })
  await openPage(<JoinTeamButton />, [], '/Teams?join=')
  const field = () => document.querySelector<HTMLInputElement>('form input') ?? undefined
  const send = () => act(async () => void document.querySelector('form')?.requestSubmit())
  const secret = 'a'.repeat(32)
  for (const wrong of ['', 'Gulls', `Gulls:1:${secret.slice(1)}`, `Gulls:1:${secret}x`, `Gulls:99999999999:${secret}`]) {
    await type(field(), wrong)
    await send()
    expect([wrong, requests]).toEqual([wrong, []])
    expect(document.querySelector('.mantine-InputWrapper-error')?.textContent).toBe(
      'Incorrect team invite code: use the form name:number:32 characters',
    )
    expect(toasts()).toEqual([])
  }
  // The next text is not marked before it is sent.
  await type(field(), 'Gulls')
  expect(document.querySelector('.mantine-InputWrapper-error')).toBeNull()
  // A link to another page is no invitation.
  const elsewhere = `${location.origin}/games/7?join=3`
  await type(field(), elsewhere)
  expect(field()?.value).toBe(elsewhere)
  await type(field(), ` ${location.origin}${paths.joinTeam(`Sea Gulls:1:${secret}`)}\n`)
  expect(field()?.value).toBe(`Sea Gulls:1:${secret}`)
  await type(field(), ` Gulls:1:${secret} `)
  await send()
  expect(requests).toEqual([`Gulls:1:${secret}`])
  await until(() => expect(field()?.disabled).toBe(true))
  await act(async () => answered.resolve(json({})))
  await until(() => expect(toasts()).toMatchObject([{ role: 'status' }]))
})
