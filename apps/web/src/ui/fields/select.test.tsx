// @vitest-environment jsdom
import { expect, test, vi } from 'vitest'
import { click } from '../../../test/acts.ts'
import { openPage, until } from '../../../test/page.tsx'
import { Select } from './select.tsx'

test('a field that offers choices says that they are open, and which list has them', async () => {
  const onDropdownOpen = vi.fn()
  const place = await openPage(<Select aria-label="Sort" data={['By points', 'By solves']} onDropdownOpen={onDropdownOpen} />)
  const field = place.querySelector('input[aria-label=Sort]')
  await click(field)
  expect(onDropdownOpen).toHaveBeenCalledOnce()
  const list = () => document.getElementById(field?.getAttribute('aria-controls') ?? '')
  await until(() => expect([field?.getAttribute('aria-expanded'), list()?.getAttribute('role')]).toEqual(['true', 'listbox']))
})
