/** The form of docs/runbook.md: where its blocks are tested, the faults of its symptoms, and the links of the alerts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { expect, test } from 'vitest'
import { faults } from './rounds.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
const book = read('docs/runbook.md')
const during = book.split('\n## During\n')[1]!.split('\n## ')[0]!
const anchorOf = (title: string) => title.toLowerCase().replaceAll(' ', '-')

/** The text after the language of each fenced block. */
const marks = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('```'))
    .filter((_, place) => place % 2 === 0)
    .map((line) => line.replace(/^```\w* ?/, ''))
const isMarked = (mark: string) => /^(demo|cluster|nodes|by hand: .{10,})$/.test(mark)

test('every block says where it runs, at most ten are run by hand', () => {
  expect(marks(book).length).toBeGreaterThan(10)
  expect(marks(book).filter((mark) => !isMarked(mark))).toEqual([])
  expect(marks(book).filter((mark) => mark.startsWith('by hand')).length).toBeLessThanOrEqual(10)
  expect(marks('```sh\nls\n```').filter(isMarked)).toEqual([])
})

test('every symptom names its faults, and every fault of chaos has a symptom', () => {
  const symptoms = during.split('\n### ').slice(1)
  expect(symptoms.length).toBeGreaterThan(8)
  const named = symptoms.map((symptom) => /^Fault: (.+)\.$/m.exec(symptom)?.[1]?.split(', ') ?? [])
  expect(named.filter((names) => names.length === 0)).toEqual([])
  const known = faults.map(({ name }) => name)
  expect(named.flat().filter((name) => name !== 'not provoked' && !known.includes(name))).toEqual([])
  expect(known.filter((name) => !named.flat().includes(name))).toEqual([])
})

test('every alert links to a section', () => {
  const alerts = load(read('deploy/alerts.yml')) as {
    groups: { rules: { alert: string; annotations: { runbook_url?: string } }[] }[]
  }
  const anchors = new Set([...book.matchAll(/^#+ (.+)$/gm)].map(([, title]) => anchorOf(title as string)))
  for (const { alert, annotations } of alerts.groups.flatMap(({ rules }) => rules)) {
    const [page, anchor] = annotations.runbook_url?.split('#') ?? []
    expect([alert, page, anchors.has(anchor ?? '')]).toEqual([alert, 'docs/runbook.md', true])
  }
})
