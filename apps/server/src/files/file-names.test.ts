import { expect, test } from 'vitest'
import { fileStamp, sheetFileName, sheetTime, titleForFile } from './file-names.ts'

test('a title in a file name has no reserved characters, no trailing dots, at most 100 characters, and is never empty', () => {
  expect(titleForFile(' a/b\\c:d*e?f"g<h>i|j\u0000k\u202el ')).toBe('a_b_c_d_e_f_g_h_i_j_k_l')
  expect(titleForFile('..Cup. 1...')).toBe('..Cup. 1')
  expect(titleForFile(`${'x'.repeat(99)}..`)).toBe('x'.repeat(99))
  expect(titleForFile('x'.repeat(101))).toHaveLength(100)
  expect(titleForFile(`${'x'.repeat(99)}\u{1f3c1}`)).toBe(`${'x'.repeat(99)}\ufffd`)
  expect(['...', ' ', ''].map(titleForFile)).toEqual(['game', 'game', 'game'])
})

test('times in names and sheets are UTC, to the second', () => {
  const time = new Date('2026-01-31T10:05:09.987+01:00')
  expect(fileStamp(time)).toBe('20260131-09.05.09Z')
  expect(sheetTime(time)).toBe('2026-01-31 09:05:09Z')
  expect(sheetFileName('Cup.', 'Submissions', time)).toBe('Cup_Submissions_20260131090509.xlsx')
})
