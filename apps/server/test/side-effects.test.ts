/** What each change of a game does beside its answer: list of games, board, notices, events, log and the hubs of players and monitors. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startSession } from '../src/accounts/sessions.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { captureFolder } from '../src/instances/captures.ts'
import { openMemoryEngine } from '../src/ports/engine/memory.ts'
import { aChallenge, aFile, aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { aPng } from './builders/images.ts'
import { listenAt } from './hub.ts'
import { type Answer, type Caller, startTestPlatform, type TestPlatform } from './platform.ts'

/** What is not named does not happen. */
interface Effects {
  /** Does the list of games say something else? */
  readonly list?: true
  /** Does the board of the game? `time`: it was drawn anew, and only the time of that differs. */
  readonly board?: 'content' | 'time'
  /** Types of the notices and events that were added. */
  readonly notices?: readonly string[]
  readonly events?: readonly string[]
  /** Status of each entry. */
  readonly log?: readonly string[]
  /** Messages at the hub of players; those that only our own web knows are left out. */
  readonly user?: readonly string[]
  readonly monitor?: readonly string[]
}

const engine = openMemoryEngine()
let platform: TestPlatform
let admin: Caller
let cookie: string
beforeAll(async () => {
  platform = await startTestPlatform({}, engine)
  const id = await anAccount(platform.db, { role: 'Admin' })
  admin = await platform.as(id)
  cookie = `${cookieName}=${await startSession(platform.db, id)}`
})
afterAll(() => platform.stop())

async function aScene() {
  const { db } = platform
  const team = await aTeam(db)
  const game = await aGame(db, { practiceMode: true, writeupRequired: true })
  const image = { containerImage: 'echo:1', exposePort: 1337 }
  const [challenge, container, dynamic] = [
    await aChallenge(db, game, { hints: ['first'] }),
    await aChallenge(db, game, { type: 'StaticContainer', flags: [], ...image }),
    await aChallenge(db, game, { type: 'DynamicContainer', flags: [], ...image }),
  ]
  const participation = await aParticipation(db, game, team)
  const newcomer = await aTeam(db)
  return {
    game,
    challenge,
    container,
    dynamic,
    participation,
    newcomer: newcomer.id,
    player: await platform.as(team.captain),
    other: await platform.as(newcomer.captain),
    edit: `/api/edit/games/${game}`,
    play: `/api/game/${game}`,
  }
}
type Scene = Awaited<ReturnType<typeof aScene>>
type Act = (scene: Scene) => Promise<Answer>

/** All that may be seen of the game from outside. */
async function look({ game }: Scene) {
  await platform.deps.log.flush()
  /** The types of what a call lists, the oldest first; none when the game is no more. */
  const of = async (path: string): Promise<string[]> => {
    const { body } = await admin.get(`/api/game/${game}/${path}`)
    return Array.isArray(body) ? body.map(({ type }) => type).reverse() : []
  }
  const board = await admin.get(`/api/game/${game}/scoreboard`)
  return {
    list: JSON.stringify((await platform.anyone.get('/api/game')).body),
    board: JSON.stringify({ ...board.body, requestId: null }),
    notices: await of('notices'),
    events: await of('events'),
    log: (await platform.db.selectFrom('logs').select('status').where('name', '<>', 'System').orderBy('id').execute()).map(
      ({ status }) => status,
    ),
  }
}

const withoutTime = (board: string) => board.replace(/"updateTimeUtc":"[^"]*"/, '')
const added = <T>(before: readonly T[], after: readonly T[]) => after.slice(before.length)

/** Holds when these effects are seen soon, and no other a little later. */
async function mustHaveEffects(scene: Scene, act: Act, expected: Effects): Promise<void> {
  const before = await look(scene)
  const [user, monitor] = [
    await listenAt(platform, `/hub/user?game=${scene.game}`),
    await listenAt(platform, `/hub/monitor?game=${scene.game}`, { cookie }),
  ]
  const heardBy = ({ heard }: typeof user) => heard.map(({ target }) => target).filter((target) => !target.startsWith('Vexil'))
  const effects = async (): Promise<Effects> => {
    const after = await look(scene)
    const lists = {
      notices: added(before.notices, after.notices),
      events: added(before.events, after.events),
      log: added(before.log, after.log),
      user: heardBy(user),
      monitor: heardBy(monitor),
    }
    return {
      ...(before.list !== after.list && { list: true }),
      ...(before.board !== after.board && { board: withoutTime(before.board) === withoutTime(after.board) ? 'time' : 'content' }),
      ...Object.fromEntries(Object.entries(lists).filter(([, items]) => items.length > 0)),
    }
  }
  expect((await act(scene)).status).toBe(200)
  await vi.waitFor(async () => expect(await effects()).toEqual(expected), 5000)
  await sleep(100)
  expect(await effects()).toEqual(expected)
  for (const one of [user, monitor]) one.close()
}

const times = () => ({
  start: new Date(Date.now() - 3_600_000).toISOString(),
  end: new Date(Date.now() + 3_600_000).toISOString(),
})
const picture = async () => [{ name: 'a.png', type: 'image/png', bytes: await aPng() }]
const pdf = [{ name: 'w.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.4\n%%EOF\n') }]
const log = ['Success']

async function anInstance({ player, play, container, participation }: Scene): Promise<void> {
  expect((await player.post(`${play}/container/${container}`)).status).toBe(200)
  await sql`update containers set acted_at = acted_at - interval '10 seconds', stops_at = clock_timestamp() + interval '1 minute'
    where participation_id = ${participation}`.execute(platform.db)
}

/** What is done before, what is done, and its effects. */
type Row = [name: string, act: Act, effects: Effects, prepare?: (scene: Scene) => Promise<unknown>]

describe('P7.115 by an editor', () => {
  test.each<Row>([
    ['a game is created', () => admin.post('/api/edit/games', { title: 'Next', ...times() }), { list: true, log }],
    ['a poster is set', async ({ edit }) => admin.upload('PUT', `${edit}/poster`, 'file', await picture()), { list: true, log }],
    ['a game is changed', ({ edit }) => admin.put(edit, { title: 'Other', ...times() }), { list: true, board: 'time', log }],
    ['a game is deleted', ({ edit }) => admin.delete(edit), { list: true, board: 'content', log }],
    [
      'a notice is published',
      ({ edit }) => admin.post(`${edit}/notices`, { content: 'Ahoy' }),
      { notices: ['Normal'], user: ['ReceivedGameNotice'], log },
    ],
    [
      'a challenge is changed',
      ({ edit, challenge }) => admin.put(`${edit}/challenges/${challenge}`, { title: 'Other' }),
      { board: 'content', log },
    ],
    [
      'a challenge is enabled',
      ({ edit, challenge }) => admin.put(`${edit}/challenges/${challenge}`, { isEnabled: true }),
      { board: 'content', notices: ['NewChallenge'], user: ['ReceivedGameNotice'], log },
      ({ edit, challenge }) => admin.put(`${edit}/challenges/${challenge}`, { isEnabled: false }),
    ],
    [
      'a hint is added',
      ({ edit, challenge }) => admin.put(`${edit}/challenges/${challenge}`, { hints: ['first', 'second'] }),
      { notices: ['NewHint'], user: ['ReceivedGameNotice'], log },
    ],
    ['a hint is removed', ({ edit, challenge }) => admin.put(`${edit}/challenges/${challenge}`, { hints: [] }), { log }],
    [
      'a challenge is deleted',
      ({ edit, challenge }) => admin.delete(`${edit}/challenges/${challenge}`),
      { board: 'content', log },
    ],
    ['the board is drawn anew', ({ edit }) => admin.post(`${edit}/challenges/updateaccepted`), { board: 'time', log }],
    [
      'a challenge is created',
      ({ edit }) => admin.post(`${edit}/challenges`, { title: 'Next', category: 'Web', type: 'StaticAttachment' }),
      { log },
    ],
    [
      'an attachment is set',
      async ({ edit, challenge }) =>
        admin.post(`${edit}/challenges/${challenge}/attachment`, {
          attachmentType: 'Local',
          fileHash: await aFile(platform.db),
        }),
      { log },
    ],
    [
      'flags are added',
      ({ edit, challenge }) => admin.post(`${edit}/challenges/${challenge}/flags`, [{ flag: 'flag{more}' }]),
      { board: 'time', log },
    ],
    ['a test container is started', ({ edit, container }) => admin.post(`${edit}/challenges/${container}/container`), { log }],
  ])('%s', async (_name, act, effects, prepare) => {
    const scene = await aScene()
    await prepare?.(scene)
    await mustHaveEffects(scene, act, effects)
  })
})

describe('P7.115 by a player', () => {
  const event = ['ReceivedGameEvent']
  test.each<Row>([
    ['a team joins and waits', ({ other, play, newcomer }) => other.post(play, { teamId: newcomer }), { log }],
    [
      'a team joins and is accepted',
      ({ other, play, newcomer }) => other.post(play, { teamId: newcomer }),
      { board: 'content', log },
      ({ game }) => platform.db.updateTable('games').set({ acceptWithoutReview: true }).where('id', '=', game).execute(),
    ],
    [
      'a wrong answer',
      ({ player, play, challenge }) => player.post(`${play}/challenges/${challenge}`, { flag: 'flag{wrong}' }),
      { events: ['FlagSubmit'], log: ['Failed'], monitor: [...event, 'ReceivedSubmissions'] },
    ],
    [
      'the first right answer',
      ({ player, play, challenge }) => player.post(`${play}/challenges/${challenge}`, { flag: 'flag{right}' }),
      {
        board: 'content',
        notices: ['FirstBlood'],
        events: ['FlagSubmit'],
        log,
        user: ['ReceivedGameNotice'],
        monitor: [...event, 'ReceivedSubmissions'],
      },
    ],
    [
      'a right answer after the end',
      ({ player, play, challenge }) => player.post(`${play}/challenges/${challenge}`, { flag: 'flag{right}' }),
      { board: 'time', events: ['FlagSubmit'], log, monitor: [...event, 'ReceivedSubmissions'] },
      ({ game }) =>
        platform.db
          .updateTable('games')
          .set({ endsAt: new Date(Date.now() - 60_000) })
          .where('id', '=', game)
          .execute(),
    ],
    [
      'the flag of another team',
      ({ player, play, dynamic }) => player.post(`${play}/challenges/${dynamic}`, { flag: 'flag{theirs}' }),
      {
        events: ['FlagSubmit', 'CheatDetected'],
        log: ['Failed', 'Success'],
        monitor: [...event, ...event, 'ReceivedSubmissions'],
      },
      async ({ game, dynamic }) => {
        const participationId = await aParticipation(platform.db, game, await aTeam(platform.db))
        const holding = { participationId, challengeId: dynamic, flag: 'flag{theirs}' }
        await platform.db.insertInto('holdings').values(holding).execute()
      },
    ],
    [
      'an instance is started',
      ({ player, play, container }) => player.post(`${play}/container/${container}`),
      { events: ['ContainerStart'], log, monitor: event },
    ],
    [
      'an instance is extended',
      ({ player, play, container }) => player.post(`${play}/container/${container}/extend`),
      {},
      anInstance,
    ],
    [
      'an instance is destroyed',
      ({ player, play, container }) => player.delete(`${play}/container/${container}`),
      { events: ['ContainerDestroy'], log, monitor: event },
      anInstance,
    ],
    [
      'a team leaves',
      ({ other, play }) => other.delete(play),
      { board: 'time' },
      ({ other, play, newcomer }) => other.post(play, { teamId: newcomer }),
    ],
    ['a writeup is handed in', ({ player, play }) => player.upload('POST', `${play}/writeup`, 'file', pdf), { log }],
    [
      'a monitor deletes captured traffic',
      ({ challenge, participation }) => admin.delete(`/api/game/captures/${challenge}/${participation}/all`),
      { log },
      async ({ challenge, participation }) => {
        const folder = captureFolder(platform.dataDir, challenge, participation)
        await mkdir(folder, { recursive: true })
        await writeFile(join(folder, 'a.pcap'), '')
      },
    ],
  ])('%s', async (_name, act, effects, prepare) => {
    const scene = await aScene()
    await prepare?.(scene)
    await mustHaveEffects(scene, act, effects)
  })
})
