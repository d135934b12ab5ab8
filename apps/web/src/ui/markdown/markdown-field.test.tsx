// @vitest-environment jsdom
import { act, useState } from 'react'
import { expect, test } from 'vitest'
import { click, field, write } from '../../../test/acts.ts'
import { openPage, until } from '../../../test/page.tsx'
import { MarkdownField } from './markdown-field.tsx'

function Form({ inline = false, disabled = false }: { readonly inline?: boolean; readonly disabled?: boolean }) {
  const [text, setText] = useState('')
  return (
    <MarkdownField label="Text" value={text} onChange={setText} rows={3} maxLength={90} inline={inline} disabled={disabled} />
  )
}
const tabs = () => [...document.querySelectorAll<HTMLButtonElement>('[role=tab]')]
const looks = () => tabs().map((tab) => [tab.textContent, tab.getAttribute('aria-selected'), tab.tabIndex])
const press = (key: string) =>
  act(async () => void document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))

test('KEY-4 a text is written or previewed in two tabs, of which arrows move the focus and a press selects', async () => {
  const place = await openPage(<Form />)
  expect(place.querySelector('[role=tablist]')?.getAttribute('aria-label')).toBe('Text')
  expect(looks()).toEqual([
    ['Write', 'true', 0],
    ['Preview', 'false', -1],
  ])
  const panel = () => place.querySelector('[role=tabpanel]')
  expect(tabs().map((tab) => tab.getAttribute('aria-controls'))).toEqual([panel()?.id, panel()?.id])
  tabs()[0]?.focus()
  const seen: (string | null | undefined)[] = []
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'Home']) {
    await press(key)
    seen.push(document.activeElement?.textContent)
  }
  expect(seen).toEqual(['Preview', 'Write', 'Preview', 'Preview'])
  expect(field('Text').maxLength).toBe(90)
  await click(tabs()[1])
  expect(looks()).toEqual([
    ['Write', 'false', -1],
    ['Preview', 'true', 0],
  ])
  expect(panel()?.textContent).toBe('No text yet.')
  expect(panel()?.getAttribute('aria-labelledby')).toBe(tabs()[1]?.id)
  await click(tabs()[0])
  await write(field('Text'), ' ')
  await click(tabs()[1])
  expect(panel()?.textContent).toBe('No text yet.')
  await click(tabs()[0])
  await write(field('Text'), '**bold**\n\n- one')
  await click(tabs()[1])
  await until(() => expect(panel()?.querySelector('strong')?.textContent).toBe('bold'))
  expect(panel()?.querySelector('li')?.textContent).toBe('one')
})

test('a text field grows with its lines up to a limit; an inline one previews no blocks; a disabled one takes no text', async () => {
  const whole = await openPage(<Form />)
  expect(field('Text').rows).toBe(3)
  await write(field('Text'), 'a\nb\nc\nd')
  expect(field('Text').rows).toBe(5)
  await write(field('Text'), 'a\n'.repeat(40))
  expect(field('Text').rows).toBe(28)
  expect(whole.textContent).toContain('Markdown with formulas')
  whole.remove()
  const place = await openPage(<Form inline />)
  expect(place.textContent).toContain('Inline Markdown')
  await write(field('Text'), '# *no* heading')
  await click(tabs()[1])
  await until(() => expect(place.querySelector('[role=tabpanel] em')).not.toBeNull())
  expect(place.querySelector('[role=tabpanel] h1')).toBeNull()
  place.remove()
  await openPage(<Form disabled />)
  expect([field('Text').disabled, field('Text').hasAttribute('data-autofocus')]).toEqual([true, false])
  await openPage(<MarkdownField label="Hint" value="" onChange={() => {}} autoFocus />)
  expect(field('Hint').hasAttribute('data-autofocus')).toBe(true)
})
