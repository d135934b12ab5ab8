// @vitest-environment jsdom
import { act, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { settle } from '../../../test/acts.ts'
import { json, openPage, toasts, type } from '../../../test/page.tsx'
import { keys } from '../../api/query-keys.ts'
import { ImageLookup } from './image-lookup.tsx'

afterEach(() => void vi.unstubAllGlobals())

function Field() {
  const [image, setImage] = useState(' registry.example/buoy:1 ')
  return (
    <>
      <input value={image} onChange={(event) => setImage(event.currentTarget.value)} />
      <ImageLookup image={image} busy={false} />
    </>
  )
}

async function open(answer: () => Response, containers = 'Default') {
  const requests: string[] = []
  vi.stubGlobal('fetch', async (input: string) => {
    requests.push(String(input))
    return answer()
  })
  const place = await openPage(<Field />, [[keys.config, { title: 'GZ', containers }]])
  const press = async () => {
    await act(async () => {
      place.querySelector('button')?.click()
    })
    await settle()
  }
  return { place, requests, press, field: place.querySelector('input') ?? undefined }
}

test.each([
  [{ found: 'here', reason: null }, 'status', 'The engine has this image'],
  [{ found: 'registry', reason: null }, 'status', 'The engine can pull this image'],
  [{ found: 'missing', reason: 'manifest unknown' }, 'alert', 'Not found. manifest unknown'],
  [{ found: 'silent', reason: null }, 'alert', 'No answer within 15 seconds'],
])('the engine looks up the typed image, and %o is shown as text', async (answer, role, words) => {
  const { place, requests, press } = await open(() => json(answer))
  await press()
  expect(requests).toEqual(['/api/admin/engine/image?name=registry.example%2Fbuoy%3A1'])
  expect(place.querySelector(`[role=${role}]`)?.textContent).toContain(words)
})

test('an engine that is unreachable is shown in place, in the words of the server', async () => {
  const title = 'Cannot reach the container engine'
  const { place, press } = await open(() => json({ title, status: 400, code: 'container.engine_unreachable' }, 400))
  await press()
  expect(place.querySelector('[role=alert]')?.textContent).toBe(title)
  expect(toasts()).toEqual([])
})

test('the result disappears when another image is typed; a blank image is not looked up', async () => {
  const { place, field, press } = await open(() => json({ found: 'here', reason: null }))
  await press()
  await type(field, 'registry.example/buoy:2')
  expect(place.querySelector('[role=status]')).toBeNull()
  await type(field, '  ')
  expect(place.querySelector('button')?.disabled).toBe(true)
})

test('without an engine there is no button', async () => {
  const { place } = await open(() => json({}), 'None')
  expect(place.querySelector('button')).toBeNull()
})
