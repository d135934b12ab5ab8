/** Content of a platform in addition to its game: a name, posts, other games, pictures, a monitor. */

import { insertAccount } from '../accounts/accounts.queries.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { avatarUse, storeImage } from '../files/store-image.ts'
import { makeGameKeys } from '../games/game-keys.ts'
import { newPostId } from '../site/posts.queries.ts'
import { saveSettings } from '../site/settings.ts'
import { avatar } from './attachments/pictures.ts'
import { seededRandom } from './random.ts'

const hour = 3_600_000
const day = 24 * hour

const posts = [
  {
    title: 'Tideline: the rules in one minute',
    summary: 'Teams of up to four. Flags look like `tide{...}`. Be kind to the platform; ask us anything.',
    content:
      'Teams of up to four. Flags look like `tide{...}`. One team, one answer. Be kind to the platform, and ask us anything.',
    pinned: true,
    age: 2 * day,
    tags: ['tideline'],
  },
  {
    title: '第三届潮汐线：常见问题',
    summary: '每队至多四人；附件可随时重新下载；比赛结束后可在练习模式中继续作答。',
    content: '每队至多四人。附件可随时重新下载。比赛结束后，可在练习模式中继续作答，成绩不计入排行榜。',
    pinned: false,
    age: 5 * day,
    tags: ['tideline', 'faq'],
  },
  {
    title: 'How the scoreboard breaks a tie',
    summary: 'Equal points? The team that had them first is ahead. An example with real numbers.',
    content: 'Two teams with equal points are ranked by the time of their last scoring solve: the **earlier** one is ahead.',
    pinned: false,
    age: 11 * day,
    tags: [],
  },
  {
    title: '過去問と解説を公開しました',
    summary: '去年の全問題の配布ファイルと解説をまとめました。練習モードで今も挑戦できます。',
    content: '去年の全問題の配布ファイルと解説をまとめました。練習モードで今も挑戦できます。',
    pinned: false,
    age: 19 * day,
    tags: ['archive'],
  },
] as const

const games = [
  { title: 'Quiet Water Quals', summary: 'A day for newcomers, with a helping hand in every challenge.', inDays: 12, hours: 24 },
  { title: '新生杯 Semaphore Cup', summary: '给新同学的八小时。', inDays: 20, hours: 8 },
  { title: 'Winter Beacon 冬の灯台', summary: 'Thirty-six hours around the shortest day.', inDays: 53, hours: 36 },
] as const

export async function fillPlatform(
  deps: Pick<Deps, 'db' | 'storage' | 'log' | 'secrets' | 'settings' | 'bus'>,
  passwordHash: string,
  seed: number,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await saveSettings(tx, {
      'GlobalConfig:Title': 'Harbour',
      'GlobalConfig:Slogan': 'Raise your flag',
      'GlobalConfig:FooterInfo': 'A demo of Vexil; nothing here is kept.',
    })
    const organiser = await staff(tx, { userName: 'keeper', role: 'User', passwordHash })
    await staff(tx, { userName: 'watch', role: 'Monitor', passwordHash })
    await tx.deleteFrom('posts').execute()
    for (const { age, tags, ...post } of posts) {
      const updatedAt = new Date(Date.now() - age)
      await tx
        .insertInto('posts')
        .values({ id: newPostId(), ...post, tags: [...tags], authorId: organiser, updatedAt })
        .execute()
    }
    for (const game of games) await makeNextGame(tx, deps, game)
  })
  await addAvatars(deps, seed)
  await deps.settings.reload()
  deps.bus.publish('settings.changed', {})
}

const staff = (tx: Tx, account: { userName: string; role: 'User' | 'Monitor'; passwordHash: string }) =>
  insertAccount(tx, { ...account, email: `${account.userName}@harbour.example`, active: true, lastIp: '203.0.113.254' })

async function makeNextGame(
  tx: Tx,
  { secrets }: Pick<Deps, 'secrets'>,
  { inDays, hours, ...texts }: (typeof games)[number],
): Promise<void> {
  const first = new Date(Date.now() + inDays * day)
  first.setUTCHours(9, 0, 0, 0)
  const endsAt = new Date(first.getTime() + hours * hour)
  await tx
    .insertInto('games')
    .values({
      ...texts,
      startsAt: first,
      endsAt,
      writeupDeadline: endsAt,
      acceptWithoutReview: false,
      ...makeGameKeys(secrets.key),
    })
    .execute()
}

async function addAvatars(deps: Pick<Deps, 'db' | 'storage' | 'log'>, seed: number): Promise<void> {
  const random = seededRandom(seed + 1)
  const teams = await deps.db.selectFrom('teams').select(['id', 'captainId']).orderBy('id').execute()
  let number = 0
  for (const { id, captainId } of teams) {
    if (!random.likely(0.22)) continue
    const picture = await avatar(number++)
    await storeImage(deps, picture, avatarUse, async (tx, hash) => {
      await tx.updateTable('teams').set({ avatarHash: hash }).where('id', '=', id).execute()
      if (random.likely(0.5)) await tx.updateTable('accounts').set({ avatarHash: hash }).where('id', '=', captainId).execute()
    })
  }
}
