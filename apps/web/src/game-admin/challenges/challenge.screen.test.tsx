// @vitest-environment jsdom
import { challengeLimits, defaultBloodBonus, flagLimits, textLimits } from '@vexil/core/limits'
import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { button, click, field, named, send, settle, write } from '../../../test/acts.ts'
import {
  answers,
  areInvalidated,
  bodies,
  currentPath,
  dialog,
  dialogButton,
  edit,
  flagLines,
  mockListLayout,
  open,
  part,
  queries,
  refused,
  requests,
  row,
  saveByKeys,
  sent,
  setGameTimes,
  stored,
  toastTitles,
} from '../../../test/game-admin.tsx'
import { json, openPage, toasts, until } from '../../../test/page.tsx'
import { keys } from '../../api/query-keys.ts'
import { hasUnsaved } from '../../shell/unsaved.tsx'
import { t } from '../../ui/text/texts.tsx'
import { packPercents } from './blood-bonus.ts'
import ChallengeScreen from './challenge.screen.tsx'
import ListScreen from './challenge-list.screen.tsx'
import FlagsScreen from './flags.screen.tsx'
import { ScoreCurveChart } from './score-curve.tsx'

vi.mock('../../api/hub-connection.ts', async () => await import('../../../test/hub.ts'))

test('CL-2 the solves are recounted by one call, with a message and a refetch of the list; a refusal is shown', async () => {
  await open(<ListScreen />, 'challenges')
  const lists = () => requests.filter((line) => line === `GET ${edit}/challenges`).length
  const before = lists()
  queries.setQueryData(keys.game(7).detail, {})
  const counting = Promise.withResolvers<Response>()
  answers[`POST ${edit}/challenges/updateaccepted`] = () => counting.promise
  await click(button('Recount solves'))
  expect(toastTitles()).toEqual(['Recalculating the scoreboard'])
  await act(async () => counting.resolve(json([])))
  await settle()
  expect(areInvalidated(keys.game(7).detail)).toEqual([true])
  expect(sent()).toEqual([`POST ${edit}/challenges/updateaccepted`])
  expect(toastTitles()).toContain('Scoreboard recalculated from the solve log')
  await until(() => expect(lists()).toBe(before + 1))
  answers[`POST ${edit}/challenges/updateaccepted`] = refused('Disk is full', 500)
  await click(button('Recount solves'))
  expect(toasts()).toContainEqual(
    expect.objectContaining({ title: 'Could not recalculate the scoreboard', message: 'Disk is full' }),
  )
})

test('CL-3 the blood bonus of the game is stored alone, in percent with one decimal, the defaults being 5, 3 and 1; a refusal is shown', async () => {
  const game = { ...(answers[`GET ${edit}`] as object), bloodBonus: defaultBloodBonus }
  answers[`GET ${edit}`] = game
  await open(<ListScreen />, 'challenges')
  for (const close of [() => button('Cancel'), () => named('Close')]) {
    await click(button('Blood bonus'))
    await click(close())
    await until(() => expect(dialog()).toBeNull())
  }
  await click(button('Blood bonus'))
  const fields = () => ['First blood', 'Second blood', 'Third blood'].map((name) => named<HTMLInputElement>(name))
  expect(fields().map((one) => one?.value)).toEqual(['5', '3', '1'])
  // Without a change there is nothing to save.
  expect(dialogButton('Save')?.disabled).toBe(true)
  await write(fields()[0] ?? undefined, '101')
  expect(dialog()?.textContent).toContain('Use percentages from 0 to 100 with one decimal.')
  expect(dialogButton('Save')?.disabled).toBe(true)
  await write(fields()[0] ?? undefined, '7.5')
  // The field takes no second decimal.
  await write(fields()[0] ?? undefined, '7.55')
  expect(fields()[0]?.value).toBe('7.5')
  answers[`PUT ${edit}`] = refused('Disk is full', 500)
  await send(fields()[0])
  expect(toasts()).toContainEqual({ title: 'Could not save', message: 'Disk is full', role: 'alert' })
  await click(named('Close'))
  await until(() => expect(document.body.textContent).toContain(t('shell.unsaved')))
  await click(button('Cancel'))
  expect(fields()[0]?.value).toBe('7.5')
  const saving = Promise.withResolvers<Response>()
  answers[`PUT ${edit}`] = () => saving.promise
  let reads = 0
  answers[`GET ${edit}`] = () => (reads++ === 0 ? json({ ...game, title: 'Renamed elsewhere' }) : new Promise<Response>(() => {}))
  expect(hasUnsaved()).toBe(true)
  await send(fields()[0])
  // What is being sent is not lost when the dialog closes.
  await until(() => expect(hasUnsaved()).toBe(false))
  expect(fields().map((one) => one?.disabled)).toEqual([true, true, true])
  queries.setQueryData(keys.edit.games(), [])
  await act(async () => saving.resolve(json({ ...game, bloodBonus: packPercents([7.5, 3, 1]) })))
  await until(() => expect(areInvalidated(keys.edit.games())).toEqual([true]))
  await settle()
  expect(bodies[`PUT ${edit}`]).toMatchObject({ title: 'Renamed elsewhere', bloodBonus: packPercents([7.5, 3, 1]) })
  expect(toastTitles()).toContain('Saved')
  await until(() => expect(dialog()).toBeNull())
  // The answer is shown although the game is not read again yet.
  await click(button('Blood bonus'))
  expect(fields().map((one) => one?.value)).toEqual(['7.5', '3', '1'])
})

test('while a challenge is saved, nothing of it can be changed', async () => {
  const container = {
    name: 'db',
    image: 'mysql:9',
    cpuCount: 1,
    memoryLimit: 64,
    storageLimit: 256,
    environment: [],
    getsFlag: false,
  }
  const lists = { additionalContainers: [container], namedPorts: [{ name: 'sql', port: 5432 }] }
  const limits = { containerExposePort: 80, cpuCount: 1, memoryLimit: 64, storageLimit: 256, readyTimeout: 120, readyText: '' }
  const more = { containerNetwork: 'Open', profile: 'default', runtime: '', checkImage: '', checkMinutes: 0 }
  const flags = [row('flag{one}', 1)]
  Object.assign(stored, { type: 'StaticContainer', containerImage: 'echo:1', flags, ...limits, ...more, ...lists })
  const place = await open(<ChallengeScreen />, 'challenges/3')
  const locked = () => [place.querySelector<HTMLInputElement>('input[placeholder=db]'), named<HTMLInputElement>('Name of port 1')]
  expect(place.textContent).toContain('CPU cores: 0.1')
  expect(place.textContent).toContain('The container can open connections to the internet, but not to private networks.')
  expect(place.textContent).toContain('The container has the capabilities that common images need')
  // The image of the challenge and that of the additional container can be looked up.
  expect([...place.querySelectorAll('button')].filter(({ textContent }) => textContent === 'Check image')).toHaveLength(2)
  expect(['Title', 'Description', 'Ready text', 'Runtime', 'Solver image'].map((label) => field(label).maxLength)).toEqual([
    challengeLimits.titleMax,
    textLimits.markdownMax,
    challengeLimits.readyTextMax,
    challengeLimits.runtimeMax,
    challengeLimits.imageNameMax,
  ])
  expect(named<HTMLTextAreaElement>('Hint 1')?.maxLength).toBe(challengeLimits.hintMax)
  // A port is used once.
  await write(named<HTMLInputElement>('Port 1'), '80')
  expect(place.textContent).toContain('A port from 1 to 65535 that is used once.')
  const image = place.querySelector<HTMLInputElement>('input[placeholder="registry.example/name:tag"]') ?? undefined
  expect(image?.maxLength).toBe(challengeLimits.imageNameMax)
  await write(image, '')
  await write(field('Port'), '')
  await write(field('Runtime'), 'a b')
  expect(place.textContent).toContain('Enter an image.')
  expect(place.textContent).toContain('Use letters, digits, dots, hyphens and underscores')
  expect(field('Port').getAttribute('aria-invalid')).toBe('true')
  await write(field('Ready within'), '0')
  expect(field('Ready text').disabled).toBe(true)
  await click(button('Discard'))
  expect(field('Ready text').disabled).toBe(false)
  await write(field('Title'), 'Lightship')
  expect(hasUnsaved()).toBe(true)
  expect(locked().map((one) => one?.disabled)).toEqual([false, false])
  const free = () =>
    [...place.querySelectorAll<HTMLInputElement>('[class*=column] :is(input, textarea:not([aria-hidden]), button)')]
      .filter((one) => !one.disabled && one.type !== 'hidden')
      .map((one) => one.labels?.[0]?.textContent ?? one.getAttribute('aria-label') ?? one.textContent)
  expect(free()).toContain('Remove hint 1')
  expect(free().length).toBeGreaterThan(35)
  const held = Promise.withResolvers<void>()
  answers[`PUT ${part}`] = () => held.promise.then(() => json({ ...stored, title: 'Lightship' }))
  await click(button('Save 1 change'))
  expect(locked().map((one) => one?.disabled)).toEqual([true, true])
  expect(free()).toEqual(['Write', 'Preview', 'Save and test'])
  expect(hasUnsaved()).toBe(false)
  await act(async () => held.resolve())
  await until(() => expect(locked().map((one) => one?.disabled)).toEqual([false, false]))
})

test('CE-4 the preview shows the content of the form, with a file, an instance and a flag form that send nothing', async () => {
  Object.assign(stored, { type: 'StaticContainer', containerImage: 'echo:1', fileName: 'chart' })
  await open(<ChallengeScreen />, 'challenges/3')
  await write(field('Title'), 'Lightship')
  await click([...document.querySelectorAll('header button')].find(({ textContent }) => textContent === 'Preview'))
  expect(dialog()?.querySelector('h2')?.textContent).toBe('Lightship')
  expect(dialog()?.querySelector('h2')?.parentElement?.textContent).toMatch(/Web1,?000/)
  await until(() => expect(dialog()?.textContent).toMatch(/What it says.*A hint/s))
  expect(dialog()?.textContent).toContain('chart.zip')
  expect(dialog()?.textContent).toContain('Preview, nothing is sent')
  const answer = dialog()?.querySelector<HTMLInputElement>('form input')
  expect([answer?.getAttribute('aria-label'), answer?.maxLength, answer?.getAttribute('autocomplete')]).toEqual([
    t('play.flag'),
    flagLimits.flagMax,
    'off',
  ])
  await click(dialogButton('Start instance'))
  const clock = () => dialog()?.querySelector('[role=timer]')?.textContent ?? ''
  expect(clock()).toMatch(/^0?(2:00:00|1:59:5\d)/)
  await click(dialogButton('Extend'))
  expect(clock()).toMatch(/^0?(4:00:00|3:59:5\d)/)
  await click(dialogButton('Destroy'))
  expect(dialogButton('Start instance')).toBeTruthy()
  await write(dialog()?.querySelector('form input') as HTMLInputElement, 'flag{seen}')
  await send(dialog()?.querySelector('form input'))
  expect(toasts()).toContainEqual(expect.objectContaining({ title: 'Entered in the preview', message: 'flag{seen}' }))
  expect(dialog()?.querySelector<HTMLInputElement>('form input')?.value).toBe('')
  expect(sent()).toEqual([])
  await click(named('Close'))
  await until(() => expect(dialog()).toBeNull())
  expect(field('Title').value).toBe('Lightship')
  Object.assign(stored, { type: 'StaticAttachment' })
  await open(<ChallengeScreen />, 'challenges/3')
  await click([...document.querySelectorAll('header button')].findLast(({ textContent }) => textContent === 'Preview'))
  expect(dialog()?.querySelector('h2')?.textContent).toBe('Buoy')
  expect(dialogButton('Start instance')).toBeUndefined()
})

test('CE-1 CE-8 changed fields are saved with a message, and the list refetches; errors are shown before saving; the minimum is set with keys, in points', async () => {
  const place = await open(<ChallengeScreen />, 'challenges/3')
  const lists = () => requests.filter((line) => line === `GET ${edit}/challenges`).length
  expect(place.textContent).not.toContain('Every team gets the current value.')
  for (const [label, value] of [
    ['Initial', '1000'],
    ['Difficulty', '5'],
  ] as const) {
    await write(field(label), '')
    expect(field(label).getAttribute('aria-invalid')).toBe('true')
    expect(place.querySelector('svg[role=img][viewBox="0 0 392 220"]')?.getAttribute('aria-label')).toBe(
      'Fill in all numbers to see the curve',
    )
    await write(field(label), value)
    expect(field(label).getAttribute('aria-invalid')).not.toBe('true')
  }
  // The arrow keys stay within the limits of the field.
  for (const [label, from, key, to] of [
    ['Difficulty', '5', 'ArrowUp', '5.2'],
    ['Difficulty', '5', 'Enter', '5'],
    ['Initial', '0', 'ArrowDown', '0'],
    ['Initial', String(challengeLimits.originalScoreMax), 'ArrowUp', String(challengeLimits.originalScoreMax)],
    ['Initial', '1000', 'Enter', '1000'],
  ] as const) {
    await write(field(label), from)
    await act(async () => void field(label).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))
    expect(field(label).value, `${label} ${from} ${key}`).toBe(to)
  }
  await write(field('Title'), ' ')
  expect(place.textContent).toContain('Title is missing.')
  expect(button('Save 1 change')?.disabled).toBe(true)
  await saveByKeys()
  expect(sent()).toEqual([])
  await write(field('Title'), 'Lightship')
  const slider = place.querySelector<HTMLElement>('[role=slider]')
  expect(slider?.getAttribute('aria-label')).toBe('Minimum')
  const minimum = () => [slider?.getAttribute('aria-valuenow'), slider?.getAttribute('aria-valuetext')]
  expect([slider?.tabIndex, ...minimum()]).toEqual([0, '25', '250 points'])
  for (const [typed, kept] of [
    ['150', ['100', '100', '1,000 points']],
    ['-5', ['0', '0', '0 points']],
    ['25', ['25', '25', '250 points']],
  ] as const) {
    await write(field('Minimum'), typed)
    expect([field('Minimum').value, ...minimum()]).toEqual(kept)
  }
  await act(async () => void slider?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true })))
  expect(minimum()).toEqual(['26', '260 points'])
  answers[`PUT ${part}`] = refused('Disk is full', 500)
  await click(button('Save 2 changes'))
  expect(toasts()).toEqual([{ title: 'Could not save', message: 'Disk is full', role: 'alert' }])
  answers[`PUT ${part}`] = () => json({ ...stored, title: 'Lightship', minScoreRate: 0.26 })
  // A switch that cannot be used says why.
  await act(
    async () => void place.querySelector('header input[role=switch]')?.dispatchEvent(new Event('pointerover', { bubbles: true })),
  )
  await until(() => expect(document.querySelector('[role=tooltip]')?.textContent).toBe('Add a flag before enabling it'))
  const before = lists()
  await click(button('Save 2 changes'))
  expect(bodies[`PUT ${part}`]).toEqual({ title: 'Lightship', minScoreRate: 0.26 })
  expect(toastTitles()).toContain('Saved')
  await until(() => expect(lists()).toBe(before + 1))
})

test('a bonus of the challenge itself begins with that of the game', async () => {
  answers[`GET ${edit}`] = { ...(answers[`GET ${edit}`] as object), bloodBonus: packPercents([7, 2, 1]) }
  const place = await open(<ChallengeScreen />, 'challenges/3')
  const fields = () => ['First', 'Second', 'Third'].map((name) => named<HTMLInputElement>(`${name} blood`))
  expect(place.textContent).toContain('Game default: 7 %, 2 %, 1 %.')
  expect(fields()).toEqual([undefined, undefined, undefined])
  await click(field('Own bonus for this challenge'))
  expect(fields().map((one) => one?.value)).toEqual(['7', '2', '1'])
  const around = fields().map((one) => one?.closest('[class*=Input-wrapper]'))
  expect(around.map((one) => [one?.textContent, one?.querySelector('[role=img]')?.getAttribute('aria-label')])).toEqual([
    ['%', 'First blood'],
    ['%', 'Second blood'],
    ['%', 'Third blood'],
  ])
  await write(fields()[0] ?? undefined, '100')
  await act(async () => void fields()[0]?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp', bubbles: true })))
  expect(fields()[0]?.value).toBe('100')
  await write(fields()[0] ?? undefined, '7')
  expect(place.textContent).not.toContain('Game default')
  expect(place.textContent).toContain('0 gives no points but keeps the marks.')
  await write(fields()[1] ?? undefined, '2.5')
  await write(fields()[2] ?? undefined, '100.1')
  expect(fields().map((one) => [one?.value, one?.getAttribute('aria-invalid')])).toEqual([
    ['7', null],
    ['2.5', null],
    ['100.1', 'true'],
  ])
  await write(fields()[2] ?? undefined, '0')
  const own = packPercents([7, 2.5, 0])
  answers[`PUT ${part}`] = () => json({ ...stored, bloodBonus: own })
  await click(button('Save 1 change'))
  expect(bodies[`PUT ${part}`]).toEqual({ bloodBonus: own })
  await click(field('Own bonus for this challenge'))
  answers[`PUT ${part}`] = () => json(stored)
  await click(button('Save 1 change'))
  expect(bodies[`PUT ${part}`]).toEqual({ ownBloodBonus: false })
})

test('CE-1 the flag of the score curve points to the left only when it does not fit at the right; the axes are labelled in equal steps', async () => {
  const show = async (solves: number, minScoreRate = 0.25) => {
    const curve = { originalScore: 1000, minScoreRate, difficulty: 5 }
    const place = await openPage(<ScoreCurveChart curve={curve} solves={solves} />)
    const texts = [...place.querySelectorAll('text')].map((one) => {
      const at = ['x', 'y'].map((name) => Math.round(Number(one.getAttribute(name))))
      return [one.textContent, ...at]
    })
    const round = (one: Element | null, ...names: string[]) => names.map((name) => Math.round(Number(one?.getAttribute(name))))
    const drawn = [...place.querySelectorAll('line')].map((one) => round(one, 'x1', 'x2', 'y1', 'y2'))
    const dot = round(place.querySelector('circle'), 'cx', 'cy')
    const flag = /^M([\d.]+) ([\d.]+)h(-?[\d.]+)/.exec(place.querySelectorAll('path')[1]?.getAttribute('d') ?? '')
    return { texts, drawn, dot, flag: flag?.slice(1).map((one) => Math.round(Number(one))) }
  }
  const first = await show(0)
  expect(first.texts).toEqual([
    ['0', 36, 200],
    ['500', 36, 122],
    ['1,000', 36, 44],
    ['0', 44, 214],
    ['5', 101, 214],
    ['10', 157, 214],
    ['15', 214, 214],
    ['20', 271, 214],
    ['25', 327, 214],
    ['30', 384, 214],
    ['minimum 250', 384, 173],
    ['0 solves: 1,000', 52, 20],
  ])
  expect(first.flag).toEqual([44, 4, 135])
  // Three lines of the grid, the minimum, and the pole with its dot.
  expect([first.drawn, first.dot]).toEqual([
    [
      [44, 384, 196, 196],
      [44, 384, 118, 118],
      [44, 384, 40, 40],
      [44, 384, 157, 157],
      [44, 44, 4, 196],
    ],
    [44, 40],
  ])
  const fits = await show(19)
  expect([fits.flag, fits.texts.at(-1)]).toEqual([
    [259, 110, 128],
    ['19 solves: 270', 267, 126],
  ])
  const turned = await show(20)
  expect([turned.flag, turned.texts.at(-1)]).toEqual([
    [271, 111, -128],
    ['20 solves: 266', 159, 127],
  ])
  // Near the lower edge the minimum is written above its line.
  expect((await show(0, 0.1)).texts.at(-2)).toEqual(['minimum 100', 384, 172])
  expect((await show(0, 0.11)).texts.at(-2)).toEqual(['minimum 110', 384, 195])
})

test('CE-1 a change of the points of a solved challenge says how many teams it affects', async () => {
  Object.assign(stored, { acceptedCount: 1, originalScore: 999 })
  const place = await open(<ChallengeScreen />, 'challenges/3')
  const curve = [...place.querySelectorAll('svg[role=img] text')].map(({ textContent }) => textContent)
  expect(curve.slice(0, 3)).toEqual(['0', '500', '999'])
  expect(place.textContent).toContain('% · 249')
  expect(place.textContent).toContain('Every team gets the current value.')
  expect(curve.at(-1)).toMatch(/^1 solve/)
  expect(named('Back to challenges')?.getAttribute('href')).toBe('/admin/games/7/challenges')
  const note = 'The points of 1 team change immediately.'
  await write(field('Title'), 'Lightship')
  expect(place.textContent).not.toContain(note)
  for (const change of [
    () => write(field('Initial'), '998'),
    () => write(field('Difficulty'), '6'),
    () => click(field('Own bonus for this challenge')),
  ]) {
    await change()
    expect(place.textContent).toContain(note)
    await click(button('Discard'))
    expect(place.textContent).not.toContain(note)
  }
  await write(field('Title'), 'Lightship')
  await act(async () => {
    const slider = place.querySelector('[role=slider]')
    slider?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))
  })
  expect(place.textContent).toContain(note)
  answers[`PUT ${part}`] = () => json({ ...stored, title: 'Lightship', minScoreRate: 0.26 })
  await saveByKeys()
  await until(() => expect(place.textContent).not.toContain(note))
  expect(bodies[`PUT ${part}`]).toEqual({ title: 'Lightship', minScoreRate: 0.26 })
})

test('a saved link is no change any more, and after it was removed the field is empty', async () => {
  const link = { type: 'Remote', url: 'https://example.com/chart.zip' }
  const saving = Promise.withResolvers<void>()
  const answerWith = (attachment: object | null) => {
    answers[`POST ${part}/attachment`] = async () => {
      await saving.promise
      Object.assign(stored, { attachment })
      return new Response('1')
    }
  }
  answerWith(link)
  const place = await open(<ChallengeScreen />, 'challenges/3')
  const choose = (kind: string) => click([...place.querySelectorAll('label')].find(({ textContent }) => textContent === kind))
  expect(place.textContent).toContain('Players get no file.')
  // Without an attachment there is nothing to confirm.
  await choose('Remote')
  await choose('None')
  expect(dialog()).toBeNull()
  expect(place.textContent).toContain('Players get no file.')
  await choose('Remote')
  expect(place.textContent).not.toContain('Players get no file.')
  expect(button('Choose a file')).toBeUndefined()
  const mistake = 'Use a link that starts with http:// or https://.'
  expect(place.textContent).not.toContain(mistake)
  await write(field('Link'), 'chart.zip')
  expect(button('Save link')?.disabled).toBe(true)
  expect(place.textContent).toContain(mistake)
  await send(field('Link'))
  expect(sent()).toEqual([])
  expect(field('Link').maxLength).toBe(challengeLimits.urlMax)
  await write(field('Link'), ` ${link.url} `)
  expect(place.textContent).not.toContain(mistake)
  const store = answers[`POST ${part}/attachment`]
  answers[`POST ${part}/attachment`] = refused('Disk is full', 500)
  await click(button('Save link'))
  expect(toasts()).toEqual([{ title: 'Could not save', message: 'Disk is full', role: 'alert' }])
  if (store) answers[`POST ${part}/attachment`] = store
  await click([...document.querySelectorAll('a')].find((one) => one.getAttribute('href') === '/admin/games/7/Review'))
  expect(dialog()?.textContent).toContain('Your changes on this page will be lost.')
  await click(dialogButton('Cancel'))
  expect(hasUnsaved()).toBe(true)
  await click(button('Save link'))
  // What is being sent is not lost when the page closes.
  expect(hasUnsaved()).toBe(false)
  const kinds = () => [...(named('Attachment')?.querySelectorAll('input') ?? [])].map(({ disabled }) => disabled)
  expect(kinds()).toEqual([true, true, true])
  await act(async () => saving.resolve())
  await settle()
  expect(bodies[`POST ${part}/attachment`]).toEqual({ attachmentType: 'Remote', remoteUrl: link.url })
  expect(toastTitles()).toContain('Link saved')
  await until(() => expect(button('Save link')?.disabled).toBe(true))
  expect(field('Link').value).toBe(link.url)
  const removing = Promise.withResolvers<void>()
  answers[`POST ${part}/attachment`] = async () => {
    await removing.promise
    Object.assign(stored, { attachment: null })
    return new Response('1')
  }
  await choose('None')
  expect(dialog()?.textContent).toContain('Remove the attachment?Players can no longer download it.')
  await click(dialogButton('Delete'))
  expect(kinds()).toEqual([true, true, true])
  await act(async () => removing.resolve())
  await until(() => expect(toastTitles()).toContain('Attachment removed'))
  await until(() => expect(place.querySelector<HTMLInputElement>('input[value=None]')?.checked).toBe(true))
  await choose('Remote')
  expect(field('Link').value).toBe('')
})

test('a link that is typed and deleted again beside a stored file is no change; a file of unknown size has none', async () => {
  Object.assign(stored, { attachment: { type: 'None', url: null } })
  const none = await open(<ChallengeScreen />, 'challenges/3')
  for (const kind of ['Remote', 'None'])
    await click([...none.querySelectorAll('label')].find(({ textContent }) => textContent === kind))
  // There is nothing to remove.
  expect(dialog()).toBeNull()
  none.remove()
  Object.assign(stored, { attachment: { type: 'Local', url: '/assets/0123abcd/chart.zip', fileSize: null } })
  const place = await open(<ChallengeScreen />, 'challenges/3')
  expect(place.querySelector('[role=group][aria-label=File]')?.parentElement?.textContent).toBe('chart.zip')
  await click([...place.querySelectorAll('label')].find(({ textContent }) => textContent === 'Remote'))
  for (const [text, changed] of [
    ['https://example.com', true],
    ['', false],
  ] as const) {
    await write(field('Link'), text)
    expect([text, hasUnsaved()]).toEqual([text, changed])
  }
})

test('CE-2 the save button announces a new hint of an enabled challenge in a running game; blank hints are dropped', async () => {
  setGameTimes(-1, 1)
  Object.assign(stored, { isEnabled: true })
  const place = await open(<ChallengeScreen />, 'challenges/3')
  await click(button('Add hint'))
  expect(button('Save and announce')).toBeUndefined()
  await write(named<HTMLTextAreaElement>('Hint 2') as HTMLTextAreaElement, 'Look below')
  expect(place.textContent).toContain('1 new hint. Saving notifies all players.')
  await click(button('Add hint'))
  await write(named<HTMLTextAreaElement>('Hint 3') as HTMLTextAreaElement, '  ')
  answers[`PUT ${part}`] = () => json({ ...stored, hints: ['A hint', 'Look below'] })
  await click(button('Save and announce'))
  expect(bodies[`PUT ${part}`]).toEqual({ hints: ['A hint', 'Look below'] })
  place.remove()
  // A hint of a disabled challenge, or before the start, is not announced.
  for (const [start, isEnabled] of [
    [-1, false],
    [1, true],
  ] as const) {
    setGameTimes(start, 2)
    Object.assign(stored, { isEnabled })
    const quiet = await open(<ChallengeScreen />, 'challenges/3')
    await write(named<HTMLTextAreaElement>('Hint 1') as HTMLTextAreaElement, 'Look above')
    expect([button('Save and announce'), button('Save 1 change')?.disabled]).toEqual([undefined, false])
    quiet.remove()
  }
})

test('flags that are saved with a challenge are listed and counted', async () => {
  mockListLayout()
  const place = await open(<ChallengeScreen />, 'challenges/3')
  expect(place.textContent).not.toContain('1 flag')
  await write(flagLines(), 'flag{one}\nflag{one}')
  expect(place.querySelector('ul[aria-live] li')?.textContent).toBe('Line 2flag{one}duplicate line')
  await write(flagLines(), 'flag{one}')
  expect(place.querySelector('ul[aria-live] li')).toBeNull()
  const adding = Promise.withResolvers<void>()
  answers[`POST ${part}/flags`] = async () => {
    await adding.promise
    Object.assign(stored, { flags: [row('flag{one}', 41)] })
    return new Response(null)
  }
  answers[`PUT ${part}`] = () => json(stored)
  await click(button('Save 1 change'))
  expect(flagLines().disabled).toBe(true)
  await act(async () => adding.resolve())
  await until(() => expect(button('flag{one}')).toBeTruthy())
  expect(place.textContent).toContain('1 flag')
  expect(flagLines().value).toBe('')
  // The stored flag suffices for enabling.
  await write(field('Title'), 'Bell')
  expect(button('Save and enable')?.disabled).toBe(false)
  expect(place.textContent).not.toContain('Add a flag before enabling it')
  await write(flagLines(), 'flag{two}\nflag{three}')
  expect(button('Save 3 changes')).toBeTruthy()
})

test('hints are moved up and down and removed, and discarding restores them with the typed flags', async () => {
  Object.assign(stored, { hints: ['First', 'Second', 'Third'] })
  const place = await open(<ChallengeScreen />, 'challenges/3')
  const hints = () => [...place.querySelectorAll<HTMLTextAreaElement>('textarea[data-hint]')].map(({ value }) => value)
  const locked = (way: string) => [1, 2, 3].map((at) => named<HTMLButtonElement>(`Move hint ${at} ${way}`)?.disabled)
  expect([locked('up'), locked('down')]).toEqual([
    [true, false, false],
    [false, false, true],
  ])
  await click(named('Move hint 3 up'))
  expect(hints()).toEqual(['First', 'Third', 'Second'])
  await click(named('Move hint 1 down'))
  expect(hints()).toEqual(['Third', 'First', 'Second'])
  await click(named('Remove hint 2'))
  expect(hints()).toEqual(['Third', 'Second'])
  await click(button('Add hint'))
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Hint 3')
  // Only an added one takes the focus.
  await act(async () => (document.activeElement as HTMLElement).blur())
  await click(named('Remove hint 3'))
  expect(document.activeElement).toBe(document.body)
  await write(flagLines(), 'flag{one}')
  await click(button('Discard'))
  expect([hints(), flagLines().value]).toEqual([['First', 'Second', 'Third'], ''])
  expect(sent()).toEqual([])
  expect(button('Add hint')?.disabled).toBe(false)
  Object.assign(stored, { hints: Array.from({ length: challengeLimits.hintsMax }, (_, at) => `Hint ${at}`) })
  await open(<ChallengeScreen />, 'challenges/3')
  expect(button('Add hint')?.disabled).toBe(true)
})

test('CE-5 leaving for the next challenge with unsaved changes asks first', async () => {
  const row = (id: number, title: string) => ({
    id,
    title,
    category: 'Web',
    type: 'StaticAttachment',
    isEnabled: false,
    acceptedCount: 3,
    flagCount: 1,
    fileCount: 0,
  })
  answers[`GET ${edit}/challenges`] = [row(2, 'Anchor'), row(3, 'Buoy'), row(4, 'Chart')]
  answers[`GET ${edit}/challenges/4`] = { ...stored, id: 4, title: 'Chart' }
  await open(<ChallengeScreen />, 'challenges/3')
  expect(document.title).toBe('Buoy - Regatta - GZ::CTF')
  const head = document.querySelector('h1')
  expect([head?.textContent, head?.querySelector('a')?.getAttribute('href')]).toEqual(['Regatta/Buoy', '/admin/games/7/Info'])
  expect(head?.querySelector('[aria-hidden=true]')?.textContent).toBe('/')
  expect(named('Back to challenges')?.getAttribute('href')).toBe('/admin/games/7/challenges')
  const links = () => [...(named('Previous and next challenge')?.querySelectorAll('a') ?? [])]
  expect(links().map(({ textContent }) => textContent)).toEqual(['Anchor', 'Chart'])
  await write(field('Title'), 'Half')
  await click(links()[1])
  expect(dialog()?.textContent).toContain('Your changes on this page will be lost.')
  await click(dialogButton('Cancel'))
  expect([currentPath(), field('Title').value]).toEqual(['/admin/games/7/challenges/3', 'Half'])
  await click(links()[1])
  await click(dialogButton('Discard'))
  await until(() => expect(currentPath()).toBe('/admin/games/7/challenges/4'))
  await until(() => expect(field('Title').value).toBe('Chart'))
  expect(sent()).toEqual([])
  for (const [key, id] of [
    ['ArrowLeft', 3],
    ['ArrowRight', 4],
  ] as const) {
    const press = new KeyboardEvent('keydown', { key, code: key, altKey: true, bubbles: true })
    await act(async () => void document.body.dispatchEvent(press))
    await until(() => expect(currentPath()).toBe(`/admin/games/7/challenges/${id}`))
    await until(() => expect(field('Title').value).toBe(id === 3 ? 'Buoy' : 'Chart'))
    await settle()
  }
  // The next challenge is shown at once, because it was read before.
  await write(field('Title'), 'Half')
  await click(links()[0])
  await click(dialogButton('Discard'))
  await until(() => expect(currentPath()).toBe('/admin/games/7/challenges/3'))
  expect(field('Title').value).toBe('Buoy')
})

test('until a challenge is read, the way back leads to the list of challenges; another one can be created from its editor, without losing unsaved changes', async () => {
  const read = Promise.withResolvers<void>()
  answers[`GET ${part}`] = () => read.promise.then(() => json(stored))
  await open(<ChallengeScreen />, 'challenges/3')
  expect(named('Back to challenges')).toBeTruthy()
  expect([button('Preview'), button('Delete')]).toEqual([undefined, undefined])
  await act(async () => read.resolve())
  await settle()
  await click(button('New challenge'))
  await click(dialogButton('Cancel'))
  await until(() => expect(dialog()).toBeNull())
  localStorage.setItem('new-challenge', JSON.stringify({ category: 'Crypto', type: 'StaticAttachment' }))
  answers[`POST ${edit}/challenges`] = { ...stored, id: 4, title: 'Chart' }
  answers[`GET ${edit}/challenges/4`] = { ...stored, id: 4, title: 'Chart' }
  await write(field('Title'), 'Half')
  for (const [answer, id, title] of [
    ['Cancel', 3, 'Half'],
    ['Discard', 4, 'Chart'],
  ] as const) {
    await click(button('New challenge'))
    await write(dialog()?.querySelector('input') ?? undefined, 'Chart')
    await click(dialogButton('Create'))
    await until(() => expect(dialog()?.textContent).toContain('Your changes on this page will be lost.'))
    await until(() => expect(toastTitles()).toEqual(['Chart created. Not enabled yet.']))
    await click(dialogButton(answer))
    await until(() => expect([currentPath(), field('Title').value]).toEqual([`/admin/games/7/challenges/${id}`, title]))
    await until(() => expect(dialog()).toBeNull())
  }
})

test('CE-6 a challenge is deleted after a question that names who loses points; then the list opens', async () => {
  Object.assign(stored, { acceptedCount: 1 })
  await open(<ChallengeScreen />, 'challenges/3')
  await write(field('Title'), 'Half written')
  await click(button('Delete'))
  expect(dialog()?.textContent).toContain('Delete Buoy?')
  expect(dialog()?.textContent).toContain('1 team has solved it and loses the points.')
  await click(dialogButton('Cancel'))
  expect(sent()).toEqual([])
  answers[`DELETE ${part}`] = refused('Disk is full', 500)
  await click(button('Delete'))
  await click(dialogButton('Delete'))
  expect(toasts()).toContainEqual({ title: 'Could not delete', message: 'Disk is full', role: 'alert' })
  expect(currentPath()).toBe('/admin/games/7/challenges/3')
  const deleted = Promise.withResolvers<Response>()
  answers[`DELETE ${part}`] = () => deleted.promise
  await click(button('Delete'))
  requests.length = 0
  await click(dialogButton('Delete'))
  expect(button('Delete')?.dataset.loading).toBe('true')
  await act(async () => deleted.resolve(new Response(null)))
  await until(() => expect(currentPath()).toBe('/admin/games/7/challenges'))
  await until(() => expect(requests).toContain(`GET ${edit}/challenges`))
  expect(requests).not.toContain(`GET ${part}`)
})

test('CE-7 a challenge is enabled and disabled here, too; without a flag the refusal is shown and the switch stays off', async () => {
  Object.assign(stored, { flags: [{ id: 1, flag: 'flag{a}', attachment: null }] })
  await open(<ChallengeScreen />, 'challenges/3')
  const state = () => document.querySelector<HTMLInputElement>('header input[role=switch]')
  expect(state()?.checked).toBe(false)
  answers[`PUT ${part}`] = refused('A challenge without a flag', 400, 'challenge.no_flag')
  await click(state())
  expect(dialog()?.textContent).toContain('Enable Buoy?Players see it while the game runs.')
  await click(dialogButton('Enable'))
  expect(toasts()).toContainEqual(expect.objectContaining({ message: 'A challenge without a flag' }))
  expect(state()?.checked).toBe(false)
  const held = Promise.withResolvers<void>()
  answers[`PUT ${part}`] = async () => {
    await held.promise
    Object.assign(stored, { isEnabled: true, flags: [] })
    return json(stored)
  }
  expect(state()?.disabled).toBe(false)
  await click(state())
  await click(dialogButton('Enable'))
  expect(state()?.disabled).toBe(true)
  held.resolve()
  expect(bodies[`PUT ${part}`]).toEqual({ isEnabled: true })
  await until(() => expect(state()?.checked).toBe(true))
  await until(() => expect(toastTitles()).toContain('Buoy enabled'))
  expect(document.body.textContent).not.toContain('Add a flag before enabling it')
  // It can be disabled even if its flags were removed by another administrator.
  await until(() => expect(state()?.disabled).toBe(false))
  await click(state())
  expect(dialog()?.textContent).toContain('Disable Buoy?Players can no longer see it.')
  // Before the start this has no effect on players.
  expect(dialogButton('Cancel')?.hasAttribute('data-autofocus')).toBe(false)
  await click(dialogButton('Cancel'))
  answers[`PUT ${part}`] = refused('Too many requests', 429)
  await click(state())
  await click(dialogButton('Disable'))
  await until(() => expect(toasts()).toMatchObject([{ message: 'Too many requests' }]))
  expect(state()?.disabled).toBe(true)
})

test.each([
  ['editor', <ChallengeScreen key="editor" />, 'challenges/3'],
  ['flags', <FlagsScreen key="flags" />, 'challenges/3/Flags'],
])('an unknown challenge has no %s; one that cannot be read shows the reason', async (_, screen, tab) => {
  answers[`GET ${part}`] = refused('Challenge not found', 404)
  const unknown = await open(screen, tab)
  await until(() => expect(unknown.textContent).toContain('Page does not exist'))
  unknown.remove()
  answers[`GET ${part}`] = refused('Disk is full', 500)
  const place = await open(screen, tab)
  await until(() => expect(place.textContent).toContain('Disk is full'))
  expect(place.textContent).not.toContain('Page does not exist')
})
