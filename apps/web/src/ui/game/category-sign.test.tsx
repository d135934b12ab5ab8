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
