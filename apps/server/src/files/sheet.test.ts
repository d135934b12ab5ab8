import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { listZip } from '../../test/zip.ts'
import { type Row, sheetStream } from './sheet.ts'

/** The parts of a workbook by their names, as text. */
async function partsOf(headings: readonly string[], rows: readonly Row[] = []): Promise<Record<string, string>> {
  const zip = await buffer(sheetStream({ name: 'Board', headings, rows: [rows], time: new Date(0) }))
  return Object.fromEntries(listZip(zip).map(({ name, bytes }) => [name, bytes.toString('utf8')]))
}
const sheetOf = async (...of: Parameters<typeof partsOf>) => (await partsOf(...of))['xl/worksheets/sheet1.xml'] ?? ''
const placesIn = (xml: string) => [...xml.matchAll(/<c r="([A-Z]+\d+)"/g)].map(([, place]) => place)

test('columns are named A to Z, AA, AB and so on, in the headings and in every row', async () => {
  const many = Array.from({ length: 704 }, (_, i) => `Challenge ${i}`)
  const places = placesIn(await sheetOf(many, [many.map((_, i) => i)]))
  expect(places).toHaveLength(2 * 704)
  for (const [column, name] of [
    [0, 'A'],
    [25, 'Z'],
    [26, 'AA'],
    [51, 'AZ'],
    [52, 'BA'],
    [701, 'ZZ'],
    [702, 'AAA'],
    [703, 'AAB'],
  ] as const)
    expect([places[column], places[704 + column]]).toEqual([`${name}1`, `${name}2`])
})

test('there is a style named Normal, as programs expect', async () => {
  expect((await partsOf(['A']))['xl/styles.xml']).toContain('<cellStyle name="Normal" xfId="0" builtinId="0"/>')
})

test('characters invalid in XML are written in the escape form of the format, and text in that form is escaped', async () => {
  const xml = await sheetOf(['A'], [['a\u0001b', '_x0041_', '<&>"', 'x'.repeat(40_000), 12.5]])
  expect(xml).toContain('a_x0001_b')
  expect(xml).toContain('_x005F_x0041_')
  expect(xml).toContain('&lt;&amp;&gt;')
  expect(/x+/g.exec(xml.slice(xml.indexOf('<c r="D2"') + 40))?.[0]).toHaveLength(32_767)
  expect(xml).toContain('<c r="E2"><v>12.5</v></c>')
})

test('headings are bold and centred with a line below, and text is never a number or formula', async () => {
  const parts = await partsOf(['Points'], [['=1+1', 7]])
  const cells = [...(parts['xl/worksheets/sheet1.xml'] ?? '').matchAll(/<c r="(\w+)"(?: s="(\d)")?(?: t="(\w+)")?/g)]
  expect(cells.map(([, ...cell]) => cell)).toEqual([
    ['A1', '1', 'inlineStr'],
    ['A2', '2', 'inlineStr'],
    ['B2', undefined, undefined],
  ])
  const styles = parts['xl/styles.xml'] ?? ''
  const formats = styles.slice(styles.indexOf('<cellXfs'), styles.indexOf('</cellXfs>')).split('<xf ').slice(1)
  const [numbers, headings, texts] = formats
  expect(formats).toHaveLength(3)
  // 49 is text, 0 is general; font 1 is bold, border 1 has a line below.
  expect(numbers).toContain('numFmtId="0" fontId="0" fillId="0" borderId="0"')
  expect(headings).toContain('numFmtId="49" fontId="1" fillId="0" borderId="1"')
  expect(headings).toContain('<alignment horizontal="center"/>')
  expect(texts).toContain('numFmtId="49" fontId="0" fillId="0" borderId="0"')
  for (const format of [headings, texts]) expect(format).toContain('applyNumberFormat="1"')
  expect(styles.match(/<font>.*?<\/font>/g)?.map((font) => font.includes('<b/>'))).toEqual([false, true])
  expect(styles.match(/<border>.*?<\/border>/g)?.map((border) => border.includes('<bottom style="medium">'))).toEqual([
    false,
    true,
  ])
})
