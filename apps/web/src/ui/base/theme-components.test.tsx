// @vitest-environment jsdom
import { MantineProvider, Pagination, Select } from '@mantine/core'
import { expect, test } from 'vitest'
import { click, named } from '../../../test/acts.ts'
import { openPage, until } from '../../../test/page.tsx'
import { components } from './theme-components.ts'

test('a list of options knows the height that the window has for it', async () => {
  const place = await openPage(
    <MantineProvider env="test" theme={{ components }} forceColorScheme="dark">
      <Select label="Team" data={['Red', 'Blue']} />
    </MantineProvider>,
  )
  await click(place.querySelector('input'))
  const list = () => document.querySelector<HTMLElement>('[role=listbox]')?.closest<HTMLElement>('[style*="--room"]')
  await until(() => expect(list()?.style.getPropertyValue('--room')).toMatch(/^-?\d+px$/))
})

test('the arrows of pages have names', async () => {
  await openPage(
    <MantineProvider env="test" theme={{ components }} forceColorScheme="dark">
      <Pagination total={3} withEdges />
    </MantineProvider>,
  )
  for (const turn of ['First', 'Previous', 'Next', 'Last']) expect(named(`${turn} page`), turn).toBeTruthy()
})
