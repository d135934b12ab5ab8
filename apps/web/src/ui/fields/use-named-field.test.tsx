// @vitest-environment jsdom
import { Link } from 'react-router'
import { expect, test } from 'vitest'
import { click } from '../../../test/acts.ts'
import { openPage } from '../../../test/page.tsx'
import { useNamedField } from './use-named-field.ts'

function Form() {
  const field = useNamedField<HTMLInputElement>('title')
  return (
    <>
      <input ref={field} />
      {['#title', '#text'].map((to) => (
        <Link key={to} to={to}>
          {to}
        </Link>
      ))}
    </>
  )
}

test('a link to a field focuses it, also when it is followed again, and a link to another one does not', async () => {
  const place = await openPage(<Form />)
  const [title, text] = place.querySelectorAll('a')
  for (const [link, focused] of [
    [text, false],
    [title, true],
    [title, true],
  ] as const) {
    link?.focus()
    await click(link)
    expect(document.activeElement === place.querySelector('input')).toBe(focused)
  }
})
