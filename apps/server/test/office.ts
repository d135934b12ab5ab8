/** How an office program reads our sheets. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SOFFICE = '/usr/bin/soffice'
export const haveOffice = existsSync(SOFFICE)

/** Separated by commas, UTF-8, formulas as their results; every text in quotes, so that texts and numbers differ. */
const csvFilter = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,false'

/** Rows of cells as LibreOffice sees them: texts as strings, numbers as numbers, empty cells as ''. */
export function readSheet(xlsx: Buffer): (string | number)[][] {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-office-'))
  try {
    writeFileSync(join(folder, 'sheet.xlsx'), xlsx)
    const args = [`-env:UserInstallation=file://${folder}/profile`, '--headless', '--convert-to', csvFilter, '--outdir', folder]
    const done = spawnSync(SOFFICE, [...args, join(folder, 'sheet.xlsx')], { encoding: 'utf8', timeout: 120_000 })
    if (!existsSync(join(folder, 'sheet.csv'))) throw new Error(`LibreOffice cannot read it: ${done.stderr}${done.stdout}`)
    return parseCsv(readFileSync(join(folder, 'sheet.csv'), 'utf8'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function parseCsv(csv: string): (string | number)[][] {
  const rows: (string | number)[][] = [[]]
  for (const [, quoted, plain = '', end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
    if (end === '' && quoted === undefined && plain === '') break
    rows.at(-1)?.push(quoted === undefined ? (plain === '' ? '' : Number(plain)) : quoted.replaceAll('""', '"'))
    if (end === '\n') rows.push([])
  }
  return rows.filter((row) => row.length > 0)
}
