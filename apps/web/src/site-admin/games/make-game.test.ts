import type { GameEdit, GameInfo } from '@vexil/contract/games'
import { afterEach, expect, test, vi } from 'vitest'
import { json } from '../../../test/page.tsx'
import type { ChallengeFile } from './game-file.ts'
import { makeGame, readGame } from './make-game.ts'

afterEach(() => void vi.unstubAllGlobals())

const challenge = (title: string, more: Partial<ChallengeFile> = {}): ChallengeFile => ({
  ...{ title, category: 'Web', type: 'StaticAttachment', isEnabled: true, fields: { content: `About ${title}` } },
  ...{ attachment: null, flags: [] },
  ...more,
})
const edit = { title: 'Regatta' } as GameEdit

/** Refuses hashes that are not `known`, and challenges with the title `refused`. */
function serve(answers: Readonly<Record<string, unknown>> = {}) {
  const requests: { line: string; body: unknown }[] = []
  let last = 0
  vi.stubGlobal('fetch', async (input: string, init: RequestInit = {}) => {
    const line = `${init.method ?? 'GET'} ${input}`
    const body = init.body ? JSON.parse(String(init.body)) : undefined
    requests.push({ line, body })
    if (line in answers) return json(answers[line])
    if (/"fileHash":"(?!known)/.test(JSON.stringify(body) ?? ''))
      return json({ title: 'No such file', status: 400, code: 'attachment.file_unknown' }, 400)
    if (body?.title === 'refused') return json({ title: 'Not this one', status: 400, code: 'request.invalid' }, 400)
    return json({ ...body, id: input.endsWith('/games') ? 7 : input.endsWith('/challenges') ? ++last : last })
  })
  return requests
}
const part = '/api/edit/games/7/challenges'

test('AG-4 a game is made with its challenges: fields, file, flags, and enabled last', async () => {
  const requests = serve()
  const counts: number[] = []
  const flags = [
    { flag: 'flag{a}', attachment: { fileHash: 'known' } },
    { flag: 'flag{b}', attachment: null },
  ]
  const all = [
    challenge('Buoy', { attachment: { remoteUrl: 'https://example.com/a' }, flags }),
    challenge('Bell', { isEnabled: false }),
  ]
  expect(await makeGame(edit, all, (count) => counts.push(count))).toEqual({ game: { title: 'Regatta', id: 7 }, incomplete: [] })
  expect(counts).toEqual([1, 2])
  expect(requests).toEqual([
    { line: 'POST /api/edit/games', body: edit },
    { line: `POST ${part}`, body: { title: 'Buoy', category: 'Web', type: 'StaticAttachment' } },
    { line: `PUT ${part}/1`, body: { content: 'About Buoy' } },
    { line: `POST ${part}/1/attachment`, body: { attachmentType: 'Remote', remoteUrl: 'https://example.com/a' } },
    {
      line: `POST ${part}/1/flags`,
      body: [{ flag: 'flag{a}', attachmentType: 'Local', fileHash: 'known' }, { flag: 'flag{b}' }],
    },
    { line: `PUT ${part}/1`, body: { isEnabled: true } },
    { line: `POST ${part}`, body: { title: 'Bell', category: 'Web', type: 'StaticAttachment' } },
    { line: `PUT ${part}/2`, body: { content: 'About Bell' } },
  ])
})

test('AG-4 a challenge whose file is unknown here gets its flags without it, stays disabled and is named', async () => {
  const requests = serve()
  const unknown = { fileHash: 'elsewhere' }
  const all = [
    challenge('Buoy', { attachment: unknown, flags: [{ flag: 'flag{a}', attachment: null }] }),
    challenge('Bell', { flags: [{ flag: 'flag{b}', attachment: unknown }] }),
    challenge('Beacon'),
  ]
  const { incomplete } = await makeGame(edit, all, () => {})
  expect(incomplete).toEqual(['Buoy', 'Bell'])
  const sent = requests.filter(({ line }) => line.endsWith('/flags')).map(({ body }) => body)
  expect(sent).toEqual([
    [{ flag: 'flag{a}' }],
    [{ flag: 'flag{b}', attachmentType: 'Local', fileHash: 'elsewhere' }],
    [{ flag: 'flag{b}' }],
  ])
  const enabled = requests.filter(({ body }) => JSON.stringify(body) === '{"isEnabled":true}')
  expect(enabled).toHaveLength(1)
})

test('AG-4 when a challenge is refused, the game is deleted again and the refusal reported', async () => {
  const requests = serve()
  await expect(makeGame(edit, [challenge('Buoy'), challenge('refused')], () => {})).rejects.toThrow('Not this one')
  expect(requests.at(-1)?.line).toBe('DELETE /api/edit/games/7')
})

test('AG-4 a game is read with the details of each challenge', async () => {
  const detail = (id: number, title: string) => ({
    ...{ id, title, category: 'Web', type: 'StaticAttachment', isEnabled: true, acceptedCount: 3, content: 'Text' },
    ...{ attachment: null, flags: [{ id: 1, flag: `flag{${title}}`, attachment: null }] },
  })
  serve({
    [`GET ${part}`]: [{ id: 3 }, { id: 4 }],
    [`GET ${part}/3`]: detail(3, 'Buoy'),
    [`GET ${part}/4`]: detail(4, 'Bell'),
  })
  const { challenges } = await readGame({ id: 7, title: 'Regatta' } as GameInfo)
  expect(challenges).toEqual(
    ['Buoy', 'Bell'].map((title) =>
      challenge(title, { fields: { content: 'Text' }, flags: [{ flag: `flag{${title}}`, attachment: null }] }),
    ),
  )
})
