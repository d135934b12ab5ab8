// @vitest-environment jsdom
import { flagLimits } from '@vexil/core/limits'
import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { button, click, field, named, send, settle, write } from '../../../test/acts.ts'
import {
  answers,
  bodies,
  dialog,
  dialogButton,
  edit,
  flagLines,
  mockListLayout,
  open,
  part,
  participationsCall,
  refused,
  requests,
  row,
  saveByKeys,
  sent,
  stored,
  team,
  toastTitles,
} from '../../../test/game-admin.tsx'
import { json, toasts, until } from '../../../test/page.tsx'
import { hasUnsaved } from '../../shell/unsaved.tsx'
import ChallengeScreen from './challenge.screen.tsx'
import FlagsScreen from './flags.screen.tsx'

vi.mock('../../api/hub-connection.ts', async () => await import('../../../test/hub.ts'))

test('FL-4 flags that the server refuses stay in the field, which stays usable; a missing file is shown as an error', async () => {
  await open(<FlagsScreen />, 'challenges/3/Flags')
  answers[`POST ${part}/flags`] = refused('Disk is full', 500)
  await write(flagLines(), 'flag{one}\nflag{two}')
  await click(button('Add 2 flags'))
  expect(toasts()).toContainEqual({ title: 'Could not add the flags', message: 'Disk is full', role: 'alert' })
  expect([flagLines().value, flagLines().disabled, button('Add 2 flags')?.disabled]).toEqual([
    'flag{one}\nflag{two}',
    false,
    false,
  ])
})

test('FL-2 FL-3 invalid lines are listed with their number and reason; the others can be added, and the invalid ones stay, in the focused field', async () => {
  Object.assign(stored, { flags: [row('flag{old}', 1)] })
  const first = await open(<FlagsScreen />, 'challenges/3/Flags#flags')
  expect(document.activeElement).toBe(flagLines())
  const bad = (place: HTMLElement) => [...place.querySelectorAll('ul[aria-live] li')].map(({ textContent }) => textContent)
  await write(flagLines(), 'flag{a}\nflag{a}\nflag{old}')
  expect(bad(first)).toEqual(['Line 2flag{a}duplicate line', 'Line 3flag{old}already exists'])
  expect(button('Add 1 flag')?.disabled).toBe(false)
  await write(flagLines(), '')
  expect([button('Add')?.disabled, first.querySelector('ul[aria-live]')]).toEqual([true, null])
  first.remove()
  Object.assign(stored, { type: 'DynamicAttachment', fileName: 'chart', flags: [] })
  const second = await open(<FlagsScreen />, 'challenges/3/Flags')
  await write(field('One flag and link per line'), 'flag{a} https://a.example/1\nflag{b}\nflag{c} ftp://x')
  expect(bad(second)).toEqual(['Line 2flag{b}expected: flag, space, link', 'Line 3flag{c} ftp://xnot an http or https link'])
  button('Add 1 flag')?.focus()
  await click(button('Add 1 flag'))
  expect(bodies[`POST ${part}/flags`]).toEqual([{ flag: 'flag{a}', attachmentType: 'Remote', remoteUrl: 'https://a.example/1' }])
  expect(field('One flag and link per line').value).toBe('flag{b}\nflag{c} ftp://x')
  // Its button is disabled now.
  expect(document.activeElement).toBe(field('One flag and link per line'))
  await write(field('One flag and link per line'), 'flag{a} https://a.example/1\nflag{a} https://a.example/2')
  const adding = Promise.withResolvers<Response>()
  answers[`POST ${part}/flags`] = () => adding.promise
  expect(hasUnsaved()).toBe(true)
  await click(button('Add 1 flag'))
  // What is being sent is not lost when the page closes.
  expect(hasUnsaved()).toBe(false)
  expect([field('One flag and link per line').readOnly, field('One flag and link per line').getAttribute('spellcheck')]).toEqual([
    true,
    'false',
  ])
  await act(async () => adding.resolve(json([])))
  await settle()
  expect(toastTitles()).toEqual(['1 flag added'])
  expect(field('One flag and link per line').value).toBe('')
})

const toChallenge = () => document.querySelector<HTMLElement>('a[href$="/challenges/3"]')

test('FL-1 a template shows three samples while typing, and is marked while it is too weak', async () => {
  Object.assign(stored, { type: 'DynamicContainer', containerImage: 'echo:1' })
  await open(<FlagsScreen />, 'challenges/3/Flags')
  const samples = () => [...(named('Samples')?.querySelectorAll('span') ?? [])].map(({ textContent }) => textContent ?? '')
  expect(field('Flag template').maxLength).toBe(flagLimits.templateMax)
  expect(['autocomplete', 'spellcheck'].map((name) => field('Flag template').getAttribute(name))).toEqual(['off', 'false'])
  const described = document.getElementById(field('Flag template').getAttribute('aria-describedby') ?? '')
  expect(described?.textContent).toBe('Empty: a random GUID.')
  await write(field('Flag template'), ' [LEET]tide-[TEAM_HASH] ')
  expect(samples()).toEqual(Array(3).fill(expect.stringMatching(/^tide-[0-9a-f]{12}$/)))
  expect(field('Flag template').getAttribute('aria-invalid')).not.toBe('true')
  const first = samples()
  await click(button('Other samples'))
  expect(samples()).toHaveLength(3)
  expect(samples()).not.toEqual(first)
  const marks = [...document.querySelectorAll('dt.mono')].map((mark) => [mark.textContent, mark.nextElementSibling?.textContent])
  expect(marks).toContainEqual(['[TEAM_HASH]', '12 hex digits unique to the team'])
  await write(field('Flag template'), 'flag{hello}')
  expect(field('Flag template').getAttribute('aria-invalid')).toBe('true')
  expect(document.body.textContent).toMatch(/Too weak: [\d.]+ of 32 random bits/)
  expect(button('Save template')?.disabled).toBe(true)
  await saveByKeys()
  expect(sent()).toEqual([])
  await click(toChallenge())
  expect(dialog()?.textContent).toContain('Your changes on this page will be lost.')
  await click(dialogButton('Cancel'))
  await write(field('Flag template'), 'tide{[GUID]} ')
  answers[`PUT ${part}`] = refused('Disk is full', 500)
  await send(field('Flag template'))
  expect(toasts()).toEqual([{ title: 'Could not save', message: 'Disk is full', role: 'alert' }])
  const saving = Promise.withResolvers<Response>()
  answers[`PUT ${part}`] = () => saving.promise
  await send(field('Flag template'))
  expect(field('Flag template').disabled).toBe(true)
  expect(hasUnsaved()).toBe(false)
  await act(async () => saving.resolve(json({ ...stored, flagTemplate: 'tide{[GUID]}' })))
  await settle()
  // The server trims it.
  expect(bodies[`PUT ${part}`]).toEqual({ flagTemplate: 'tide{[GUID]} ' })
  expect(toastTitles()).toContain('Template saved')
  expect([field('Flag template').value, button('Save template')?.disabled]).toEqual(['tide{[GUID]}', true])
  await write(field('Flag template'), 'tide{[GUID]_2}')
  answers[`PUT ${part}`] = () => json({ ...stored, flagTemplate: 'tide{[GUID]_2}' })
  await saveByKeys()
  await until(() => expect(bodies[`PUT ${part}`]).toEqual({ flagTemplate: 'tide{[GUID]_2}' }))
})

/** An upload that is half sent, and then fails or returns a hash. */
function Uploads(fails: (name: string) => boolean, sent: Promise<void> = Promise.resolve()) {
  return class {
    upload: Partial<XMLHttpRequestUpload> = {}
    status = 0
    response: unknown = null
    onload = () => {}
    open(method: string, address: string) {
      requests.push(`${method} ${address}`)
    }
    setRequestHeader() {}
    getResponseHeader = () => null
    send(form: FormData) {
      const name = (form.get('files') as File).name
      this.status = fails(name) ? 500 : 200
      this.response = fails(name) ? { title: 'Disk is full', status: 500 } : [{ hash: `hash of ${name}` }]
      this.upload.onprogress?.call(this as never, { loaded: 1, total: 2, lengthComputable: true } as ProgressEvent)
      void sent.then(() => setTimeout(() => this.onload()))
    }
  }
}
const drop = async (...names: string[]) => {
  const files = names.map((name) => new File(['x'], name))
  const input = document.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement
  Object.defineProperty(input, 'files', { configurable: true, value: files })
  await act(async () => void input.dispatchEvent(new Event('change', { bubbles: true })))
  await settle(60)
}

test('FL-4 FL-9 an upload without a chosen file shows an error; a file that fails stays in the list and can be sent again', async () => {
  Object.assign(stored, { type: 'DynamicAttachment', fileName: 'chart' })
  let broken = true
  const held = Promise.withResolvers<void>()
  vi.stubGlobal(
    'XMLHttpRequest',
    class extends Uploads((name) => broken && name === 'flag{b}') {
      override send(form: FormData) {
        if ((form.get('files') as File).name === 'flag{b}') void held.promise.then(() => super.send(form))
        else super.send(form)
      }
    },
  )
  const place = await open(<FlagsScreen />, 'challenges/3/Flags')
  expect(place.textContent).toContain('Add files or links; each team gets one of them.')
  expect(place.querySelector('input[type=file] + button')?.textContent).toMatch(/^Choose files /)
  await click(button('Upload'))
  expect(toasts()).toContainEqual(expect.objectContaining({ title: 'No file chosen', role: 'alert' }))
  await drop('flag{a}')
  await drop('flag{b}', 'flag{a} ', 'flag{c}')
  expect(document.body.textContent).toContain('flag{a} duplicate line')
  expect(document.body.textContent).toContain('flag{b}1 B')
  // What was chosen is not lost when the page is left.
  expect(hasUnsaved()).toBe(true)
  await click(named('Remove flag{c} from the list'))
  await click(button('Upload 2 files'))
  const chosen = [
    named<HTMLButtonElement>('Remove flag{b} from the list'),
    place.querySelector<HTMLInputElement>('input[type=file]'),
  ]
  expect(chosen.map((one) => one?.disabled)).toEqual([true, true])
  expect(place.querySelector('button[aria-disabled=true], button[data-loading=true]')).toBeTruthy()
  const lists = () => requests.filter((line) => line === `GET ${part}`).length
  const before = lists()
  // Files that are not sent do not count.
  await until(() => expect(place.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow')).toBe('50'))
  held.resolve()
  await until(() => expect(button('Upload 1 file')?.disabled).toBe(false))
  expect(document.body.textContent).toMatch(/flag\{b\}Disk is full/)
  // Something was added, so it is no failure of the whole.
  expect(toasts().at(-1)).toEqual({ title: '1 flag added', message: '1 file failed and stays in the list.', role: 'status' })
  expect(lists()).toBe(before + 1)
  expect(bodies[`POST ${part}/flags`]).toEqual([{ flag: 'flag{a}', attachmentType: 'Local', fileHash: 'hash of flag{a}' }])
  await click(button('Upload 1 file'))
  await until(() => expect(toasts().at(-1)).toMatchObject({ title: 'Could not add the flags', role: 'alert' }))
  broken = false
  await click(button('Upload 1 file'))
  await until(() => expect(button('Upload')).toBeTruthy())
  expect(toasts().at(-1)).toMatchObject({ title: '1 flag added', role: 'status' })
  expect(bodies[`POST ${part}/flags`]).toEqual([{ flag: 'flag{b}', attachmentType: 'Local', fileHash: 'hash of flag{b}' }])
  // The names of the files are the flags: they are stored under a common one.
  const uploads = sent().filter((line) => line.startsWith('POST /api/assets'))
  expect(uploads).toEqual(Array(4).fill('POST /api/assets?filename=DYN_ATTACHMENT_3'))
})

test('a file is uploaded and attached at once, and then offered for replacement; a failed upload attaches nothing', async () => {
  let broken = true
  vi.stubGlobal(
    'XMLHttpRequest',
    Uploads(() => broken),
  )
  answers[`POST ${part}/attachment`] = () => {
    Object.assign(stored, { attachment: { type: 'Local', url: '/assets/5/sea%20chart.zip', fileSize: 2048 } })
    return new Response('1')
  }
  const place = await open(<FlagsScreen />, 'challenges/3/Flags')
  expect(button('Choose a file')).toBeTruthy()
  await drop('chart.zip')
  expect(toasts()).toContainEqual({ title: 'Failed to load file', message: 'Disk is full', role: 'alert' })
  expect([place.querySelector('[role=progressbar]'), sent()]).toEqual([null, ['POST /api/assets']])
  broken = false
  const sending = Promise.withResolvers<void>()
  vi.stubGlobal(
    'XMLHttpRequest',
    Uploads(() => broken, sending.promise),
  )
  await drop('chart.zip')
  expect(place.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow')).toBe('50')
  const kinds = () => [...place.querySelectorAll<HTMLInputElement>('input[type=radio]')].map(({ disabled }) => disabled)
  expect(kinds()).toEqual([true, true, true])
  expect(place.querySelector('[role=progressbar]')?.getAttribute('aria-label')).toBe('Uploading')
  expect([toastTitles(), button('Choose a file')?.dataset.loading]).toEqual([['Uploading'], 'true'])
  sending.resolve()
  await until(() => expect(button('Replace file')).toBeTruthy())
  expect(kinds()).toEqual([false, false, false])
  expect(bodies[`POST ${part}/attachment`]).toEqual({ attachmentType: 'Local', fileHash: 'hash of chart.zip' })
  expect(toastTitles()).toContain('File attached')
  expect(place.textContent).toContain('2.0 KiB')
  const file = place.querySelector('[role=group][aria-label=File]')
  expect([file?.textContent, file?.querySelector('a')?.getAttribute('href')]).toEqual([
    'sea chart.zip',
    '/assets/5/sea%20chart.zip',
  ])
  const writeText = vi.fn(async () => {})
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  await click(file?.querySelector('[aria-label=Copy]'))
  expect(writeText).toHaveBeenCalledWith(`${location.origin}/assets/5/sea%20chart.zip`)
  expect(place.querySelector('[role=progressbar]')).toBeNull()
  await click([...place.querySelectorAll('label')].find(({ textContent }) => textContent === 'Remote'))
  expect(field('Link').value).toBe('')
})

test('P1.11 FL-5 FL-6 without a flag the list shows a message; an added flag appears with its number and can be deleted at once', async () => {
  const place = await open(<FlagsScreen />, 'challenges/3/Flags')
  expect(place.textContent).toContain('No flags yetA challenge without flags cannot be enabled.')
  expect(place.textContent).not.toContain('Nothing found')
  answers[`POST ${part}/flags`] = () => {
    Object.assign(stored, { flags: [row('flag{one}', 41)] })
    return new Response(null)
  }
  mockListLayout()
  await write(flagLines(), 'flag{one}')
  await click(button('Add 1 flag'))
  await until(() => expect(place.textContent).not.toContain('No flags yet'))
  expect(flagLines().value).toBe('')
  const writeText = vi.fn(async () => {})
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  await click(button('flag{one}'))
  expect(writeText).toHaveBeenCalledWith('flag{one}')
  expect(button('flag{one}')?.nextElementSibling?.textContent).toBe('Copied')
  expect(button('flag{one}')?.title).toBe('Copy')
  expect(place.textContent).toContain('Click a flag to copy it.')
  const remove = () => named<HTMLButtonElement>('Delete flag{one}')
  await click(remove())
  expect(document.body.textContent).toContain('Delete this flag?')
  answers[`DELETE ${part}/flags/41`] = refused('Disk is full', 500)
  await click(dialogButton('Delete') ?? button('Delete'))
  expect(toasts()).toContainEqual({ title: 'Could not delete', message: 'Disk is full', role: 'alert' })
  await click(remove())
  const held = Promise.withResolvers<Response>()
  answers[`DELETE ${part}/flags/41`] = () => held.promise
  const lists = () => requests.filter((line) => line === `GET ${edit}/challenges`).length
  const before = lists()
  await click(dialogButton('Delete') ?? button('Delete'))
  expect(sent().at(-1)).toBe(`DELETE ${part}/flags/41`)
  expect(remove()?.disabled).toBe(true)
  await act(async () => held.resolve(new Response(null)))
  await until(() => expect(remove()?.disabled).toBe(false))
  await until(() => expect(toastTitles()).toContain('Flag deleted'))
  // The list counts the flags.
  await until(() => expect(lists()).toBe(before + 1))
})

test.each([
  ['of several', 'StaticAttachment', 9, true, 'It is no longer accepted. Points already won stay.'],
  ['that is the last one', 'StaticAttachment', 1, true, 'It is the last one, so the challenge is disabled.'],
  ['of a disabled challenge', 'StaticAttachment', 1, false, 'It is no longer accepted. Points already won stay.'],
  ['with a file', 'DynamicAttachment', 8, true, 'A team with this flag loses its file and gets another one'],
])('FL-6 the question before a flag %s is deleted names the consequence', async (_, type, count, isEnabled, text) => {
  mockListLayout()
  const files = [
    { type: 'Local', url: '/assets/0123abcd4567ef89/chart.zip', fileSize: 9 },
    { type: 'Remote', url: 'https://files.example.org/assets/0123abcd', fileSize: null },
    { type: 'Local', url: null, fileSize: null },
  ]
  const ofTeams = type === 'DynamicAttachment'
  const flags = Array.from({ length: count }, (_, index) => row(`flag{${index}}`, index + 1, (ofTeams && files[index]) || null))
  Object.assign(stored, { type, fileName: 'chart', isEnabled, flags })
  if (ofTeams) await open(<ChallengeScreen />, 'challenges/3')
  else await open(<FlagsScreen />, 'challenges/3/Flags')
  const ofFlag = (at: number) => button(`flag{${at}}`)?.nextElementSibling?.textContent
  expect([0, 1, 2, 3].map(ofFlag).slice(0, count)).toEqual(
    (ofTeams ? ['Local 0123abcd', 'Remote', 'Local', ''] : ['', '', '', '']).slice(0, count),
  )
  // A short list has no search.
  expect(named('Find a flag') !== undefined).toBe(count > 8)
  await click(named(`Delete flag{${count - 1}}`))
  expect(document.body.textContent).toContain(text)
})

test('FL-7 of a thousand flags only those in view are rendered, and the search covers all', async () => {
  mockListLayout()
  Object.assign(stored, { flags: Array.from({ length: 1000 }, (_, index) => row(`Flag{${index}}`, index + 1)) })
  const place = await open(<FlagsScreen />, 'challenges/3/Flags')
  const drawn = () =>
    [...place.querySelectorAll('li')].map(({ textContent }) => /Flag\{\d+\}/.exec(textContent ?? '')?.[0]).filter(Boolean)
  // Ten rows of 40 pixels are in view, and eight more are below.
  expect(drawn()).toEqual(Array.from({ length: 18 }, (_, index) => `Flag{${index}}`))
  const list = place.querySelector<HTMLElement>('ul[style]')
  expect([list?.style.height, list?.querySelectorAll('li')[2]?.style.transform]).toEqual(['40000px', 'translateY(80px)'])
  expect(place.textContent).toContain('1,000 flags')
  expect(place.textContent).not.toContain('Nothing found')
  await write(named<HTMLInputElement>('Find a flag'), ' flag{98')
  expect(drawn()).toEqual(['Flag{98}', ...Array.from({ length: 10 }, (_, index) => `Flag{98${index}}`)])
  await write(named<HTMLInputElement>('Find a flag'), 'nothing like that')
  expect(drawn()).toEqual([])
  expect(place.textContent).toContain('Nothing found')
})

test.each([
  [19, true],
  [20, false],
])(
  'FL-8 P5.21 P9.13 with ten accepted teams %s files: a warning is %s; a team that waits does not count',
  async (files, warned) => {
    const file = { type: 'Remote', url: 'https://files.example.org/1', fileSize: null }
    Object.assign(stored, {
      type: 'DynamicAttachment',
      fileName: 'chart',
      flags: Array.from({ length: files }, (_, index) => row(`flag{${index}}`, index + 1, file)),
    })
    answers[participationsCall] = [
      ...Array.from({ length: 10 }, (_, index) => team(index + 1, `Team ${index}`, 'Accepted')),
      team(99, 'Late'),
    ]
    const place = await open(<FlagsScreen />, 'challenges/3/Flags')
    await until(() => expect(place.textContent).toContain(`Flags with a file: ${files}. Accepted teams: 10.`))
    expect(place.textContent?.includes('Recommended: 20, twice the number of teams.')).toBe(warned)
    expect(place.textContent).toContain('Provide about twice as many files as teams.')
  },
)
