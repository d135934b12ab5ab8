/** The platform with its files in a bucket of s3rver, a fake of S3. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSession } from '../src/accounts/sessions.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { type BucketServer, bucketSettings, startBucket } from './bucket-server.ts'
import { aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { listZip } from './zip.ts'

const folder = mkdtempSync(join(tmpdir(), 'vexil-bucket-'))
let server: BucketServer
let platform: TestPlatform
beforeAll(async () => {
  server = await startBucket(folder)
  platform = await startTestPlatform(bucketSettings(server.port))
})
afterAll(async () => {
  await platform.stop()
  await server.close()
  rmSync(folder, { recursive: true })
})

test('P7.41 files are stored, read completely and in parts, and removed', async () => {
  const admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
  const bytes = Buffer.from('some bytes in a bucket')
  const [{ hash }] = (await admin.upload('POST', '/api/assets', 'files', [{ name: 'a.bin', bytes }])).body
  const url = `/assets/${hash}/a.bin`
  expect((await admin.get(url)).body).toBe(bytes.toString())
  const part = await admin.get(url, { range: 'bytes=-6' })
  expect([part.status, part.body, part.headers['content-range']]).toEqual([206, 'bucket', `bytes 16-21/${bytes.length}`])
  expect((await admin.delete(`/api/assets/${hash}`)).status).toBe(200)
  expect((await admin.get(url)).status).toBe(404)
})

test('P7.31 P7.87 writeups are submitted and returned in one archive', async () => {
  const boss = await anAccount(platform.db, { role: 'Admin' })
  const game = await aGame(platform.db, { writeupRequired: true })
  const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(300_000, 7)])
  const team = await aTeam(platform.db)
  await aParticipation(platform.db, game, team)
  const files = [{ name: 'w.pdf', type: 'application/pdf', bytes }]
  expect((await (await platform.as(team.captain)).upload('POST', `/api/game/${game}/writeup`, 'file', files)).status).toBe(200)
  const cookie = `${cookieName}=${await startSession(platform.db, boss)}`
  const { rawPayload } = await platform.app.inject({ url: `/api/admin/writeups/${game}/all`, headers: { cookie } })
  expect(listZip(rawPayload).map((file) => file.bytes.equals(bytes))).toEqual([true])
})
