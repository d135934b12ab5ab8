// @vitest-environment jsdom
import { expect, test, vi } from 'vitest'
import { button, click } from '../../../test/acts.ts'
import { openPage } from '../../../test/page.tsx'
import { FormFoot } from './form-foot.tsx'

const idle = { busy: false, wait: 0 }

test('the last button of a form sends it unless it is disabled or busy, the one before it cancels', async () => {
  const [sent, cancelled] = [vi.fn((event) => event.preventDefault()), vi.fn()]
  const open = (more: object = {}) =>
    openPage(
      <form onSubmit={sent}>
        <FormFoot action={idle} onCancel={cancelled} {...more}>
          Create
        </FormFoot>
      </form>,
    )
  const made = () => [sent.mock.calls.length, cancelled.mock.calls.length]
  await open()
  await click(button('Create'))
  expect(made()).toEqual([1, 0])
  await click(button('Cancel'))
  expect(made()).toEqual([1, 1])
  for (const more of [{ disabled: true }, { action: { busy: true, wait: 0 } }, { action: { busy: false, wait: 3 } }]) {
    await open(more)
    await click([...document.querySelectorAll('button')].at(-1))
    expect(made()).toEqual([1, 1])
  }
})
