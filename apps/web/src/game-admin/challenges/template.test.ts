import { expect, test } from 'vitest'
import { bitsOf, samplesOf, templateProblem } from './template.ts'

test('FL-1 three samples are three different flags', () => {
  const guids = samplesOf(' ')
  expect(new Set(guids).size).toBe(3)
  for (const flag of guids) expect(flag).toMatch(/^flag\{[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\}$/)
  for (const flag of samplesOf('tide{hello_[TEAM_HASH]}')) expect(flag).toMatch(/^tide\{hello_[0-9a-f]{12}\}$/)
})

test('FL-1 a template that varies too little is marked, with its bits', () => {
  expect(templateProblem('flag{hello world}')).toBe('weak')
  expect(bitsOf('flag{hello world}')).toEqual({ bits: 14.7, min: 32 })
  expect(templateProblem('flag{dynamic flag for every single team}')).toBeUndefined()
  expect(templateProblem('flag{[GUID]}')).toBeUndefined()
  expect(templateProblem('')).toBeUndefined()
  expect(templateProblem(`flag{${'x'.repeat(120)}}`)).toBe('long')
  expect(templateProblem(`flag{${'[GUID]'.repeat(5)}}`)).toBe('expands')
})
