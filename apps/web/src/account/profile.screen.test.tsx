// @vitest-environment jsdom
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { act, type ComponentType } from 'react'
import { expect, test } from 'vitest'
import { button, click, field, named, send, settle, write } from '../../test/acts.ts'
import { json, openPage, toasts, until, Where, where } from '../../test/page.tsx'
import { acts, type RecordedCall, refuse, serve } from '../../test/server.ts'
import { keys } from '../api/query-keys.ts'
import { forgetPasswords, keepPasswords } from '../shell/new-passwords.ts'
import { Rail } from '../shell/rail.tsx'
import ProfileScreen from './profile.screen.tsx'

const ann = {
  userId: 'u1',
  userName: 'ann',
  email: 'ann@example.org',
  phone: null,
  stdNumber: '',
  realName: '',
  bio: '',
  avatar: null as string | null,
  role: 'User',
}

/** The screen next to the rail, with a server that stores what it receives. */
async function open(answer: (call: RecordedCall) => unknown = () => undefined, Beside: ComponentType = () => null) {
  Object.assign(URL, { createObjectURL: () => 'blob:preview', revokeObjectURL: () => {} })
  let kept = ann
  const requests = serve((call) => {
    if (call.path === '/api/account/session') return { user: kept }
    if (call.method === 'GET') return []
    const given = answer(call)
    if (given === undefined && call.path === '/api/account/update') kept = { ...kept, ...(call.body as object) }
    if (given === undefined && call.path === '/api/account/avatar') kept = { ...kept, avatar: '/assets/abc/avatar' }
    if (given && call.path === '/api/account/changeemail' && !(given as { data?: boolean }).data)
      kept = { ...kept, email: (call.body as { newMail: string }).newMail }
    return given
  })
  const place = await openPage(
    <>
      <Where />
      <Rail />
      <ProfileScreen />
      <Beside />
    </>,
    [
      [keys.config, { title: 'Harbour', setupRequired: false }],
      [keys.profile, ann],
    ],
    '/account/Profile',
  )
  const changeElsewhere = (part: Partial<typeof ann>) => {
    kept = { ...kept, ...part }
  }
  return { place, requests, changeElsewhere }
}
const dialog = () => document.querySelector<HTMLElement>('[role=dialog]')
const inDialog = (kind: string) => [...(dialog()?.querySelectorAll<HTMLInputElement>(`input[autocomplete="${kind}"]`) ?? [])]
const saveByKeys = async () => {
  const save = new KeyboardEvent('keydown', { key: 's', code: 'KeyS', ctrlKey: true, bubbles: true })
  await act(async () => void field('About me').dispatchEvent(save))
  await settle()
}

test('P2.8 PRO-1 each field is saved; the navigation shows the new name at once', async () => {
  const { requests } = await open()
  expect(named('Account: ann')).toBeTruthy()
  expect(field('Email').readOnly).toBe(true)
  const told = { userName: 'anna', phone: '+49 30 1234567', stdNumber: 's-7', realName: 'Anna B', bio: 'sails' }
  for (const [label, text] of [
    ['Username', told.userName],
    ['Phone', told.phone],
    ['Student number', told.stdNumber],
    ['Real name', told.realName],
    ['About me', told.bio],
  ] as const)
    await write(field(label), text)
  // The save key also works while a field has the focus.
  await saveByKeys()
  expect(acts(requests)).toEqual([{ call: 'PUT /api/account/update', body: told }])
  await until(() => expect(named('Account: anna')).toBeTruthy())
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Profile saved', role: 'status' })])
  // Without a change nothing is sent.
  await saveByKeys()
  expect(acts(requests)).toHaveLength(1)
  // Blanks around it are not stored.
  await write(field('Phone'), ' +49 40 7654321 ')
  await saveByKeys()
  expect(acts(requests)[1]?.body).toEqual({ phone: '+49 40 7654321' })
  expect([field('Phone').value, button('Save')?.disabled]).toEqual(['+49 40 7654321', true])
  await write(field('Username'), ' annabel ')
  await saveByKeys()
  expect(acts(requests)[2]?.body).toEqual({ userName: 'annabel' })
  expect(field('Username').value).toBe('annabel')
})

test('PRO-1 a change by an administrator is shown, and not undone by saving another field', async () => {
  let queries!: QueryClient
  const { requests, changeElsewhere } = await open(undefined, () => {
    queries = useQueryClient()
    return null
  })
  const refetchProfile = (name: string) => {
    changeElsewhere({ userName: 'anne', stdNumber: 's-1', realName: name, bio: 'sails' })
    return act(() => queries.invalidateQueries({ queryKey: keys.profile }))
  }
  await refetchProfile('Ann Corrected')
  await until(() => expect([field('Real name').value, button('Save')?.disabled]).toEqual(['Ann Corrected', true]))
  expect(['Username', 'Student number', 'About me'].map((label) => field(label).value)).toEqual(['anne', 's-1', 'sails'])
  expect(field('About me').closest('.mantine-InputWrapper-root')?.textContent).toContain('5 / 128')
  await write(field('Phone'), '12345')
  await refetchProfile('Ann Again')
  await settle()
  await saveByKeys()
  expect(acts(requests)).toEqual([{ call: 'PUT /api/account/update', body: { phone: '12345' } }])
})

test('the tab asks before it closes with unsaved changes of the profile, and no longer once they are being saved', async () => {
  let finish = () => {}
  await open(() => new Promise<void>((done) => (finish = done)))
  const closesFreely = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  expect(closesFreely()).toBe(true)
  await write(field('Real name'), 'Anna B')
  expect(closesFreely()).toBe(false)
  const readOnly = () => ['Username', 'Phone', 'Student number', 'Real name', 'About me'].map((label) => field(label).readOnly)
  expect(readOnly()).toEqual([false, false, false, false, false])
  await send(field('Real name'))
  expect(readOnly()).toEqual([true, true, true, true, true])
  expect(closesFreely()).toBe(true)
  await act(async () => finish())
  await until(() => expect(toasts()).toEqual([expect.objectContaining({ title: 'Profile saved' })]))
})

test('KEYS-1 single-letter keys are switched off in the profile, which the device keeps', async () => {
  const { requests, place } = await open()
  const letters = () => place.querySelector<HTMLInputElement>('input[role=switch]')
  expect(place.textContent).toContain('Single-letter shortcuts')
  expect(letters()?.checked).toBe(true)
  await click(letters())
  expect([letters()?.checked, localStorage.getItem('letter-keys')]).toEqual([false, 'off'])
  await click(letters())
  expect(letters()?.checked).toBe(true)
  expect(acts(requests)).toEqual([])
})

test('PRO-1 invalid input is marked before any call, a refusal of the server after it', async () => {
  const { place, requests } = await open(() => refuse('This username is already in use', 'account.name_taken'))
  await write(field('Username'), 'an')
  await write(field('Phone'), 'call me')
  await send(field('Username'))
  expect(field('Username').getAttribute('aria-invalid')).toBe('true')
  expect(field('Phone').getAttribute('aria-invalid')).toBe('true')
  expect(place.textContent).toContain('Use 3 to 15 characters')
  expect(acts(requests)).toEqual([])
  expect(['Username', 'Phone', 'Student number', 'Real name', 'About me'].map((label) => field(label).maxLength)).toEqual([
    15, 32, 64, 128, 128,
  ])
  await write(field('Username'), 'bob')
  await write(field('Phone'), '')
  await send(field('Username'))
  expect(acts(requests)).toHaveLength(1)
  expect(field('Username').getAttribute('aria-invalid')).toBe('true')
  expect(field('Username').value).toBe('bob')
  await write(field('Username'), 'bobby')
  expect(field('Username').getAttribute('aria-invalid')).not.toBe('true')
})

test.each([
  ['account.phone_invalid', 'true'],
  ['request.too_many', null],
])('PRO-1 the phone is marked only if the server refused it (%s)', async (code, marked) => {
  await open(() => refuse('Not possible', code))
  await write(field('Phone'), '+1 555 0100')
  await send(field('Phone'))
  expect([field('Phone').getAttribute('aria-invalid'), field('Username').getAttribute('aria-invalid')]).toEqual([marked, null])
  expect(field('Phone').value).toBe('+1 555 0100')
})

test('PRO-1 a profile that the platform did not answer for is reported in a message, and the input stays', async () => {
  await open(() => new Response(null, { status: 502 }))
  expect(button('Save')?.disabled).toBe(true)
  await write(field('Real name'), 'Anna B')
  await send(field('Real name'))
  const message = 'Cannot reach the platform. Try again in a moment.'
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Could not save the profile', message, role: 'alert' })])
  expect([field('Real name').value, button('Save')?.disabled]).toEqual(['Anna B', false])
})

const png = (size = 10, type = 'image/png') => new File([new Uint8Array(size)], 'me.png', { type })
/** A file that is dropped, chosen by clicking, or pasted. */
const gives = {
  dropped: (file: File) => {
    const event = Object.assign(new Event('drop', { bubbles: true, cancelable: true }), {
      dataTransfer: { files: [file], items: [{ kind: 'file', type: file.type, getAsFile: () => file }], types: ['Files'] },
    })
    dialog()?.querySelector('input[type=file] + button')?.dispatchEvent(event)
  },
  chosen: (file: File) => {
    const input = dialog()?.querySelector<HTMLInputElement>('input[type=file]')
    Object.defineProperty(input, 'files', { value: [file], configurable: true })
    input?.dispatchEvent(new Event('change', { bubbles: true }))
  },
  pasted: (file: File) => window.dispatchEvent(Object.assign(new Event('paste'), { clipboardData: { files: [file] } })),
}
const preview = () => dialog()?.querySelector('img[alt="Preview"]')
const save = () => [...(dialog()?.querySelectorAll('button') ?? [])].find((one) => one.textContent === 'Save')

for (const way of ['dropped', 'chosen', 'pasted'] as const)
  test(`PRO-2 PRO-5 the avatar is a named button; a picture that is ${way} is shown, and is uploaded when it is saved`, async () => {
    const { place, requests } = await open()
    expect(named('Change avatar')?.tagName).toBe('BUTTON')
    await click(named('Change avatar'))
    expect(save()?.disabled).toBe(true)
    await act(async () => void gives[way](png()))
    await settle()
    await until(() => expect(preview()?.getAttribute('src')).toBe('blob:preview'))
    expect(acts(requests)).toEqual([])
    await click(save())
    expect(acts(requests).map(({ call }) => call)).toEqual(['PUT /api/account/avatar'])
    const form = acts(requests)[0]?.body as FormData
    expect(form.get('file')).toMatchObject({ name: 'me.png', size: 10 })
    await until(() => expect(place.querySelector('form img')?.getAttribute('src')).toBe('/assets/abc/avatar'))
    expect(toasts()).toEqual([expect.objectContaining({ title: 'Avatar changed' })])
  })

test('PRO-2 a file of another type, or of more than 3 MB, is refused before it is sent; a spinner shows an upload in progress', async () => {
  let finish = () => {}
  const { requests } = await open(() => new Promise<void>((done) => (finish = done)))
  await click(named('Change avatar'))
  expect(dialog()?.querySelector<HTMLInputElement>('input[type=file]')?.accept.split(',').sort()).toEqual([
    'image/avif',
    'image/gif',
    'image/jpeg',
    'image/png',
    'image/webp',
  ])
  for (const wrong of [png(10, 'application/pdf'), png(3 * 1024 * 1024 + 1), png(0)]) {
    for (const way of ['dropped', 'pasted'] as const) {
      await act(async () => void gives[way](wrong))
      await settle()
      expect(toasts()).toEqual([
        expect.objectContaining({ title: 'Failed to load file', message: 'File invalid (check format and size)', role: 'alert' }),
      ])
      expect(preview()).toBeNull()
      expect(save()?.disabled).toBe(true)
    }
  }
  await act(async () => void gives.pasted(png(3 * 1024 * 1024)))
  await until(() => expect(preview()).toBeTruthy())
  await click(save())
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Uploading' })])
  await act(async () => finish())
  await until(() => expect(toasts()).toEqual([expect.objectContaining({ title: 'Avatar changed' })]))
  expect(acts(requests)).toHaveLength(1)
})

async function changeEmail(answer: (call: RecordedCall) => unknown) {
  const opened = await open(answer)
  await click(button('Change email'))
  const [email] = inDialog('email')
  const [password] = inDialog('current-password')
  await write(email, 'new@example.org')
  await write(password, 'secret')
  return { ...opened, email, sendIt: () => send(email) }
}

test('PRO-3 changing the address shows what follows; while the mail is unconfirmed nothing changes', async () => {
  const { requests, sendIt } = await changeEmail(() => ({ title: 'sent', data: true, status: 200 }))
  expect(dialog()?.textContent).toContain('We send an email to the new address')
  expect(dialog()?.textContent).toContain('the old address can no longer sign in')
  await sendIt()
  expect(acts(requests)).toEqual([
    { call: 'PUT /api/account/changeemail', body: { newMail: 'new@example.org', password: 'secret' } },
  ])
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Email sent', role: 'status' })])
  await until(() => expect(dialog()).toBeNull())
  expect(field('Email').value).toBe('ann@example.org')
})

test('PRO-3 without mail the address changes at once; an address is required', async () => {
  const held = Promise.withResolvers<object>()
  const { email, requests, sendIt } = await changeEmail(() => held.promise)
  for (const wrong of ['', 'no address']) {
    await write(email, wrong)
    await sendIt()
    expect(email?.getAttribute('aria-invalid')).toBe('true')
  }
  expect(acts(requests)).toEqual([])
  // A browser removes only blanks of ASCII.
  await write(email, '\u3000new@example.org')
  const readOnly = () => [field('New email').readOnly, field('Current password').readOnly]
  expect(readOnly()).toEqual([false, false])
  await sendIt()
  expect(readOnly()).toEqual([true, true])
  held.resolve({ title: 'changed', data: false, status: 200 })
  await until(() => expect(field('Email').value).toBe('new@example.org'))
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Email changed' })])
})

test.each([
  ['account.email_taken', 'This email is already in use', 'New email'],
  ['account.old_password_wrong', 'The password is wrong', 'Current password'],
])(
  'PRO-3 a refusal of the server (%s) is shown at its field, and the dialog keeps the typed text',
  async (code, words, label) => {
    const { email, sendIt } = await changeEmail(() => refuse(words, code))
    await sendIt()
    const saidAt = (name: string) => field(name).closest('.mantine-InputWrapper-root')?.textContent?.includes(words)
    expect(['New email', 'Current password'].filter(saidAt)).toEqual([label])
    expect([email?.value, field('Current password').value]).toEqual(['new@example.org', 'secret'])
    expect(toasts()).toEqual([])
  },
)

async function fillPasswords(old: string, fresh: string, again: string) {
  const [first, second] = inDialog('new-password')
  await write(inDialog('current-password')[0], old)
  await write(first, fresh)
  await write(second, again)
}

test('P3.2 P5.3 PRO-4 empty and different passwords are refused without a call; cancel clears the fields', async () => {
  const { requests } = await open()
  await click(button('Change password'))
  for (const [old, fresh, again, words] of [
    ['', '', '', 'The password cannot be empty'],
    ['secret', '', '', 'The password cannot be empty'],
    ['secret', 'brand new', 'brand nev', 'Passwords do not match'],
    ['secret', 'short', 'short', 'Use at least 6 characters'],
    ['short', 'brand new', 'brand new', 'Use at least 6 characters'],
  ] as const) {
    await fillPasswords(old, fresh, again)
    await send(inDialog('current-password')[0])
    expect(dialog()?.textContent).toContain(words)
  }
  expect(acts(requests)).toEqual([])
  await click([...(dialog()?.querySelectorAll('button') ?? [])].find((one) => one.textContent === 'Cancel'))
  await until(() => expect(dialog()).toBeNull())
  await click(button('Change password'))
  const values = [...(dialog()?.querySelectorAll('input') ?? [])].map(({ value }) => value)
  expect(values).toEqual(['', '', ''])
})

test('FB-6 PRO-4 a password is not changed before unsaved changes of the profile are given up', async () => {
  const { requests } = await open()
  await write(field('Real name'), 'Anna B')
  await click(button('Change password'))
  await fillPasswords('secret', 'brand new', 'brand new')
  await send(inDialog('current-password')[0])
  expect(document.body.textContent).toContain('Discard unsaved changes?')
  await click(button('Cancel'))
  expect([acts(requests), field('Real name').value]).toEqual([[], 'Anna B'])
  keepPasswords([{ userName: 'ben', password: 'New-Secret', email: '', teamName: '' }])
  await send(inDialog('current-password')[0])
  expect(document.body.textContent).toContain('1 new password is not saved')
  await click(button('Cancel'))
  expect(acts(requests)).toEqual([])
  forgetPasswords()
  await send(inDialog('current-password')[0])
  await click(button('Discard'))
  await until(() => expect(where()).toBe('/account/Login'))
  expect(acts(requests)).toHaveLength(2)
})

test('PRO-4 a changed password signs out, even if the call for it fails, and opens the login', async () => {
  const held = Promise.withResolvers<undefined>()
  const signOut = Promise.withResolvers<Response>()
  const { requests } = await open(({ path }) => {
    if (path === '/api/account/changepassword') return held.promise
    return path === '/api/account/logout' ? signOut.promise : undefined
  })
  await click(button('Change password'))
  await fillPasswords('secret', 'brand new', 'brand new')
  await send(inDialog('current-password')[0])
  expect([...(dialog()?.querySelectorAll('input') ?? [])].map(({ readOnly }) => readOnly)).toEqual([true, true, true])
  held.resolve(undefined)
  await until(() => expect(dialog()).toBeNull())
  signOut.resolve(json({ title: 'Out of order', status: 500 }, 500))
  await settle()
  expect(acts(requests)).toEqual([
    { call: 'PUT /api/account/changepassword', body: { old: 'secret', new: 'brand new' } },
    { call: 'POST /api/account/logout', body: undefined },
  ])
  expect(where()).toBe('/account/Login')
  expect(named('Account: ann')).toBeUndefined()
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Password changed. Sign in again', role: 'status' })])
})
