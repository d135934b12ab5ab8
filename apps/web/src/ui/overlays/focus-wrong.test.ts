// @vitest-environment jsdom
import { afterEach, expect, test } from 'vitest'
import { focusWrong, formOf } from './focus-wrong.ts'

afterEach(() => document.body.replaceChildren())

function openForm(invalid: boolean) {
  document.body.innerHTML = `<form><input value="a"><input value="b" ${invalid ? 'aria-invalid="true"' : ''}><button>Send</button></form><a href="/">Away</a>`
  const find = (selector: string) => document.querySelector<HTMLElement>(selector)
  return { form: find('form'), wrong: find('input + input'), send: find('button'), away: find('a') }
}

test('FOCUS-1 the first invalid field gets the focus, wherever it was', () => {
  const { wrong, send, away } = openForm(true)
  away?.focus()
  focusWrong(formOf(send), send)
  expect(document.activeElement).toBe(wrong)
})

test('FOCUS-1 without an invalid field a lost focus returns, and one that the person moved stays', () => {
  const { form, send, away } = openForm(false)
  focusWrong(form, send)
  expect(document.activeElement).toBe(send)
  away?.focus()
  focusWrong(form, send)
  expect(document.activeElement).toBe(away)
  away?.blur()
  send?.remove()
  focusWrong(form, send)
  expect(document.activeElement).toBe(document.body)
})
