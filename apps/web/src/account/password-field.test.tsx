// @vitest-environment jsdom
import { useState } from 'react'
import { expect, test } from 'vitest'
import { openPage, type } from '../../test/page.tsx'
import { NewPassword, RetypedPassword } from './password-field.tsx'

function Form() {
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  return (
    <>
      <NewPassword value={password} onChange={setPassword} />
      <RetypedPassword original={password} value={again} onChange={setAgain} />
    </>
  )
}

async function shown() {
  const place = await openPage(<Form />)
  const [password, again] = place.querySelectorAll('input')
  const met = () => [...place.querySelectorAll('li')].filter((tick) => tick.dataset.met).map((tick) => tick.textContent)
  const bars = () => place.querySelectorAll('i[data-met]').length
  return { place, password, again, met, bars }
}

test('P5.2 the four hints change while typing and do not prevent sending', async () => {
  const { place, password, met, bars } = await shown()
  expect([met(), bars()]).toEqual([[], 0])
  const about = document.getElementById(password?.getAttribute('aria-describedby') ?? '')
  expect(about?.contains(place.querySelector('ul'))).toBe(true)
  await type(password, 'abc')
  expect(met().join()).toMatch(/lower case.*met$/)
  await type(password, 'aB1!aB1!')
  expect([met().length, bars()]).toEqual([5, 4])
  await type(password, 'aaaaaa')
  expect([met().length, bars()]).toEqual([2, 1])
  // One that is too short is weak, whatever it is made of.
  await type(password, 'aB1!')
  expect([met().length, bars()]).toEqual([4, 1])
})

test('P5.3 a password that differs from the first is marked while typing; the keyboard reaches the button that shows it', async () => {
  const { place, password, again } = await shown()
  const [reveal] = place.querySelectorAll('button')
  expect([reveal?.getAttribute('aria-label'), reveal?.tabIndex]).toEqual(['Show password', 0])
  await type(password, 'harbor')
  expect(place.textContent).not.toContain('Passwords do not match')
  await type(again, 'harbo')
  expect(place.textContent).toContain('Passwords do not match')
  await type(again, 'harbor')
  expect(place.textContent).not.toContain('Passwords do not match')
})
