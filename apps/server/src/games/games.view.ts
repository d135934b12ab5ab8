import { pickGameFields } from '@vexil/contract/game-fields'
import type { BasicGame, DetailedGame, GameEvent, GameInfo, GameNotice, ParticipationInfo } from '@vexil/contract/games'
import { wireTime } from '@vexil/contract/wire'
import type { ParticipationStatus } from '@vexil/core/vocabulary'
import { imageUrl } from '../files/store-image.ts'
import type {
  EventRow,
  findOwnParticipation,
  GameRow,
  listParticipations,
  listVisibleGames,
  MemberRow,
  NoticeRow,
} from './games.queries.ts'

export const basicGameView = (row: Awaited<ReturnType<typeof listVisibleGames>>[number]): BasicGame => ({
  id: row.id,
  title: row.title,
  summary: row.summary,
  poster: imageUrl(row.posterHash, 'poster'),
  limit: row.memberLimit,
  start: wireTime(row.startsAt),
  end: wireTime(row.endsAt),
})

export const detailedGameView = (
  game: GameRow,
  teamCount: number,
  own: Awaited<ReturnType<typeof findOwnParticipation>>,
  registered: Record<string, number>,
): DetailedGame => ({
  ...basicGameView(game),
  content: game.content,
  hidden: game.hidden,
  organizations: game.divisions,
  inviteCodeRequired: game.inviteCode !== null,
  writeupRequired: game.writeupRequired,
  teamCount,
  // Players see a stored Unsubmitted as no participation.
  organization: own && own.status !== 'Unsubmitted' ? own.division : null,
  teamName: own && own.status !== 'Unsubmitted' ? own.teamName : null,
  practiceMode: game.practiceMode,
  status: own?.status ?? 'Unsubmitted',
  writeupDeadline: wireTime(game.writeupDeadline),
  registered,
})

export const gameInfoView = (game: GameRow): GameInfo => ({
  id: game.id,
  title: game.title,
  ...pickGameFields(game),
  inviteCode: game.inviteCode,
  organizations: game.divisions,
  teamMemberCountLimit: game.memberLimit,
  containerCountLimit: game.containerLimit,
  poster: imageUrl(game.posterHash, 'poster'),
  publicKey: game.publicKey,
  start: wireTime(game.startsAt),
  end: wireTime(game.endsAt),
  writeupDeadline: wireTime(game.writeupDeadline),
  bloodBonus: game.bloodBonus,
})

export const noticeView = ({ id, type, values, createdAt }: NoticeRow): GameNotice => ({
  id,
  time: wireTime(createdAt),
  type,
  values,
})

export const eventView = ({ time, type, values, userName, teamName }: EventRow): GameEvent => ({
  time: wireTime(time),
  type,
  values,
  user: userName ?? '',
  team: teamName ?? '',
})

export function participationViews(
  rows: Awaited<ReturnType<typeof listParticipations>>,
  members: readonly MemberRow[],
  registrations: readonly { participationId: number; accountId: string }[],
): ParticipationInfo[] {
  const membersOf = Map.groupBy(members, ({ teamId }) => teamId)
  const registeredIn = Map.groupBy(registrations, ({ participationId }) => participationId)
  return rows.map((row) => ({
    id: row.id,
    team: {
      id: row.teamId,
      name: row.name,
      bio: row.bio,
      avatar: imageUrl(row.avatarHash),
      locked: row.locked,
      captainId: row.captainId,
      members: (membersOf.get(row.teamId) ?? []).map((member) => ({
        userId: member.userId,
        userName: member.userName,
        email: member.email,
        bio: member.bio,
        phone: member.phone,
        realName: member.realName,
        stdNumber: member.studentNumber,
        avatar: imageUrl(member.avatarHash),
        role: member.role,
      })),
    },
    registeredMembers: (registeredIn.get(row.id) ?? []).map(({ accountId }) => accountId),
    organization: row.division,
    status: row.status as ParticipationStatus,
  }))
}
