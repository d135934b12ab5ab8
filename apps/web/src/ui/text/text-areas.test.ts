import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import en from '../../../locales/en_US.json' with { type: 'json' }
import { startTexts } from '../../../text-areas.ts'

const folder = `${import.meta.dirname}/../..`
/** Parts of screens that load further texts before they are rendered. */
const ofScreens =
  /test|writeup|challenge-frame|game-frame|palette-|participation-status|markdown-field|show-game|use-many|organiser-texts|^texts/

test('around a screen and on the start page only texts of the start area are read', () => {
  const files = ['shell', 'ui', 'games'].flatMap((room) =>
    readdirSync(`${folder}/${room}`).flatMap((name) =>
      room !== 'games' || /^(home|next|post|game-clock|hero)/.test(name) ? [`${room}/${name}`] : [],
    ),
  )
  const others = Object.keys(en).filter((name) => !startTexts.includes(name))
  const read = files
    .filter((file) => /[.]tsx?$/.test(file) && !ofScreens.test(file.split('/')[1] ?? ''))
    .flatMap((file) =>
      [...readFileSync(`${folder}/${file}`, 'utf8').matchAll(/\b(?:t|Key)(?:\(|=)[^)]*?['"`](\w+)[.]/g)].map(
        ([, name]) => `${file}: ${name}`,
      ),
    )
  expect(read.length).toBeGreaterThan(50)
  expect(read.filter((one) => others.includes(one.split(': ')[1] ?? ''))).toEqual([])
})
