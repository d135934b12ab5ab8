import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MantineTheme } from '@mantine/core'
import { challengeCategories } from '@vexil/core/vocabulary'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { brand, dark, light } from './colours.ts'
import { contrast, isColour, toLch } from './ramp.ts'
import { accentOf, writeVariables } from './theme.ts'

const schemes = { light, dark }
const of = (tokens: Readonly<Record<string, string>>, name: string) => tokens[name] as string

test('text is readable on every background of both schemes', () => {
  for (const [name, tokens] of Object.entries(schemes)) {
    const grounds = ['g-0', 'g-1', 'g-2']
    for (const ink of ['g-9', 'g-7', 'g-6', 'ok', 'warn', 'bad']) {
      for (const ground of grounds)
        expect(contrast(of(tokens, ink), of(tokens, ground)), `${name} ${ink} on ${ground}`).toBeGreaterThan(4.5)
    }
    for (const state of ['ok', 'warn', 'bad'])
      expect(contrast(of(tokens, state), of(tokens, `${state}-tint`)), `${name} ${state}`).toBeGreaterThan(4.5)
    expect(contrast(of(tokens, 'bad'), of(tokens, 'bad-ink')), name).toBeGreaterThan(4.5)
    // Borders of controls and icons: 3:1.
    for (const ground of ['g-0', 'g-1']) expect(contrast(of(tokens, 'g-5'), of(tokens, ground)), name).toBeGreaterThan(3)
  }
})

test('P3.52 the icon of every category has enough contrast to its field', () => {
  for (const tokens of Object.values(schemes)) {
    const fields = Object.keys(tokens).filter((name) => name.startsWith('cat-') && !name.endsWith('-ink'))
    expect(fields).toHaveLength(13)
    for (const field of fields) expect(contrast(of(tokens, field), of(tokens, `${field}-ink`)), field).toBeGreaterThan(4.5)
    expect(new Set(fields.map((field) => of(tokens, field))).size).toBe(13)
    expect(fields.toSorted()).toEqual(challengeCategories.map((category) => `cat-${category.toLowerCase()}`).toSorted())
  }
})

const grounds = (ramp: typeof brand) =>
  [
    // text on fills
    [ramp.light[7], '#ffffff'],
    [ramp.light[8], '#ffffff'],
    [ramp.dark[2], '#ffffff'],
    [ramp.dark[4], '#ffffff'],
    [ramp.dark[5], '#ffffff'],
    // accent text on its background
    [ramp.light[7], of(light, 'g-1')],
    [ramp.light[7], ramp.light[1]],
    [ramp.dark[7], of(dark, 'g-2')],
    [ramp.dark[7], ramp.dark[1]],
    // text on the own row
    [of(light, 'g-9'), ramp.light[1]],
    [of(dark, 'g-9'), ramp.dark[1]],
  ] as const

test("text on and in the platform's own colour keeps a contrast of 4.5", () => {
  for (const [ink, ground] of grounds(brand)) expect(contrast(ink, ground), `${ink} on ${ground}`).toBeGreaterThanOrEqual(4.5)
})

test('THEME-3 with any chosen colour, text on it and in it keeps a contrast of 4.5', () => {
  const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)
  fc.assert(
    fc.property(colour, (chosen) => {
      for (const [ink, ground] of grounds(accentOf(chosen)))
        expect(contrast(ink, ground), `${chosen}: ${ink} on ${ground}`).toBeGreaterThanOrEqual(4.5)
    }),
    { numRuns: 300 },
  )
  for (const extreme of ['#000000', '#ffffff', '#ffff00', '#00ff00', '#0000ff', '#808080']) {
    for (const [ink, ground] of grounds(accentOf(extreme))) expect(contrast(ink, ground), extreme).toBeGreaterThanOrEqual(4.5)
  }
})

test('THEME-3 a readable chosen colour is not changed', () => {
  expect(accentOf('#0b6b3a').light[7]).toBe('#0b6b3a')
})

test('P5.14 a colour is #RRGGBB in any letter case; any other value keeps the colour of the platform', () => {
  expect(isColour('#12AbEf')).toBe(true)
  for (const wrong of ['#123', 'red', '#12345g', '', '12abef']) expect(isColour(wrong), wrong).toBe(false)
  expect(accentOf('red')).toBe(brand)
  expect(accentOf(null)).toBe(brand)
})

test('THEME-3 the ten steps of a chosen colour go from light to dark', () => {
  for (const chosen of ['#d97706', '#ffee00', '#101010', '#00a000', '#ff00aa']) {
    const steps = accentOf(chosen).light.map((step) => toLch(step).l)
    for (let step = 1; step < 10; step++)
      expect(steps[step], `${chosen} ${step}`).toBeLessThanOrEqual((steps[step - 1] as number) + 0.005)
  }
})

test('the parts of Mantine have readable colours in both schemes', () => {
  const { variables, light, dark } = writeVariables({ other: {} } as MantineTheme)
  for (const [scheme, tokens] of Object.entries({ light, dark })) {
    const resolved = (name: string): string => {
      const value = tokens[`--${name}`] ?? variables[`--${name}`] ?? ''
      const [, other] = /^var\(--([\w-]+)\)$/.exec(value) ?? []
      return other ? resolved(other) : value
    }
    const between = (one: string, other: string) => contrast(...([one, other].map((name) => resolved(name)) as [string, string]))
    const texts = {
      body: ['text', 'bright', 'dimmed', 'error', 'success', 'placeholder', 'accent-outline'],
      default: ['text', 'default-color', 'placeholder'],
      'default-hover': ['default-color'],
      'accent-light': ['accent-light-color'],
      'accent-light-hover': ['accent-light-color'],
    }
    for (const [ground, inks] of Object.entries(texts))
      for (const ink of inks)
        expect(between(`mantine-color-${ink}`, `mantine-color-${ground}`), `${scheme} ${ink} on ${ground}`).toBeGreaterThan(4.5)
    for (const filled of ['accent-filled', 'accent-filled-hover'])
      expect(between('accent-ink', `mantine-color-${filled}`), `${scheme} ${filled}`).toBeGreaterThan(4.5)
    expect(between('mantine-color-default-border', 'mantine-color-default'), scheme).toBeGreaterThan(3)
  }
})

test('every variable of the styles has a value in both schemes', () => {
  const web = join(import.meta.dirname, '../..')
  const files = globSync('**/*.{css,ts,tsx}', { cwd: web, exclude: ['**/*.test.*'] })
  const text = files.map((file) => readFileSync(join(web, file), 'utf8')).join('\n')
  const names = (pattern: RegExp) => new Set(Array.from(text.matchAll(pattern), ([, name]) => name as string))
  // One with a comma has a default.
  const used = [...names(/var\(--([\w-]+)\)/g)].filter((name) => !name.startsWith('mantine-'))
  const set = names(/--([\w-]+)['"]?(?: as string\])?\s*[:,]/g)
  const { variables, light, dark } = writeVariables({ other: {} } as MantineTheme)
  for (const scheme of [light, dark])
    expect(used.filter((name) => !set.has(name) && !(`--${name}` in { ...variables, ...scheme }))).toEqual([])
  expect(used.length).toBeGreaterThan(50)
})
