import { type ComponentProps, createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { borderOf, SignalFlag, signalLetters } from './signal-flag.tsx'

const drawn = (props: ComponentProps<typeof SignalFlag>) => renderToStaticMarkup(createElement(SignalFlag, props))
const all = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, found]) => found)

test('each letter has its flag of the International Code of Signals', () => {
  const colours = {
    ...{ A: 'blue white', B: 'red', C: 'blue red white', D: 'blue yellow', E: 'blue red', F: 'red white', G: 'blue yellow' },
    ...{
      H: 'red white',
      I: 'black yellow',
      J: 'blue white',
      K: 'blue yellow',
      L: 'black yellow',
      M: 'blue white',
      N: 'blue white',
    },
    ...{ O: 'red yellow', P: 'blue white', Q: 'yellow', R: 'red yellow', S: 'blue white', T: 'blue red white', U: 'red white' },
    ...{ V: 'red white', W: 'blue red white', X: 'blue white', Y: 'red yellow', Z: 'black blue red yellow' },
  }
  const flags = Object.keys(colours).map((letter) => ({ letter, flag: drawn({ letter }) }))
  const found = flags.map(({ letter, flag }) => {
    const names = all(flag, /var\(--f-(\w+)\)/g).filter((name) => name !== 'edge')
    return [letter, [...new Set(names)].toSorted().join(' ')]
  })
  expect(Object.fromEntries(found)).toEqual(colours)
  expect(new Set(flags.map(({ flag }) => flag)).size).toBe(26)
  const isForked = ({ flag }: { flag: string }) => /<clipPath[^>]*><path d="M0 0h24l-6 12 6 12H0z"/.test(flag)
  expect(flags.filter(isForked).map(({ letter }) => letter)).toEqual(['A', 'B'])
})

test('SB-21 the border of a flag has the colour of its id and fills one of the four corners; a flag without an id has none', () => {
  const corners = [1, 11, 21, 31].map((id) => all(drawn({ letter: 'E', id }), /<rect (x="\d+" y="\d+")/g))
  expect(corners.flat()).toEqual(['x="0" y="0"', 'x="16" y="0"', 'x="0" y="16"', 'x="16" y="16"'])
  expect(all(drawn({ letter: 'E', id: 34 }), /"var\(--(c-\d+)\)"/g)).toEqual(['c-5', 'c-5'])
  expect(drawn({ letter: 'E', id: 0 })).toContain('<rect')
  expect(drawn({ letter: 'E' })).not.toMatch(/<rect|--c-/)
  expect(all(drawn({ letter: 'E', label: 'Red' }), /aria-label="(\w+)"/g)).toEqual(['Red'])
})

test('a name is shown by its first Latin letters, without accents', () => {
  expect(signalLetters('Tidewatch 潮見坂', 7)).toBe('T')
  expect(signalLetters('éclair', 7)).toBe('E')
  expect(signalLetters('Tideline Finals', 1, 4)).toBe('TIDE')
  expect(signalLetters('新生杯 Semaphore Cup', 3, 2)).toBe('SE')
})

test('a name without Latin letters gets a letter by its id, always the same', () => {
  const letter = signalLetters('潮見坂', 12)
  expect(letter).toMatch(/^[A-Z]$/)
  expect(signalLetters('другие', 12)).toBe(letter)
  expect(signalLetters('', 'guid-1', 4)).toMatch(/^[A-Z]{4}$/)
})

test('SB-21 teams with the same initial differ in their border, always the same for an id', () => {
  const seen = Array.from({ length: 40 }, (_, id) => borderOf(id + 1))
  expect(new Set(seen.map(({ colour }) => colour)).size).toBe(10)
  expect(new Set(seen.map(({ colour, corner }) => `${colour} ${corner}`)).size).toBe(40)
  expect(borderOf(7)).toEqual(borderOf('7'))
  expect(borderOf(7)).not.toEqual(borderOf(8))
})
