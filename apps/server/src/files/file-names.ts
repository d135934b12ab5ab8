/** A title as part of a file name, without reserved characters, at most 100 characters. */
export function titleForFile(title: string): string {
  const clean = title.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069/\\:*?"<>|]/g, '_').trim()
  // A name of only dots is a folder, and some systems remove trailing dots.
  const short = clean.slice(0, 100).toWellFormed()
  let end = short.length
  while (short.charAt(end - 1) === '.') end--
  return short.slice(0, end) || 'game'
}

/** UTC, to the second: `20260131-09.05.00Z`. */
export const fileStamp = (time: Date): string => {
  const [day = '', clock = ''] = time.toISOString().slice(0, 19).split('T')
  return `${day.replaceAll('-', '')}-${clock.replaceAll(':', '.')}Z`
}

/** `{title}_Scoreboard_20260131090500.xlsx` (UTC). */
export const sheetFileName = (title: string, kind: 'Scoreboard' | 'Submissions', time: Date): string =>
  `${titleForFile(title)}_${kind}_${time.toISOString().slice(0, 19).replace(/\D/g, '')}.xlsx`

/** A time in a sheet: `2026-01-31 09:05:00Z`. */
export const sheetTime = (time: Date): string => `${time.toISOString().slice(0, 19).replace('T', ' ')}Z`
