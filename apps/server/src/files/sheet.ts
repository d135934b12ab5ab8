/** An .xlsx workbook with one sheet, written as a stream: only some rows are in memory. */

import { Readable } from 'node:stream'
import { escapeHtml } from '../escape-html.ts'
import { type ZipEntry, zipStream } from './zip-stream.ts'

/** A string is always a text cell, whatever its first character; a number is a number cell. */
type Cell = string | number
export type Row = readonly Cell[]

export const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const rowsAtOnce = 250
/** Maximum characters of a cell in this format. */
const cellMost = 32_767
/** Maximum rows of a sheet in this format, without the headings. */
export const rowsMost = 1_048_575

export interface Sheet {
  /** At most 31 characters, none of `[]:*?/\`. */
  readonly name: string
  readonly headings: readonly string[]
  readonly rows: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>
  readonly time: Date
}

export function sheetStream(sheet: Sheet): Readable {
  return zipStream(parts(sheet), { compress: true })
}

async function* parts({ name, headings, rows, time }: Sheet): AsyncGenerator<ZipEntry> {
  for (const [part, xml] of Object.entries(frame(name))) yield { name: part, time, stream: Readable.from([declared + xml]) }
  yield { name: 'xl/worksheets/sheet1.xml', time, stream: Readable.from(sheetXml(headings, rows)) }
}

async function* sheetXml(headings: readonly string[], batches: Sheet['rows']): AsyncGenerator<string> {
  yield `${declared}<worksheet xmlns="${main}"><sheetData>${rowXml(headings, 1, style.heading)}`
  let number = 1
  for await (const batch of batches) {
    for (let at = 0; at < batch.length; at += rowsAtOnce) {
      const xml = batch.slice(at, at + rowsAtOnce).map((row) => rowXml(row, ++number, style.text))
      yield xml.join('')
    }
  }
  yield '</sheetData></worksheet>'
}

function rowXml(row: Row, number: number, textStyle: number): string {
  const cells = row.map((cell, column) => {
    const place = `${columnName(column)}${number}`
    if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`
    return `<c r="${place}" s="${textStyle}" t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`
  })
  return `<row r="${number}">${cells.join('')}</row>`
}

/** A to Z, AA, AB … */
function columnName(column: number): string {
  const before = Math.floor(column / 26)
  return (before > 0 ? columnName(before - 1) : '') + String.fromCharCode(65 + (column % 26))
}

/** Characters that XML does not allow have the form _x0001_, so text in that form is escaped. */
function escaped(text: string): string {
  const marked = text
    .slice(0, cellMost)
    .toWellFormed()
    .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replace(/[\0-\x08\x0b-\x1f\ufffe\uffff]/g, (sign) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
  return escapeHtml(marked)
}

// Styles: 0 numbers, 1 headings (bold, centred, a medium line below), 2 text.

const style = { heading: 1, text: 2 } as const
const declared = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packaged = 'http://schemas.openxmlformats.org/package/2006'
const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const frame = (name: string): Record<string, string> => ({
  '[Content_Types].xml':
    `<Types xmlns="${packaged}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    `<Override PartName="/xl/workbook.xml" ContentType="${spreadsheet}.sheet.main+xml"/>` +
    `<Override PartName="/xl/styles.xml" ContentType="${spreadsheet}.styles+xml"/>` +
    `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${spreadsheet}.worksheet+xml"/></Types>`,
  '_rels/.rels':
    `<Relationships xmlns="${packaged}/relationships">` +
    `<Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml':
    `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>` +
    `<sheet name="${escaped(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels':
    `<Relationships xmlns="${packaged}/relationships">` +
    `<Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/>` +
    `<Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml':
    `<styleSheet xmlns="${main}">` +
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="2"><border><left/><right/><top/><bottom/><diagonal/></border>' +
    '<border><left/><right/><top/><bottom style="medium"><color auto="1"/></bottom><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
    '<xf numFmtId="49" fontId="1" fillId="0" borderId="1" xfId="0" applyNumberFormat="1" applyFont="1" applyBorder="1" applyAlignment="1">' +
    '<alignment horizontal="center"/></xf>' +
    '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>' +
    // Some programs warn if no style is named Normal.
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
})
