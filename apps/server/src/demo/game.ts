import { challengeDefaults } from '@vexil/core/limits'
import { hasContainer } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { type PutBytes, withStored } from '../files/file-leases.ts'
import { enterFile, type PutFile, putFile } from '../files/store-file.ts'
import { makeGameKeys } from '../games/game-keys.ts'
import { type DemoChallenge, demoChallenges } from './challenges.ts'

export const demoTitle = 'Tideline Open'
export const demoDivisions = ['Student', 'Open']

const summaryOf = (challenges: number) =>
  `${challenges} challenges, one harbour. For teams of up to four, with a division for students.`

const content = `Welcome to **Tideline Open**. The challenges wait along the quay; most fit into a coffee break, a few want an evening.

## How it works

- Every challenge hides a flag of the form \`tide{...}\`. Find it, hand it in, collect the points.
- A challenge is worth less the more teams have solved it, for everybody alike. With $n$ solves, of $S$ points $S\\left(r + (1 - r)\\,e^{(1 - n)/d}\\right)$ are left.
- The first three teams get a little more. The warm-up has no such bonus, so there is no need to hurry.

## What we ask of you

1. One team, one answer: do not share flags. Some are made for you alone.
2. Leave the platform in peace; the flags are in the attachments.
3. If something seems broken, tell us. We have probably only tied a knot too many.

| Division | Who |
|---|---|
| Student | everybody in the team goes to a school or a university |
| Open | everybody else |

Fair winds.`

const day = 24 * 3_600_000
const largest = 4 * 1024 * 1024

export interface DemoTimes {
  readonly startsAt: Date
  readonly endsAt: Date
}

/** Default times: a weekend, a week from now, so that there is time to change it. */
const inAWeek = (now: number): DemoTimes => ({
  startsAt: new Date(now + 7 * day),
  endsAt: new Date(now + 9 * day),
})

/** Stored attachments of the demo: by challenge, or by flag if each has its own. */
type DemoFiles = ReadonlyMap<string, PutFile & { readonly name: string }>

export async function withDemoFiles<T>(
  deps: Pick<Deps, 'db' | 'storage' | 'secrets'>,
  work: (tx: Tx, makeGame: (times?: DemoTimes) => Promise<number>) => Promise<T>,
  challenges: readonly DemoChallenge[] = demoChallenges,
): Promise<T> {
  const files = new Map<string, PutFile & { name: string }>()
  const put: PutBytes[] = []
  const keep = async (key: string, name: string, bytes: Buffer) => {
    const file = await putFile(deps, bytes, largest)
    files.set(key, { ...file, name })
    put.push({ hash: file.hash, again: () => deps.storage.put(bytes, largest) })
  }
  for (const { title, file, eachFile, flags } of challenges) {
    if (file) await keep(title, file.name, await file.bytes())
    if (eachFile) for (const flag of flags) await keep(flag, eachFile.name, eachFile.bytes(flag))
  }
  return withStored(deps, put, (tx) => work(tx, (times) => makeDemoGame({ ...deps, files, challenges }, tx, times)))
}

/** Creates the hidden game with its enabled challenges and returns its id. */
async function makeDemoGame(
  {
    secrets,
    files,
    challenges,
  }: Pick<Deps, 'secrets'> & { readonly files: DemoFiles; readonly challenges: readonly DemoChallenge[] },
  tx: Tx,
  times: DemoTimes = inAWeek(Date.now()),
): Promise<number> {
  const { id } = await tx
    .insertInto('games')
    .values({
      title: demoTitle,
      summary: summaryOf(challenges.length),
      content,
      hidden: true,
      ...times,
      writeupDeadline: times.endsAt,
      practiceMode: true,
      acceptWithoutReview: true,
      memberLimit: 4,
      divisions: demoDivisions,
      ...makeGameKeys(secrets.key),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const challenge of challenges) await makeChallenge(tx, files, id, challenge)
  return id
}

export async function makeChallenge(tx: Tx, files: DemoFiles, gameId: number, challenge: DemoChallenge): Promise<void> {
  const { file, eachFile, container } = challenge
  const stored = file ? await enter(tx, files, challenge.title) : null
  const { port, ...defaults } = challengeDefaults
  const { id } = await tx
    .insertInto('challenges')
    .values({
      ...defaults,
      gameId,
      title: challenge.title,
      category: challenge.category,
      type: challenge.type,
      content: stored ? challenge.content.replaceAll('{attachment}', `/assets/${stored}/${file!.name}`) : challenge.content,
      hints: [...challenge.hints],
      originalScore: challenge.originalScore,
      minScoreRate: challenge.minScoreRate,
      difficulty: challenge.difficulty,
      bloodBonus: challenge.bloodBonus ?? null,
      enabled: true,
      enabledAt: sql`clock_timestamp()`,
      fileName: eachFile?.name ?? defaults.fileName,
      exposePort: container?.port ?? port,
      ...(container && hasContainer(challenge.type) && { containerImage: container.image, flagTemplate: container.template }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (stored) await attach(tx, id, null, stored, file!.name)
  for (const flag of challenge.flags) {
    const row = await tx.insertInto('flags').values({ challengeId: id, flag }).returning('id').executeTakeFirstOrThrow()
    if (!eachFile) continue
    const hash = await enter(tx, files, flag)
    await attach(tx, id, row.id, hash, eachFile.name)
  }
}

async function enter(tx: Tx, files: DemoFiles, key: string): Promise<string> {
  const file = files.get(key)!
  await enterFile(tx, file)
  return file.hash
}

const attach = (tx: Tx, challengeId: number, flagId: number | null, fileHash: string, fileName: string) =>
  tx.insertInto('attachments').values({ challengeId, flagId, type: 'Local', fileHash, fileName }).execute()
