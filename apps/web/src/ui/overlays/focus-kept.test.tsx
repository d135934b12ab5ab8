// @vitest-environment jsdom
import { act, useState } from 'react'
import { expect, test, vi } from 'vitest'
import { settle } from '../../../test/acts.ts'
import { openPage } from '../../../test/page.tsx'
import { ChallengeFrame } from '../game/challenge-frame.tsx'
import { Dialog } from './dialog.tsx'

/** A form that is replaced by its result; its field is disabled while it runs. */
function Steps({ asks }: { readonly asks: boolean }) {
  const [step, setStep] = useState('form')
  return step === 'result' ? (
    <button type="button" id="done" data-autofocus={asks || undefined} />
  ) : (
    <>
      <input id="name" data-autofocus={step === 'form' || undefined} disabled={step === 'held'} />
      {step === 'held' && <progress />}
      <button type="button" id="hold" onClick={() => setStep('held')} />
      <button type="button" id="send" onClick={() => setStep('result')} />
    </>
  )
}

const frame = { category: 'Misc', title: 'Buoy', score: 5, facts: '', read: '', tools: '', onClose: () => {} } as const
const dialogs = {
  dialog: (asks: boolean) => (
    <Dialog opened onClose={() => {}} title="Crew">
      <Steps asks={asks} />
    </Dialog>
  ),
  challenge: (asks: boolean) => <ChallengeFrame {...frame} foot={<Steps asks={asks} />} />,
}

const element = (id: string) => document.getElementById(id) as HTMLElement
async function open(kind: keyof typeof dialogs, asks: boolean) {
  await openPage(
    <>
      <input id="beside" />
      {dialogs[kind](asks)}
    </>,
  )
  await vi.waitFor(() => expect(document.activeElement).toBe(element('name')))
  // The focus trap sets the focus twice, each time in a timer without delay: the second must run before the test continues.
  await settle()
}
const press = (id: string) => act(async () => element(id).click())

test.each(['dialog', 'challenge'] as const)(
  'FOCUS-2 when the result replaces a form in a %s, the element that requests the focus gets it, otherwise the dialog',
  async (kind) => {
    await open(kind, true)
    await press('send')
    await vi.waitFor(() => expect(document.activeElement).toBe(element('done')))
  },
)

test('FOCUS-2 where no element requests it, the dialog itself has the focus', async () => {
  await open('dialog', false)
  await press('send')
  await vi.waitFor(() => expect(document.activeElement?.getAttribute('role')).toBe('dialog'))
})

test('FOCUS-1 an element that is disabled during an action gets the focus back afterwards', async () => {
  await open('dialog', true)
  await act(async () => {
    element('hold').click()
    // Browsers remove the focus from a disabled field.
    element('name').blur()
  })
  await vi.waitFor(() => expect(document.querySelector('progress')).not.toBeNull())
  await settle()
  expect(document.activeElement).toBe(document.body)
})

test('FOCUS-2 a focus that moved elsewhere meanwhile stays there', async () => {
  await open('challenge', true)
  element('send').focus()
  await act(async () => {
    element('send').click()
    // Mantine keeps the focus in a dialog only against Tab.
    element('beside').focus()
  })
  await settle()
  expect(document.activeElement).toBe(element('beside'))
})
