import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import texts from '../apps/web/locales/en_US.json' with { type: 'json' }
import { comparable } from './accessibility-tree.ts'

const linesOf = (tree: string, withFrame = false) => comparable(tree, withFrame).trimEnd().split('\n')

test.each([
  ['the date of a cell', '- time: Saturday 28 November 2026', '- time: DATE'],
  ['a day and a time', '- time: Sat 09:30', '- time: TIME'],
  ['a duration', '- timer: 103:07:41', '- timer: TIME'],
  ['how long ago', '- text: 5 minutes ago', '- text: TIME'],
  ['an id', '- text: 0198c0f2-8f5e-7cc1-9a39-6a2f3c1d4e5f', '- text: ID'],
  ['a hash', `- text: ${'0a'.repeat(32)}`, '- text: HASH'],
  ['the version with its commit', '- text: v0.2.0-dev 0675ebcf12', '- text: VERSION'],
  ['the address of a post', '- /url: /posts/aB3-x_9z', '- /url: /posts/ID'],
  ['a name that the build chooses', '- text: $a.slice is not a function', '- text: NAME.slice is not a function'],
  ['the address of the platform', '- text: 127.0.0.1:34567', '- text: ADDRESS'],
  ['one of several examples', `- textbox "${Object.values(texts.play.examples)[1]}"`, '- textbox CHOSEN'],
])('%s is masked', (_, line, masked) => {
  expect(linesOf(line)).toEqual([masked])
})

test.each([
  '- cell "1295"',
  '- text: 3 / 12',
  '- link "Challenges"',
  '- button "Copy" [disabled]',
  '- /url: /games/1/Challenges?c=3',
  '- text: 75 %',
])('%s is kept', (line) => {
  expect(linesOf(line)).toEqual([line])
})

test('four entries of each list are kept, with the number of the others; the next list has its own count', () => {
  const list = (name: string, count: number) => [
    `- list "${name}":`,
    ...Array.from({ length: count }, (_, i) => `  - listitem: ${name}${i}`),
  ]
  expect(linesOf([...list('a', 7), ...list('b', 2), ...list('c', 5)].join('\n'))).toEqual([
    ...list('a', 4),
    '  - and 3 more',
    ...list('b', 2),
    ...list('c', 4),
    '  - and 1 more',
  ])
})

test('what is inside entries that are not kept is left out', () => {
  const rows = Array.from({ length: 6 }, (_, i) => [`  - row "r${i}":`, `    - cell "c${i}"`]).flat()
  expect(linesOf(['- table:', ...rows, '- text: after'].join('\n'))).toEqual([
    '- table:',
    ...[0, 1, 2, 3].flatMap((i) => ['  - row:', `    - cell "c${i}"`]),
    '  - and 2 more',
    '- text: after',
  ])
})

test('the entry that a busy machine adds to the log is left out, and not counted', () => {
  const row = (text: string) => [`  - row "09:30 ${text}":`, `    - 'cell "Warning ${text}"':`, `      - button "${text}"`]
  const late = row('A process of this node did not run for 3 s. It reads what changed')
  const rows = (count: number) => Array.from({ length: count }, (_, i) => row(`Entry ${i}`)).flat()
  expect(linesOf(['- table:', ...late, ...rows(6), ...late].join('\n'))).toEqual(linesOf(['- table:', ...rows(6)].join('\n')))
})

test('the message of a page with live updates is left out, since it disappears after a few seconds', () => {
  const message = (text: string) => [
    '- complementary "Messages":',
    '  - status:',
    '    - img',
    `    - text: ${text}`,
    '    - button "Close":',
    '      - img',
  ]
  expect(linesOf([...message('Live updates on'), '- main:', '  - text: x'].join('\n'))).toEqual(['- main:', '  - text: x'])
  expect(linesOf(message('Saved').join('\n'))).toEqual(message('Saved'))
})

test('the navigation around the screen is left out unless it is asked for', () => {
  const tree = ['- banner:', '  - link "Games":', '    - /url: /games', '- main:', '  - text: x'].join('\n')
  expect(linesOf(tree)).toEqual(['- main:', '  - text: x'])
  expect(linesOf(tree, true)).toEqual(tree.split('\n'))
})

test('no two stored screens are equal, so none was stored before its dialog was open', () => {
  const folder = join(import.meta.dirname, 'screens')
  const seen = new Map<string, string>()
  const equal: string[] = []
  for (const name of readdirSync(folder)) {
    const tree = readFileSync(join(folder, name), 'utf8')
    // Screens that show nothing until their answer arrives.
    if (tree === '- main\n') continue
    const other = seen.get(tree)
    if (other) equal.push(`${other} = ${name}`)
    seen.set(tree, name)
  }
  expect(seen.size).toBeGreaterThan(150)
  expect(equal).toEqual([])
})
