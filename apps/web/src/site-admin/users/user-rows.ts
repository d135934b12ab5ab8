import type { NewUser } from '@vexil/contract/users'
import { cleanPhone, foldCase, generatePassword, isEmail } from '@vexil/core/accounts'
import { accountLimits } from '@vexil/core/limits'
import { cleanTeamName, cleanUserName, nameKey } from '@vexil/core/names'
import papa from 'papaparse'
import type { NewPassword } from '../../shell/new-passwords.ts'
import { passes } from './user-fields.ts'

export const userColumns = ['userName', 'password', 'email', 'realName', 'stdNumber', 'phone', 'teamName'] as const
export type UserColumn = (typeof userColumns)[number]
export type UserRow = Readonly<Record<UserColumn, string>> & {
  /** More cells than there are columns. */
  readonly tooMany: boolean
  /** The password was made here and is known nowhere else. */
  readonly generated: boolean
}

export type RowFault = UserColumn | 'tooMany' | 'nameTwice' | 'emailTwice'

export interface UserList {
  readonly rows: readonly UserRow[]
  /** Unknown headings; their cells are ignored. */
  readonly unknown: readonly string[]
}

export const emptyRow: UserRow = {
  ...(Object.fromEntries(userColumns.map((name) => [name, ''])) as Record<UserColumn, string>),
  tooMany: false,
  generated: false,
}

/** Separated by commas, semicolons or tabs, quoted or not. With a header line the columns may be in any order. */
export function readUsers(text: string): UserList {
  const { data } = papa.parse<string[]>(text.trim(), { skipEmptyLines: 'greedy', delimitersToGuess: [',', ';', '\t'] })
  const columnOf = (heading: string) => userColumns.find((name) => name.toLowerCase() === heading.trim().toLowerCase())
  const headed = data[0]?.some((cell) => columnOf(cell) === 'userName') ?? false
  const headings = headed ? (data[0] ?? []) : userColumns
  const rows = (headed ? data.slice(1) : data).map((cells) => {
    const known = cells.flatMap((cell, i) => {
      const name = columnOf(headings[i] ?? '')
      return name ? [[name, name === 'password' ? cell : cell.trim()]] : []
    })
    return { ...emptyRow, ...Object.fromEntries(known), tooMany: cells.length > headings.length }
  })
  return { rows, unknown: headings.filter((heading) => !columnOf(heading) && heading.trim() !== '') }
}

/** Faults of each row. The server repeats the checks and adds its own. */
export function faultsOf(rows: readonly UserRow[], generate: boolean): RowFault[][] {
  const [names, emails] = [new Set<string>(), new Set<string>()]
  return rows.map((row) => {
    const faults = fieldFaults(row, generate)
    const [name, email] = [nameKey(row.userName), foldCase(row.email)]
    if (names.has(name) && !faults.includes('userName')) faults.push('nameTwice')
    if (emails.has(email) && !faults.includes('email')) faults.push('emailTwice')
    names.add(name)
    emails.add(email)
    return faults
  })
}

function fieldFaults({ userName, password, email, realName, stdNumber, phone, teamName, tooMany }: UserRow, generate: boolean) {
  const { passwordMin, passwordMax, realNameMax, studentNumberMax } = accountLimits
  const faults: RowFault[] = tooMany ? ['tooMany'] : []
  if (!passes(() => cleanUserName(userName))) faults.push('userName')
  const noPassword = generate && password === ''
  if (!noPassword && (password.length < passwordMin || password.length > passwordMax)) faults.push('password')
  if (!isEmail(email)) faults.push('email')
  if (realName.length > realNameMax) faults.push('realName')
  if (stdNumber.length > studentNumberMax) faults.push('stdNumber')
  if (!passes(() => cleanPhone(phone))) faults.push('phone')
  if (teamName !== '' && !passes(() => cleanTeamName(teamName))) faults.push('teamName')
  return faults
}

/** A uniform random number below `below`. */
export function secureRandom(below: number): number {
  const most = 2 ** 32 - (2 ** 32 % below)
  for (;;) {
    const value = crypto.getRandomValues(new Uint32Array(1))[0] as number
    if (value < most) return value % below
  }
}

/** Starts with a letter or digit: a spreadsheet parses a leading = or + as a formula. */
export function makePassword(): string {
  for (;;) {
    const password = generatePassword(secureRandom)
    if (/^[A-Za-z0-9]/.test(password)) return password
  }
}

export const withPasswords = (rows: readonly UserRow[]): UserRow[] =>
  rows.map((row) => (row.password === '' ? { ...row, password: makePassword(), generated: true } : row))

/** Batches of about `size` in the order of the rows; accounts of one team stay together, since one call creates the team. */
export function batchesOf(rows: readonly UserRow[], size = 25): UserRow[][] {
  const groups = Map.groupBy(rows, (row) => (row.teamName === '' ? row : row.teamName))
  const batches: UserRow[][] = []
  for (const group of groups.values()) {
    const last = batches.at(-1)
    if (last && last.length + group.length <= size) last.push(...group)
    else batches.push([...group])
  }
  return batches
}

/** The form that the call accepts: empty fields are left out. */
export function wireUser({ userName, password, email, ...more }: UserRow): NewUser {
  const filled = (['realName', 'stdNumber', 'phone', 'teamName'] as const).filter((name) => more[name] !== '')
  return { userName, password, email, ...Object.fromEntries(filled.map((name) => [name, more[name]])) }
}

const asText = (cell: string) => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell)

/** Names and passwords as CSV. Names that a spreadsheet would parse as a formula are marked as text; passwords are unchanged. */
export const passwordSheet = (rows: readonly NewPassword[]): string =>
  papa.unparse(
    rows.map(({ userName, password, email, teamName }) => ({
      userName: asText(userName),
      password,
      email,
      teamName: asText(teamName),
    })),
  )
