import type { GameEvent } from '@vexil/contract/games'
import type { CheatInfo, Submission, Try } from '@vexil/contract/submissions'
import { wireTime } from '@vexil/contract/wire'
import { shownToPlayer } from '@vexil/core/vocabulary'
import type { CheatRow, SubmissionRow, TryRow } from './submissions.queries.ts'

export const submissionView = (row: SubmissionRow): Submission => ({
  answer: row.answer,
  status: row.status,
  time: wireTime(row.arrivedAt),
  user: row.userName ?? '',
  team: row.teamName,
  challenge: row.title,
})

export const tryView = (row: TryRow): Try => ({
  answer: row.answer,
  status: shownToPlayer(row.status),
  time: wireTime(row.arrivedAt),
  user: row.userName,
})

const avatarOf = (hash: string | null) => (hash === null ? null : `/assets/${hash}/avatar`)

export const cheatView = (row: CheatRow): CheatInfo => ({
  ownedTeam: {
    id: row.ownerId,
    team: { id: row.ownerTeamId, name: row.ownerName, avatar: avatarOf(row.ownerAvatar) },
    status: row.ownerStatus,
    organization: row.ownerDivision,
  },
  submitTeam: {
    id: row.senderId,
    team: { id: row.senderTeamId, name: row.teamName, avatar: avatarOf(row.senderAvatar) },
    status: row.senderStatus,
    organization: row.senderDivision,
  },
  submission: submissionView(row),
})

/** The FlagSubmit event of a submission; a detected cheat appears as a wrong answer and has a separate event. */
export const flagEventView = (row: SubmissionRow): GameEvent => ({
  time: wireTime(row.arrivedAt),
  type: 'FlagSubmit',
  values: [row.status === 'CheatDetected' ? 'WrongAnswer' : row.status, row.answer, row.title, String(row.challengeId)],
  user: row.userName ?? '',
  team: row.teamName,
})

export const cheatEventView = (row: CheatRow): GameEvent => ({
  time: wireTime(row.arrivedAt),
  type: 'CheatDetected',
  values: [row.title, row.teamName, row.ownerName],
  user: row.userName ?? '',
  team: row.teamName,
})
