// @vitest-environment jsdom
import { challengeLimits } from '@vexil/core/limits'
import { act, useState } from 'react'
import { expect, test } from 'vitest'
import { click, field as labelled, settle, write } from '../../../test/acts.ts'
import { openPage, type } from '../../../test/page.tsx'
import { keys } from '../../api/query-keys.ts'
import { AdditionalContainers, NamedPorts } from './additional-containers.tsx'
import { type ContainerDraft, newContainer, type PortDraft } from './container-drafts.ts'

async function open() {
  let hold = () => {}
  const last = { ports: [] as readonly PortDraft[], containers: [] as readonly ContainerDraft[] }
  function Both() {
    const [ports, setPorts] = useState<readonly PortDraft[]>([])
    const [containers, setContainers] = useState<readonly ContainerDraft[]>([])
    const [isBusy, setBusy] = useState(false)
    Object.assign(last, { ports, containers })
    hold = () => setBusy(true)
    return (
      <>
        <NamedPorts ports={ports} first={80} busy={isBusy} onChange={setPorts} />
        <AdditionalContainers containers={containers} busy={isBusy} onChange={setContainers} />
      </>
    )
  }
  const place = await openPage(<Both />, [[keys.config, { title: 'GZ', containers: 'Default' }]])
  const press = async (name: string) => {
    await act(async () => {
      const buttons = [...place.querySelectorAll('button')]
      buttons.find((one) => one.textContent === name || one.getAttribute('aria-label') === name)?.click()
    })
    await settle()
  }
  const field = (name: string) => place.querySelector<HTMLInputElement>(`input[aria-label="${name}"]`) ?? undefined
  return { place, last, press, field, hold: () => act(async () => hold()) }
}

test('without rows both lists say what they are for; a new row has the focus, and another one keeps it when it is removed', async () => {
  const { place, last, press, field } = await open()
  expect(place.textContent).toContain('Only the port above can be reached.')
  expect(place.textContent).toContain('The instance has one container.')
  await press('Add port')
  expect(document.activeElement).toBe(field('Name of port 1'))
  await type(field('Name of port 1'), 'sql')
  await type(field('Port 1'), '80')
  expect(place.textContent).toContain('A port from 1 to 65535 that is used once.')
  // The arrow keys stay within the ports that exist.
  for (const [from, key] of [
    ['65535', 'ArrowUp'],
    ['1', 'ArrowDown'],
  ] as const) {
    await type(field('Port 1'), from)
    await act(async () => void field('Port 1')?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))
    expect(field('Port 1')?.value).toBe(from)
  }
  await type(field('Port 1'), '5432')
  expect(last.ports).toEqual([{ key: 0, name: 'sql', port: 5432 }])
  await press('Add port')
  // What is still empty is not called wrong yet.
  expect(place.textContent).not.toMatch(/Lower-case letters|A port from 1/)
  await type(field('Name of port 2'), 'Web')
  expect(place.textContent).toContain('Lower-case letters, digits and hyphens, each name once.')
  await type(field('Port 2'), '8080')
  expect(last.ports).toEqual([
    { key: 0, name: 'sql', port: 5432 },
    { key: 1, name: 'Web', port: 8080 },
  ])
  await press('Remove port 1')
  expect(last.ports.map(({ key }) => key)).toEqual([1])
  // Only an added row takes the focus.
  await press('Add port')
  field('Port 1')?.focus()
  await press('Remove port 2')
  expect(document.activeElement).toBe(field('Port 1'))
  for (let count = 0; count <= challengeLimits.namedPortsMax; count++) await press('Add port')
  expect(last.ports).toHaveLength(challengeLimits.namedPortsMax)
})

test('while the challenge is being saved no field of a port or container can be changed, and none is added or removed', async () => {
  const { place, press, hold } = await open()
  await press('Add port')
  await press('Add container')
  expect(place.textContent).toMatch(/0\.1 cores.*MB.*MB.*Gets the flag/s)
  const free = () => [...place.querySelectorAll<HTMLInputElement>('input, textarea, button')].filter((one) => !one.disabled)
  expect(free().length).toBeGreaterThan(10)
  // Names, images and variables are no words of a language.
  const written = [...place.querySelectorAll<HTMLElement>('input[placeholder]:not([inputmode]), textarea:not([aria-hidden])')]
  expect(
    written.map((one) => [
      one.getAttribute('placeholder')?.split('=')[0],
      one.getAttribute('spellcheck'),
      (one as HTMLInputElement).maxLength,
    ]),
  ).toEqual([
    ['sql', 'false', challengeLimits.partNameMax],
    ['db', 'false', challengeLimits.partNameMax],
    ['registry.example/name:tag', 'false', challengeLimits.imageNameMax],
    ['MYSQL_DATABASE', 'false', -1],
  ])
  await hold()
  expect(free().map((one) => one.outerHTML)).toEqual([])
})

test('a container has the default limits, says what is wrong, and at most four can be added', async () => {
  const { place, last, press } = await open()
  await press('Add container')
  expect((document.activeElement as HTMLInputElement).placeholder).toBe('db')
  expect([...place.querySelectorAll('legend')].map(({ textContent }) => textContent)).toEqual(['More ports', 'More containers'])
  expect([...place.querySelectorAll('button')].some(({ textContent }) => textContent === 'Check image')).toBe(true)
  // An empty name is not called wrong yet.
  expect(place.textContent).not.toContain('Lower-case letters, digits and hyphens')
  expect(last.containers[0]).toMatchObject({ cpuCount: 1, memoryLimit: 64, storageLimit: 256, getsFlag: false })
  await write(labelled('Image'), 'mysql:9')
  await write(labelled('Memory'), '128')
  await write(labelled('Environment'), 'MYSQL_DATABASE=shop')
  await click(place.querySelector('input[role=switch]'))
  expect(last.containers[0]).toMatchObject({
    ...{ image: 'mysql:9', memoryLimit: 128, environment: 'MYSQL_DATABASE=shop', getsFlag: true },
  })
  await type(place.querySelector<HTMLInputElement>('input[placeholder=db]') ?? undefined, 'DB')
  expect(place.textContent).toContain('Lower-case letters, digits and hyphens, each name once.')
  const invalid = () => [...place.querySelectorAll('[aria-invalid=true]')].map((one) => one.id)
  expect(invalid()).toHaveLength(1)
  await write(labelled('Memory'), '')
  expect(invalid()).toEqual([expect.anything(), labelled('Memory').id])
  await write(labelled('Environment'), 'shop')
  expect(place.textContent).toContain('Each line must be NAME=value, each name once, at most 32 lines.')
  for (let i = 0; i < 4; i++) await press('Add container')
  expect(last.containers).toHaveLength(4)
  // Only the row of a field is changed.
  await type([...place.querySelectorAll<HTMLInputElement>('input[placeholder=db]')][1], 'cache')
  expect(last.containers.map(({ name }) => name)).toEqual(['DB', 'cache', '', ''])
  const names = [...place.querySelectorAll('section')].map((one) => one.getAttribute('aria-label'))
  expect(names).toEqual(['Container 1', 'Container 2', 'Container 3', 'Container 4'])
  await press('Remove container 2')
  expect(last.containers.map(({ key }) => key)).toEqual([0, 2, 3])
})

test('while the challenge is saved, no field and no button of the lists can be used', async () => {
  await openPage(
    <>
      <NamedPorts ports={[{ key: 0, name: 'sql', port: 5432 }]} first={80} busy onChange={() => {}} />
      <AdditionalContainers containers={[newContainer([])]} busy onChange={() => {}} />
    </>,
    [[keys.config, { title: 'GZ', containers: 'Default' }]],
  )
  const controls = [...document.querySelectorAll<HTMLInputElement>('input, textarea:not([aria-hidden]), button')]
  expect(controls.length).toBeGreaterThan(10)
  expect(controls.filter(({ disabled }) => !disabled).map(({ outerHTML }) => outerHTML)).toEqual([])
})
