// @vitest-environment jsdom
import { challengeCategories } from '@vexil/core/vocabulary'
import { expect, test } from 'vitest'
import { openPage } from '../../../test/page.tsx'
import { CategorySign } from './category-sign.tsx'

test('P3.52 each category has an icon of another shape on a field of another colour, named for screen readers', async () => {
  const place = await openPage(challengeCategories.map((category) => <CategorySign key={category} category={category} />))
  const signs = [...place.querySelectorAll('svg')]
  expect(signs.map((sign) => sign.getAttribute('aria-label'))).toEqual([...challengeCategories])
  const [fields, shapes] = [0, 1].map((at) => signs.map((sign) => sign.querySelectorAll('path')[at]))
  expect(fields?.map((path) => path?.getAttribute('fill'))).toEqual(
    challengeCategories.map((category) => `var(--cat-${category.toLowerCase()})`),
  )
  expect(new Set(shapes?.map((path) => path?.getAttribute('d'))).size).toBe(13)
})

test('beside its name a sign has no label, and on a field of its colour only the icon, in the current colour', async () => {
  const place = await openPage(
    <>
      <CategorySign category="Web" />
      <CategorySign category="Web" bare labelled={false} size={36} />
    </>,
  )
  const signs = [...place.querySelectorAll('svg')]
  expect(signs.map((sign) => [sign.getAttribute('aria-label'), sign.getAttribute('width')])).toEqual([
    ['Web', '20'],
    [null, '36'],
  ])
  const fills = signs.map((sign) => Array.from(sign.querySelectorAll('path'), (path) => path.getAttribute('fill')))
  expect(fills).toEqual([['var(--cat-web)', 'var(--cat-web-ink)'], ['currentColor']])
})
