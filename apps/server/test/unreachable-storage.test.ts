/** Calls that drop files while the storage is unreachable: the change is stored, announced and logged before, and the files are removed later. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { releaseLost } from '../src/files/release-file.ts'
import { aChallenge, aFile, aGame, anAccount, aTeam } from './builders/game.ts'
import { aPng } from './builders/images.ts'
import { type Answer, type Caller, startTestPlatform, type TestPlatform } from './platform.ts'

let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin', userName: 'Chief' }))
})
afterAll(() => platform.stop())

let width = 300
const upload = async (caller: Caller, method: 'PUT' | 'POST', url: string) =>
  caller.upload(method, url, 'file', [{ name: 'a.png', bytes: await aPng({ width: ++width }) }])
const avatarOf = async (team: { id: number }, avatarHash: string) => {
  await platform.db.updateTable('teams').set({ avatarHash }).where('id', '=', team.id).execute()
}
async function aHandout(fileHash: string, ofFlag: boolean) {
  const gameId = await aGame(platform.db)
  const challengeId = await aChallenge(platform.db, gameId, ofFlag ? { type: 'DynamicAttachment' } : {})
  const flag = await platform.db.selectFrom('flags').select('id').where('challengeId', '=', challengeId).executeTakeFirstOrThrow()
  const flagId = ofFlag ? flag.id : null
  await platform.db.insertInto('attachments').values({ challengeId, flagId, type: 'Local', fileHash, fileName: 'x' }).execute()
  return { url: `/api/edit/games/${gameId}/challenges/${challengeId}`, flag: flag.id }
}

/** Prepares a file of this hash that is in use and returns the call that drops it. */
type Prepare = (hash: string) => Promise<() => Promise<Answer>>
const calls: [string, Prepare, string[]][] = [
  [
    'the poster of a game is replaced',
    async (posterHash) => {
      const game = await aGame(platform.db, { posterHash })
      return () => upload(admin, 'PUT', `/api/edit/games/${game}/poster`)
    },
    ['game.changed', 'Changed the poster'],
  ],
  [
    'an attachment is removed',
    async (hash) => {
      const { url } = await aHandout(hash, false)
      return () => admin.post(`${url}/attachment`, { attachmentType: 'None' })
    },
    ['challenge.changed', 'Set the attachment'],
  ],
  [
    'a flag with an attachment is deleted',
    async (hash) => {
      const { url, flag } = await aHandout(hash, true)
      return () => admin.delete(`${url}/flags/${flag}`)
    },
    ['challenge.changed', 'Removed a flag'],
  ],
  [
    'the avatar of a team is replaced',
    async (hash) => {
      const team = await aTeam(platform.db)
      await avatarOf(team, hash)
      const captain = await platform.as(team.captain)
      return () => upload(captain, 'PUT', `/api/team/${team.id}/avatar`)
    },
    ['team.changed', 'Avatar of team'],
  ],
  [
    'a team is disbanded',
    async (hash) => {
      const team = await aTeam(platform.db)
      await avatarOf(team, hash)
      const captain = await platform.as(team.captain)
      return () => captain.delete(`/api/team/${team.id}`)
    },
    ['team.changed', 'Team'],
  ],
  [
    'a team is deleted by an administrator',
    async (hash) => {
      const team = await aTeam(platform.db)
      await avatarOf(team, hash)
      return () => admin.delete(`/api/admin/teams/${team.id}`)
    },
    ['team.changed', 'Team'],
  ],
  [
    'the avatar of an account is replaced',
    async (avatarHash) => {
      const me = await platform.as(await anAccount(platform.db, { avatarHash }))
      return () => upload(me, 'PUT', '/api/account/avatar')
    },
    ['Avatar changed'],
  ],
  [
    'an account is deleted',
    async (avatarHash) => {
      const id = await anAccount(platform.db, { avatarHash })
      return () => admin.delete(`/api/admin/users/${id}`)
    },
    ['security.changed', 'Deleted user'],
  ],
  [
    'the logo is replaced',
    async (hash) => {
      await platform.db.insertInto('settings').values({ key: 'GlobalConfig:LogoHash', value: hash }).execute()
      return () => upload(admin, 'POST', '/api/admin/config/logo')
    },
    ['settings.changed', 'Changed the logo'],
  ],
]

test.each(calls)('when %s, it succeeds and is announced and logged before its file is removed', async (_, prepare, expected) => {
  const hash = await aFile(platform.db)
  const call = await prepare(hash)
  const { bus, log, storage } = platform.deps
  const done: string[] = []
  const spies = [
    vi.spyOn(bus, 'publish').mockImplementation((name) => void done.push(name)),
    vi.spyOn(log, 'write').mockImplementation(({ message }) => void done.push(message)),
    vi.spyOn(storage, 'delete').mockImplementation(async (removed) => {
      done.push(`removal of ${removed}`)
      throw new Error('the storage is unreachable')
    }),
    vi.spyOn(platform.app.log, 'error').mockImplementation((fault) => void done.push(String((fault as { err: Error }).err))),
  ]
  const { status } = await call()
  for (const spy of spies) spy.mockRestore()
  expect([status, done]).toEqual([
    200,
    [...expected.map((text) => expect.stringMatching(`^${text}`)), `removal of ${hash}`, 'Error: the storage is unreachable'],
  ])
  await releaseLost(platform.deps)
  const left = await platform.db.selectFrom('files').select('hash').where('hash', '=', hash).execute()
  expect([left, await platform.db.selectFrom('releasedFiles').select('hash').execute()]).toEqual([[], []])
})
