// @vitest-environment jsdom
import { useNavigate } from 'react-router'
import { expect, test } from 'vitest'
import { button, click } from '../../test/acts.ts'
import { openPage, Where, where } from '../../test/page.tsx'
import { useExistingPage } from './use-list-address.ts'

interface Props {
  readonly page: number
  /** Undefined while the list is loading. */
  readonly total: number | undefined
  readonly isPlaceholderData?: boolean
  readonly size?: number
  readonly name?: string
}

function List({ total, isPlaceholderData = false, ...rest }: Props) {
  const navigate = useNavigate()
  useExistingPage({ data: total === undefined ? undefined : { total }, isPlaceholderData }, rest)
  return (
    <>
      <Where />
      <button type="button" onClick={() => void navigate(-1)}>
        Back
      </button>
    </>
  )
}
const opened = async (address: string, props: Props) => {
  await openPage(<List {...props} />, [], address)
  return where()
}

test('a page after the last one is replaced by the last one, and other parts of the address stay', async () => {
  expect(await opened('/Teams?search=a&page=4', { page: 4, total: 61 })).toBe('/Teams?search=a&page=3')
  expect(await opened('/Teams?page=3&search=a', { page: 3, total: 30 })).toBe('/Teams?search=a')
  expect(await opened('/Teams?page=2', { page: 2, total: 0 })).toBe('/Teams')
  await click(button('Back'))
  expect(where()).toBe('/Teams')
})

test('a page that exists stays, and so does one of a list that is loading or shows the rows of an earlier search', async () => {
  expect(await opened('/Teams?page=3', { page: 3, total: 61 })).toBe('/Teams?page=3')
  expect(await opened('/Teams?page=3', { page: 3, total: undefined })).toBe('/Teams?page=3')
  expect(await opened('/Teams?page=3', { page: 3, total: 2, isPlaceholderData: true })).toBe('/Teams?page=3')
})

test('a list with another size of its pages has its own part of the address', async () => {
  const files = { size: 20, name: 'files' }
  expect(await opened('/Settings?page=9&files=3', { page: 3, total: 40, ...files })).toBe('/Settings?page=9&files=2')
  expect(await opened('/Settings?files=2', { page: 2, total: 40, ...files })).toBe('/Settings?files=2')
})
