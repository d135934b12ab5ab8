// @vitest-environment jsdom
import type { NewUser } from '@vexil/contract/users'
import { accountLimits, teamLimits } from '@vexil/core/limits'
import { act } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { button, click, field, named, rows, send, settle, write } from '../../../test/acts.ts'
import { json, openPage, toasts, until } from '../../../test/page.tsx'
import { forgetPasswords, keepPasswords, newPasswords } from '../../shell/new-passwords.ts'
import { t } from '../../ui/text/organiser-texts.ts'
import AddUsersDialog from './add-users-dialog.tsx'
import { AddedUsers } from './added-users.tsx'

beforeEach(() => forgetPasswords())
afterEach(() => void vi.unstubAllGlobals())

type Answer = (batch: NewUser[]) => Response | Promise<Response>

async function open(answer: Answer = () => new Response(null)) {
  const sent: NewUser[][] = []
  vi.stubGlobal('fetch', async (_: string, init: RequestInit = {}) => {
    if (init.method !== 'POST') return json({ data: [], length: 0, total: 0 })
    const batch = JSON.parse(String(init.body))
    sent.push(batch)
    return answer(batch)
  })
  const onClose = vi.fn()
  await openPage(<AddUsersDialog onClose={onClose} />)
  await until(() => expect(document.querySelector('[role=dialog]')).not.toBeNull())
  return { sent, onClose }
}
const dialog = () => document.querySelector('[role=dialog]') as HTMLElement
const toList = () => click([...document.querySelectorAll('[role=radiogroup] input')].at(-1))
const paste = async (text: string) => {
  await toList()
  await write(field('List'), text)
}
const lines = (count: number, team: (i: number) => string = () => '') =>
  Array.from({ length: count }, (_, i) => `user${i},secret${i},user${i}@example.org,,,,${team(i)}`).join('\n')
const refusal = (row: number, name: string, reason: string) => {
  const title = `Row ${row} (${name}): ${reason}`
  return json({ code: 'user.batch_row_refused', title, status: 400, data: { row, name, reason } }, 400)
}

test('US-5 FOCUS-2 one account by the form: a password can be generated, errors are shown at their fields, the result shows it once', async () => {
  const { sent, onClose } = await open()
  keepPasswords([{ userName: 'eve', password: 'of another dialog', email: '', teamName: '' }])
  expect(dialog().textContent).toContain(t('admin.users.addText'))
  expect(field('Username').getAttribute('autocomplete')).toBe('off')
  await write(field('Username'), 'a')
  await send(field('Username'))
  expect(sent).toEqual([])
  expect([field('Email').type, field('Phone').type]).toEqual(['email', 'tel'])
  const isMarked = (label: string) => field(label).getAttribute('aria-invalid') === 'true'
  expect(['Username', 'Email', 'Password'].map(isMarked)).toEqual([true, true, true])
  await write(field('Username'), ' ada ')
  expect(['Username', 'Email', 'Password'].map(isMarked)).toEqual([false, false, false])
  const { userNameMax, emailMax, passwordMax, realNameMax, studentNumberMax, phoneMax } = accountLimits
  const longest = {
    ...{ Username: userNameMax, Email: emailMax, Password: passwordMax, 'Real name': realNameMax },
    ...{ 'Student number': studentNumberMax, Phone: phoneMax, Team: teamLimits.nameMax },
  }
  for (const [label, length] of Object.entries(longest)) expect(field(label).maxLength, label).toBe(length)
  await write(field('Email'), 'ada@example.org')
  await click(button('Generate password'))
  const password = field('Password').value
  expect(password).toHaveLength(16)
  await write(field('Team'), 'Halyard')
  await send(field('Username'))
  expect(sent).toEqual([[{ userName: 'ada', password, email: 'ada@example.org', teamName: 'Halyard' }]])
  expect(dialog().textContent).toContain('1 account added')
  expect(dialog().textContent).not.toContain(t('admin.users.addText'))
  expect(rows(dialog())).toEqual([`ada${password}ada@example.orgHalyard`])
  // It is scrolled by keyboard.
  expect(named('Added accounts')?.tabIndex).toBe(0)
  // FOCUS-2: the form that had the focus no longer exists.
  expect(document.activeElement).toBe(button('Save as CSV'))
  await click(button('Done'))
  expect(onClose).not.toHaveBeenCalled()
  await until(() => expect(button('Cancel')).toBeTruthy())
  expect(document.body.textContent).toContain('1 new password is not saved')
  await click(button('Cancel'))
  expect(onClose).not.toHaveBeenCalled()
  const unsaved = () => newPasswords().map(({ userName }) => userName)
  const written = vi.fn(async () => {})
  Object.assign(document, { execCommand: () => false })
  vi.stubGlobal('navigator', { clipboard: { writeText: () => Promise.reject(new Error('denied')) } })
  await click(button('Copy all'))
  Reflect.deleteProperty(document, 'execCommand')
  expect(unsaved()).toEqual(['eve', 'ada'])
  const icon = (text: string) => button(text)?.querySelector('svg')?.classList[1]
  expect(icon('Copy all')).toBe('tabler-icon-copy')
  vi.stubGlobal('navigator', { clipboard: { writeText: written } })
  await click(button('Copy all'))
  expect(unsaved()).toEqual(['eve'])
  expect(icon('Copied')).toBe('tabler-icon-check')
  expect(written).toHaveBeenCalledWith(expect.stringContaining(`ada,${password},ada@example.org,Halyard`))
  await click(button('Done'))
  expect(onClose).toHaveBeenCalledOnce()
})

test('US-5 a generated password that is typed over is not kept as a new one', async () => {
  const { sent } = await open()
  await write(field('Username'), 'ada')
  await write(field('Email'), 'ada@example.org')
  await click(button('Generate password'))
  await write(field('Password'), 'own secret')
  await send(field('Username'))
  expect(sent[0]?.map(({ password }) => password)).toEqual(['own secret'])
  expect(newPasswords()).toEqual([])
})

test('US-5 a refusal of one account is shown in the form, which keeps the typed text, until the next try', async () => {
  let next = Promise.resolve()
  await open(async () => {
    await next
    return refusal(1, 'ada', 'Administrators cannot be changed this way')
  })
  await write(field('Username'), 'ada')
  await write(field('Email'), 'ada@example.org')
  await write(field('Password'), 'secret')
  await send(field('Username'))
  expect(dialog().querySelector('[role=alert]')?.textContent).toBe('Administrators cannot be changed this way')
  expect(field('Username').value).toBe('ada')
  // The error is shown only in the form.
  expect(toasts()).toEqual([])
  const answered = Promise.withResolvers<void>()
  next = answered.promise
  await send(field('Username'))
  expect(dialog().querySelector('[role=alert]')).toBeNull()
  answered.resolve()
  await until(() => expect(dialog().querySelector('[role=alert]')).not.toBeNull())
  await write(field('Username'), 'adam')
  expect(dialog().querySelector('[role=alert]')).toBeNull()
  await send(field('Username'))
  await until(() => expect(dialog().querySelector('[role=alert]')).not.toBeNull())
  // It is not a refusal of the list.
  await toList()
  expect(dialog().querySelector('[role=alert]')).toBeNull()
})

test('US-5 a pasted list is shown as a table with errors at each row, and nothing is sent before it is valid', async () => {
  const { sent } = await open()
  await toList()
  expect(dialog().querySelector('[role=radiogroup]')?.getAttribute('aria-label')).toBe('Method')
  expect(field('List').hasAttribute('data-autofocus')).toBe(true)
  expect([named('Accounts in the list'), dialog().querySelector('[role=status]')?.textContent]).toEqual([undefined, ''])
  await paste('ada,secret,ada@example.org\nx,123,nowhere\nben,,ben@example.org')
  expect(dialog().textContent).toContain('1 row has errors')
  expect(named('Accounts in the list')?.tabIndex).toBe(0)
  const [first, problem, second, third] = rows(dialog())
  expect(first).toMatch(/^2x/)
  expect(dialog().textContent).not.toMatch(/and -?\d+ more|Unknown columns/)
  expect(dialog().querySelector('[role=progressbar]')).toBeNull()
  expect(problem).toContain('3 to 15 characters')
  expect(problem).toContain('at least 6 characters')
  expect(problem).toContain('Invalid email address')
  expect(second).toContain('ada@example.org')
  expect(second).toContain('••••••ada@')
  expect(third).toContain('generated')
  expect(rows(dialog()).join()).not.toContain('secret')
  expect(button('Add 3 accounts')?.disabled).toBe(true)
  await send(field('List'))
  await write(field('List'), 'ada,secret word,ada@example.org\nben,,ben@example.org')
  expect(dialog().textContent).toContain('2 accounts, no errors')
  // The number of characters of a long password is not shown.
  expect(rows(dialog())[0]).toMatch(/^1ada•{8}ada@/)
  await click(field('Generate missing passwords'))
  expect(dialog().textContent).toContain('1 row has errors')
  expect(rows(dialog())[0]).toMatch(/^2benben@/)
  await send(field('List'))
  expect(sent).toEqual([])
  await click(field('Generate missing passwords'))
  await send(field('List'))
  expect(sent).toHaveLength(1)
  expect(sent[0]?.map(({ userName, password }) => [userName, password.length])).toEqual([
    ['ada', 11],
    ['ben', 16],
  ])
})

test('US-5 a file is read like a pasted list', async () => {
  await open()
  await toList()
  const input = document.querySelector<HTMLInputElement>('input[type=file]')
  expect(input?.accept).toBe('.csv,.tsv,.txt,text/csv')
  const file = new File(['userName;email\nada;ada@example.org'], 'users.csv', { type: 'text/csv' })
  Object.defineProperty(input, 'files', { value: [file] })
  await act(async () => input?.dispatchEvent(new Event('change', { bubbles: true })))
  await settle()
  expect(rows(dialog())).toEqual([expect.stringContaining('ada@example.org')])
})

test('US-5 a file in another encoding than UTF-8 is refused with the reason, and can be chosen again after it was corrected', async () => {
  await open()
  await paste('ada,secret,ada@example.org')
  const input = document.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement
  const cleared = vi.fn()
  Object.defineProperty(input, 'value', { set: cleared })
  const choose = async (content: BlobPart | Promise<never>) => {
    const file = new File([content instanceof Promise ? '' : content], 'users.csv')
    if (content instanceof Promise) file.arrayBuffer = () => content
    Object.defineProperty(input, 'files', { value: [file], configurable: true })
    await act(async () => input.dispatchEvent(new Event('change', { bubbles: true })))
    await settle()
  }
  await choose(new Uint8Array([...Buffer.from('ben,secret,ben@example.org,Zo'), 0xeb]))
  expect(toasts().at(-1)).toMatchObject({ message: t('admin.users.saveUtf8'), role: 'alert' })
  expect(field('List').value).toContain('ada')
  expect(cleared).toHaveBeenCalledWith('')
  await choose(Promise.reject(new DOMException('moved', 'NotReadableError')))
  expect(toasts().at(-1)).toMatchObject({ title: t('ui.fileNotLoaded'), message: '', role: 'alert' })
  await choose('\ufeffben,secret,ben@example.org,Zoë')
  expect(field('List').value).toBe('ben,secret,ben@example.org,Zoë')
})

test('US-5 the typed text of both forms stays when the other one is shown', async () => {
  await open()
  await write(field('Username'), 'ada')
  await paste('ben,secret,ben@example.org')
  await click(document.querySelector('[role=radiogroup] input'))
  expect(field('Username').value).toBe('ada')
  await toList()
  expect(field('List').value).toContain('ben')
})

test.each([
  ['the form', () => write(field('Username'), 'ada')],
  ['the list', () => paste('ben,secret,ben@example.org')],
])('US-5 text in %s alone is not lost without a question', async (_, type) => {
  const { onClose } = await open()
  await type()
  await click(named('Close'))
  expect(document.body.textContent).toContain(t('shell.unsaved'))
  expect(onClose).not.toHaveBeenCalled()
  await click(button('Discard'))
  expect(onClose).toHaveBeenCalledOnce()
})

test('US-5 the result shows at most a hundred accounts and counts the rest', async () => {
  const made = Array.from({ length: 102 }, (_, i) => ({ userName: `user${i}`, password: 'secret', email: '', teamName: '' }))
  const place = await openPage(<AddedUsers rows={made} onDone={() => {}} />)
  expect(rows(place)).toHaveLength(100)
  expect(rows(place)[99]).toContain('user99')
  expect(place.textContent).toContain('and 2 more')
  const hundred = await openPage(<AddedUsers rows={made.slice(0, 100)} onDone={() => {}} />)
  expect(hundred.textContent).not.toContain('more')
})

test('US-5 a long list is sent in batches, with progress', async () => {
  const waiting: (() => void)[] = []
  const { sent, onClose } = await open(async () => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return new Response(null)
  })
  await paste(lines(60))
  await send(field('List'))
  expect(sent.map((batch) => batch.length)).toEqual([25])
  expect(field('List').readOnly).toBe(true)
  expect([field('Generate missing passwords').disabled, button('Choose a file')?.disabled]).toEqual([true, true])
  expect([...document.querySelectorAll('[role=radiogroup] input')].map((one) => one.matches(':disabled'))).toEqual([true, true])
  // While accounts are being added the dialog does not close.
  await click(named('Close'))
  expect([onClose.mock.calls, document.body.textContent?.includes(t('shell.unsaved'))]).toEqual([[], false])
  waiting.shift()?.()
  await settle()
  const bar = named('25 of 60 added')
  expect(bar?.getAttribute('role')).toBe('progressbar')
  expect(Math.round(Number(bar?.getAttribute('aria-valuenow')))).toBe(42)
  for (let i = 0; i < 2; i++) {
    waiting.shift()?.()
    await settle()
  }
  expect(sent.map((batch) => batch.length)).toEqual([25, 25, 10])
  expect(dialog().textContent).toContain('60 accounts added')
  expect(rows(dialog())).toHaveLength(60)
  expect(dialog().textContent).not.toContain('more')
  expect(dialog().textContent).toContain('not stored on the server')
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  const files: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    files.push(this.download)
  })
  await click(button('Save as CSV'))
  expect(files).toEqual(['accounts.csv'])
  const text = await (saved.mock.lastCall?.[0] as unknown as Blob | undefined)?.text()
  expect(text?.split('\r\n')).toHaveLength(61)
  expect(text).toContain('user59,secret59,user59@example.org')
  vi.restoreAllMocks()
  // All was added: nothing typed is lost.
  await click(named('Close'))
  expect(onClose).toHaveBeenCalledOnce()
})

test('US-5 a refused row is named with the reason; rows added already are not sent again', async () => {
  let refusing = true
  const { sent } = await open((batch) => {
    const at = batch.findIndex(({ userName }) => userName === 'user30')
    return refusing && at >= 0 ? refusal(at + 1, 'user30', 'Each player may own only one team') : new Response(null)
  })
  await paste(lines(40, (i) => (i === 30 || i === 39 ? 'Halyard' : '')))
  await send(field('List'))
  expect(sent.map((batch) => batch.length)).toEqual([25, 15])
  expect(dialog().querySelector('[role=alert]')?.textContent).toBe(
    '25 added, then a row was refused: Each player may own only one team',
  )
  const [first, reason] = rows(dialog())
  expect(first).toMatch(/^31user30/)
  expect(reason).toBe('Each player may own only one team')
  expect(dialog().querySelectorAll('[aria-label=added]')).toHaveLength(25)
  expect(button('Add 15 accounts')).toBeTruthy()
  refusing = false
  await send(field('List'))
  expect(sent.map((batch) => batch.length)).toEqual([25, 15, 15])
  expect(dialog().textContent).toContain('40 accounts added')
})

test('US-5 when the platform does not answer for the second batch, the reason is shown and no row is blamed', async () => {
  const { sent } = await open(() => new Response('', { status: sent.length > 1 ? 502 : 200 }))
  await paste(lines(40))
  await send(field('List'))
  expect(dialog().querySelector('[role=alert]')?.textContent).toBe('Cannot reach the platform. Try again in a moment.')
  expect(dialog().querySelectorAll('[aria-label=added]')).toHaveLength(25)
})

test('US-5 a list that is changed after a refusal is sent as it is now', async () => {
  const { sent } = await open(() => refusal(1, 'ada', 'No'))
  await paste('ada,,ada@example.org')
  await send(field('List'))
  expect(rows(dialog())[0]).not.toContain('generated')
  for (let clicks = 0; clicks < 2; clicks++) await click(field('Generate missing passwords'))
  expect(rows(dialog())[0]).toContain('generated')
  await write(field('List'), 'ben,secret,ben@example.org')
  await send(field('List'))
  expect(sent.map(([row]) => row?.userName)).toEqual(['ada', 'ben'])
})

test('US-5 only generated passwords of added accounts are kept until saved: one key does not lose them', async () => {
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
  const { onClose, sent } = await open((batch) => (batch.length < 25 ? refusal(1, 'u25', 'No') : new Response(null)))
  await paste(
    `given,secret,given@example.org\n${Array.from({ length: 30 }, (_, i) => `user${i},,user${i}@example.org`).join('\n')}`,
  )
  await send(field('List'))
  expect(newPasswords()).toHaveLength(24)
  expect(newPasswords().map(({ password }) => password)).toEqual(sent[0]?.slice(1).map(({ password }) => password))
  await act(async () => dialog().dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })))
  await until(() => expect(document.body.textContent).toContain(t('shell.unsaved')))
  // Rows that were refused are lost, the passwords of the others are not.
  await click([...document.querySelectorAll('[role=dialog] button')].at(-1))
  await until(() => expect(document.body.textContent).toContain('24 new passwords are not saved'))
  expect(onClose).not.toHaveBeenCalled()
  await click(button('Close'))
  expect(onClose).toHaveBeenCalledOnce()
  expect(newPasswords()).toHaveLength(24)
  expect(saved).not.toHaveBeenCalled()
  vi.restoreAllMocks()
})

test('US-5 too many rows and unknown headings are reported', async () => {
  const { sent } = await open()
  await paste(lines(1000))
  expect(dialog().textContent).toContain('1,000 accounts, no errors')
  expect(button('Add 1,000 accounts')?.disabled).toBe(false)
  await write(field('List'), lines(1001))
  expect(dialog().textContent).toContain('1,001 rows: at most 1,000 at once.')
  expect([rows(dialog()).length, dialog().textContent?.includes('and 901 more')]).toEqual([100, true])
  await send(field('List'))
  expect(sent).toEqual([])
  await write(field('List'), lines(100))
  expect(dialog().textContent).not.toContain('more')
  await write(field('List'), 'userName,email,class\nada,ada@example.org,5b')
  expect(dialog().textContent).toContain('Unknown columns are ignored: class')
  // A text that is too long for a list is cut.
  await write(field('List'), 'x'.repeat(1_000_001))
  expect(field('List').value).toHaveLength(1_000_000)
})
