import type { TeamInfo } from '@vexil/contract/teams'
import { imageUrl } from '../files/store-image.ts'
import type { listTeams } from './teams.queries.ts'

type TeamRow = Awaited<ReturnType<typeof listTeams>>[number]

export const teamView = (team: TeamRow): TeamInfo => ({
  id: team.id,
  name: team.name,
  bio: team.bio,
  avatar: imageUrl(team.avatarHash),
  locked: team.locked,
  members: team.members.map((member) => ({
    id: member.id,
    userName: member.userName,
    bio: member.bio,
    avatar: imageUrl(member.avatarHash),
    captain: member.id === team.captainId,
  })),
})
