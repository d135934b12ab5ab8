// @vitest-environment jsdom
import { act, type ReactNode } from 'react'
import { useNavigationType } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { button, click, field, send, settle, write } from '../../test/acts.ts'
import { openPage, toasts, Where, where } from '../../test/page.tsx'
import { acts, type RecordedCall, refuse, serve } from '../../test/server.ts'
import { keys } from '../api/query-keys.ts'
import ConfirmScreen from './confirm.screen.tsx'
import RecoveryScreen from './recovery.screen.tsx'
import ResetScreen from './reset.screen.tsx'
import VerifyScreen from './verify.screen.tsx'

afterEach(() => void vi.useRealTimers())

const ann = { userId: 'u1', userName: 'ann', email: 'ann@example.org', role: 'User' }
const link = (token = 'dG9rZW4=', email = btoa('ann@example.org')) => `?${new URLSearchParams({ token, email })}`

/** Opens a screen for a visitor or an account; `answer` is the answer to its call. */
async function open(
  screen: ReactNode,
  address: string,
  answer: (call: RecordedCall) => unknown = () => undefined,
  who: object | null = null,
) {
  const requests = serve((call) => {
    if (call.path === '/api/captcha') return { type: 'None', siteKey: '' }
    if (call.path === '/api/account/session') return { user: ann }
    return call.method === 'GET' ? [] : answer(call)
  })
  const place = await openPage(
    <>
      <Where />
      <How />
      {screen}
    </>,
    [
      [keys.config, { title: 'Harbour', setupRequired: false }],
      [keys.profile, who],
    ],
    address,
  )
  return { place, requests }
}
/** The kind of the last navigation. */
const How = () => <i data-how={useNavigationType()} />
const links = (place: ParentNode) => [...place.querySelectorAll('a')].map((one) => [one.textContent, one.getAttribute('href')])
const toRecovery = ['Recover account', '/account/Recovery']

test('P5.3 RESET-1 a repeat that differs, or a password that is too short, is marked red at its field and nothing is sent', async () => {
  const { place, requests } = await open(<ResetScreen />, `/account/Reset${link()}`)
  await write(field('New password'), 'long enough')
  await write(field('Retype password'), 'long enougg')
  await send(field('New password'))
  expect(field('Retype password').getAttribute('aria-invalid')).toBe('true')
  expect(place.textContent).toContain('Passwords do not match')
  await write(field('New password'), 'short')
  await write(field('Retype password'), 'short')
  await send(field('New password'))
  expect(field('New password').getAttribute('aria-invalid')).toBe('true')
  expect(acts(requests)).toEqual([])
  await write(field('New password'), 'long enough')
  expect(field('New password').getAttribute('aria-invalid')).not.toBe('true')
})

test('P8.23 P2.11 RESET-2 a link without its token or its address has no form and offers to request a new one', async () => {
  for (const query of ['', '?token=dG9rZW4%3D', `?email=${btoa('ann@example.org')}`]) {
    const { place } = await open(<ResetScreen />, `/account/Reset${query}`)
    expect(place.querySelector('form, input')).toBeNull()
    expect(place.textContent).toContain('This link is incomplete')
    expect(links(place)).toContainEqual(toRecovery)
  }
})

test('P3.2 P2.11 RESET-3 a new password is sent with the values of the link, and the login opens', async () => {
  const { requests } = await open(<ResetScreen />, `/account/Reset${link('a+b/c=')}`)
  // As short as a password may be.
  await write(field('New password'), 'secret')
  await write(field('Retype password'), 'secret')
  await send(field('New password'))
  expect(acts(requests)).toEqual([
    {
      call: 'POST /api/account/passwordreset',
      body: { password: 'secret', rToken: 'a+b/c=', email: btoa('ann@example.org') },
    },
  ])
  expect(where()).toBe('/account/Login')
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Password set. Sign in', role: 'status' })])
})

test('RESET-4 a used or expired link is refused in the words of the server, with a way to request a new one; the form stays', async () => {
  const words = 'This reset link is invalid or has expired'
  const { place } = await open(<ResetScreen />, `/account/Reset${link()}`, () => refuse(words, 'account.reset_invalid'))
  expect(links(place).map(([, to]) => to)).not.toContain('/account/Recovery')
  await write(field('New password'), 'long enough')
  await write(field('Retype password'), 'long enough')
  await send(field('New password'))
  expect(toasts()).toEqual([expect.objectContaining({ message: words, role: 'alert' })])
  expect(links(place)).toContainEqual(['Request a new link', '/account/Recovery'])
  expect(field('New password').value).toBe('long enough')
  expect(where()).toMatch(/^\/account\/Reset/)
})

const pages = [
  { name: 'Verify', screen: <VerifyScreen />, call: 'POST /api/account/verify', act: 'Activate' },
  { name: 'Confirm', screen: <ConfirmScreen />, call: 'POST /api/account/mailchangeconfirm', act: 'Confirm' },
] as const
const renewal = { Verify: ['Register', '/account/Register'], Confirm: ['Request a new link', '/account/Profile'] }
const home = ['Harbour', '/']
const failed = { Verify: 'Account verification failed', Confirm: 'Email verification failed' }
const code = { Verify: 'account.verification_failed', Confirm: 'account.email_verification_failed' }

for (const { name, screen, call, act } of pages) {
  test(`P2.6 P2.12 VER-5 ${name} shows the address, calls nothing until it is clicked, and then opens home`, async () => {
    const { place, requests } = await open(screen, `/account/${name}${link()}`, undefined, ann)
    expect(place.textContent).toContain('ann@example.org')
    expect(document.title).toBe(`${place.querySelector('h1')?.textContent} - Harbour::CTF`)
    expect(acts(requests)).toEqual([])
    await click(button(act))
    expect(acts(requests)).toEqual([{ call, body: { token: 'dG9rZW4=', email: btoa('ann@example.org') } }])
    // The account may have changed, so the session is read again.
    expect(requests.map(({ path }) => path)).toContain('/api/account/session')
    // The back button does not lead to the used link.
    expect([where(), place.querySelector<HTMLElement>('[data-how]')?.dataset.how]).toEqual(['/', 'REPLACE'])
    expect(toasts()).toEqual([expect.objectContaining({ role: 'status' })])
  })

  test(`P2.6 P8.23 P8.4 P8.5 VER-3 ${name} with a used link shows what failed and where to get a new one, and stays`, async () => {
    const refused = () => refuse(failed[name], code[name], name === 'Verify' ? 401 : 400)
    const { place, requests } = await open(screen, `/account/${name}${link()}`, refused, ann)
    expect([place.querySelector('.poor'), links(place)]).toEqual([null, [home]])
    await click(button(act))
    expect(place.querySelector('.poor')?.textContent).toMatch(/^This link was already used/)
    expect(links(place)).toEqual([home, renewal[name]])
    expect(toasts()).toEqual([
      expect.objectContaining({
        title: failed[name],
        message: expect.stringMatching(/^This link was already used/),
        role: 'alert',
      }),
    ])
    expect(where()).toMatch(new RegExp(`^/account/${name}\\?`))
    await click(button(act))
    expect(acts(requests)).toHaveLength(2)
  })

  test(`P8.23 P8.6 VER-1 VER-2 VER-4 ${name} with a link that is incomplete or unreadable has no button and shows what is wrong`, async () => {
    for (const query of [
      '',
      '?token=dG9rZW4%3D',
      `?email=${btoa('ann@example.org')}`,
      link('dG9rZW4=', '%%%'),
      link('t', 'AAAA'),
    ]) {
      const { place, requests } = await open(screen, `/account/${name}${query}`, undefined, ann)
      expect(button(act)).toBeUndefined()
      expect(place.textContent).toContain('Invalid activation link')
      expect(place.textContent).toContain('This link is incomplete or damaged. Copy the full link')
      expect(acts(requests)).toEqual([])
      expect(links(place)).toContainEqual(['Home', '/'])
    }
    const { place } = await open(screen, `/account/${name}`)
    expect(links(place)).toContainEqual(['Back to sign in', '/account/Login'])
  })
}

test('VER-3 any other refusal of an activation is shown in the words of the server', async () => {
  const refused = () => refuse('This username is already in use', 'account.name_taken')
  const { place } = await open(<VerifyScreen />, `/account/Verify${link()}`, refused)
  await click(button('Activate'))
  expect(toasts()).toEqual([
    expect.objectContaining({ title: 'Account verification failed', message: 'This username is already in use' }),
  ])
  expect([place.querySelector('.poor'), links(place)]).toEqual([null, [home]])
})

test('P2.6 a visitor gets a link to the login that leads back to the whole link', async () => {
  const address = `/account/Confirm${link('a+b=')}`
  const { requests } = await open(<ConfirmScreen />, address)
  await click(button('Sign in to confirm'))
  expect(where()?.startsWith('/account/Login?from=')).toBe(true)
  expect(new URLSearchParams(where()?.split('?')[1]).get('from')).toBe(address)
  expect(acts(requests)).toEqual([])
  // Not while the session is loading: most people who open such a link are signed in.
  serve(() => new Promise(() => {}))
  await openPage(<ConfirmScreen />, [[keys.config, { title: 'Harbour', setupRequired: false }]], address)
  expect([button('Confirm'), button('Sign in to confirm')]).toEqual([expect.any(HTMLElement), undefined])
})

test('P2.9 REC-2 recovery gives the same answer for every address, names it, and keeps the form for another try', async () => {
  const [first, answered] = [Promise.withResolvers<object>(), { title: 'Sent', status: 200 }]
  let sent: object = first.promise
  const { place, requests } = await open(<RecoveryScreen />, '/account/Recovery', () => sent)
  expect(place.textContent).toContain(
    'If this address belongs to an active account, we send an email with a link to set a new password.',
  )
  const said: unknown[] = []
  for (const email of ['known@example.org', 'nobody@example.org']) {
    await write(field('Email'), email)
    await send(field('Email'))
    if (sent !== answered) {
      expect(field('Email').readOnly).toBe(true)
      await act(async () => first.resolve(answered))
      sent = answered
      await settle()
    }
    expect(field('Email').readOnly).toBe(false)
    said.push(toasts())
    expect(document.activeElement?.textContent).toBe(
      `If ${email} belongs to an active account, we sent an email to it. Check your spam folder too.`,
    )
    expect(field('Email').value).toBe(email)
  }
  expect(said[0]).toEqual([
    expect.objectContaining({ title: 'If the address belongs to an active account, we sent an email', role: 'status' }),
  ])
  expect(said[1]).toEqual(said[0])
  expect(acts(requests).map(({ body }) => body)).toMatchObject([{ email: 'known@example.org' }, { email: 'nobody@example.org' }])
})

test('P2.9 recovery refuses an invalid address without a call, and shows a refusal of the server', async () => {
  const words = 'Ask an administrator to reset your password'
  const { place, requests } = await open(<RecoveryScreen />, '/account/Recovery', () => refuse(words, 'account.recovery_off'))
  await write(field('Email'), 'no address')
  await send(field('Email'))
  expect(place.textContent).toContain('Invalid email address')
  expect(acts(requests)).toEqual([])
  // A browser removes only blanks of ASCII.
  await write(field('Email'), '\u3000ann@example.org')
  expect(place.textContent).not.toContain('Invalid email address')
  await send(field('Email'))
  expect(acts(requests)[0]?.body).toMatchObject({ email: 'ann@example.org' })
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Could not send the email', message: words, role: 'alert' })])
})
