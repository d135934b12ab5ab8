import {
  addFlags,
  createChallenge,
  editGetChallenge,
  editListChallenges,
  setAttachment,
  updateChallenge,
} from '@vexil/contract/challenges'
import { createGame, deleteGame, type GameEdit, type GameInfo } from '@vexil/contract/games'
import { call, Refusal } from '../../api/client.ts'
import { type ChallengeFile, type FileLink, type GameFile, gameFileOf } from './game-file.ts'

export async function readGame(game: GameInfo): Promise<GameFile> {
  const rows = await call(editListChallenges, { params: { id: game.id } })
  const details = []
  for (const row of rows) details.push(await call(editGetChallenge, { params: { id: game.id, cid: row.id } }))
  return gameFileOf(game, details)
}

export interface MadeGame {
  readonly game: GameInfo
  /** Titles of challenges whose files this platform lacks; they stay disabled. */
  readonly incomplete: readonly string[]
}

/** Creates the game and its challenges; deletes it again when anything is refused. @throws Refusal */
export async function makeGame(
  edit: GameEdit,
  challenges: readonly ChallengeFile[],
  onMade: (count: number) => void,
): Promise<MadeGame> {
  const game = await call(createGame, { body: edit })
  const incomplete: string[] = []
  try {
    for (const [i, challenge] of challenges.entries()) {
      if (!(await makeChallenge(game.id, challenge))) incomplete.push(challenge.title)
      onMade(i + 1)
    }
  } catch (error) {
    await call(deleteGame, { params: { id: game.id } }).catch(() => undefined)
    throw error
  }
  return { game, incomplete }
}

async function makeChallenge(
  id: number,
  { title, category, type, isEnabled, fields, attachment, flags }: ChallengeFile,
): Promise<boolean> {
  const { id: cid } = await call(createChallenge, { params: { id }, body: { title, category, type } })
  const params = { id, cid }
  await call(updateChallenge, { params, body: fields })
  const attached = attachment === null || (await known(() => call(setAttachment, { params, body: wireLink(attachment) })))
  const flagged = flags.length === 0 || (await known(() => call(addFlags, { params, body: flags.map(wireFlag) })))
  if (!flagged) await call(addFlags, { params, body: flags.map(({ flag }) => ({ flag })) })
  if (attached && flagged && isEnabled) await call(updateChallenge, { params, body: { isEnabled } })
  return attached && flagged
}

const wireLink = (link: FileLink) =>
  'fileHash' in link
    ? { attachmentType: 'Local' as const, fileHash: link.fileHash }
    : { attachmentType: 'Remote' as const, remoteUrl: link.remoteUrl }
const wireFlag = ({ flag, attachment }: ChallengeFile['flags'][number]) => ({ flag, ...(attachment && wireLink(attachment)) })

/** False when the platform has no such file. */
async function known(make: () => Promise<unknown>): Promise<boolean> {
  try {
    await make()
    return true
  } catch (error) {
    if (error instanceof Refusal && error.code === 'attachment.file_unknown') return false
    throw error
  }
}
