import { teamLimits } from '@vexil/core/limits'
import * as Type from 'typebox'
import { endpoint } from './endpoint.ts'
import { ArrayOf, Filled, Guid, Id, Nullable, OptionalText, Page, vexil } from './shapes.ts'
import { Search } from './users.ts'

export const TeamUserInfo = Type.Object({
  id: Nullable(Guid),
  userName: Nullable(Type.String()),
  bio: Nullable(Type.String()),
  avatar: Nullable(Type.String()),
  captain: Type.Boolean(),
})

export const TeamInfo = Type.Object({
  id: Id,
  name: Nullable(Type.String()),
  bio: Nullable(Type.String()),
  avatar: Nullable(Type.String()),
  locked: Type.Boolean(),
  members: Nullable(Type.Array(TeamUserInfo)),
})
export type TeamInfo = Type.Static<typeof TeamInfo>

const InTeam = Type.Object({ id: Id })
/** Invite code: `name:id:32 hexadecimal digits`. */
const Code = Type.String()

export const getTeam = endpoint('GET /api/team/:id', {
  access: 'anyone',
  summary: 'Get a team with its members',
  params: InTeam,
  reply: TeamInfo,
  throws: ['team.not_found'],
})

export const myTeams = endpoint('GET /api/team', {
  access: 'user',
  summary: 'List your teams',
  reply: Type.Array(TeamInfo),
})

export const createTeam = endpoint('POST /api/team', {
  access: 'user',
  limit: 'team',
  summary: 'Create a team',
  body: Type.Object({ name: OptionalText(teamLimits.nameMax), bio: OptionalText(teamLimits.bioMax) }),
  reply: TeamInfo,
  throws: ['team.already_owned', 'team.name_invalid', 'team.name_characters', 'user.not_found'],
})

export const updateTeam = endpoint('PUT /api/team/:id', {
  access: 'user',
  summary: 'Update a team (captain)',
  params: InTeam,
  body: Type.Object({ name: OptionalText(teamLimits.nameMax), bio: OptionalText(teamLimits.bioMax) }),
  reply: TeamInfo,
  throws: ['team.unknown', 'team.not_captain', 'team.name_invalid', 'team.name_characters', 'team.renamed_too_soon'],
})

export const transferTeam = endpoint('PUT /api/team/:id/transfer', {
  access: 'user',
  summary: 'Make another member the captain (captain)',
  params: InTeam,
  body: Type.Object({ newCaptainId: Type.Optional(Nullable(Type.String({ maxLength: 64 }))) }),
  reply: TeamInfo,
  throws: [
    'team.unknown',
    'team.not_captain',
    'team.locked',
    'team.new_captain_unknown',
    'team.new_captain_not_member',
    'team.already_captain',
    'team.new_captain_owns_team',
  ],
})

export const getInvite = endpoint('GET /api/team/:id/invite', {
  access: 'user',
  summary: 'Get the invite code (captain)',
  params: InTeam,
  reply: Code,
  throws: ['team.unknown', 'team.not_captain'],
})

export const renewInvite = endpoint('PUT /api/team/:id/invite', {
  access: 'user',
  summary: 'Replace the invite code (captain)',
  params: InTeam,
  reply: Code,
  throws: ['team.unknown', 'team.not_captain'],
})

export const acceptInvite = endpoint('POST /api/team/accept', {
  access: 'user',
  summary: 'Join a team with an invite code',
  body: Type.String({ maxLength: 128 }),
  throws: ['team.invite_invalid', 'team.invite_team_unknown', 'team.invite_wrong', 'team.already_member', 'user.not_found'],
})

export const leaveTeam = endpoint('POST /api/team/:id/leave', {
  access: 'user',
  summary: 'Leave a team (member, not the captain)',
  params: InTeam,
  throws: ['team.not_found', 'team.not_member', 'team.locked', 'team.captain_cannot_leave'],
})

export const kickMember = endpoint('POST /api/team/:id/kick/:userId', {
  access: 'user',
  summary: 'Remove a member (captain)',
  params: Type.Object({ id: Id, userId: Guid }),
  reply: TeamInfo,
  throws: ['team.unknown', 'team.not_captain', 'team.locked', 'team.member_unknown', 'team.captain_cannot_kick_self'],
})

export const disbandTeam = endpoint('DELETE /api/team/:id', {
  access: 'user',
  summary: 'Delete a team (captain)',
  params: InTeam,
  throws: ['team.not_found', 'team.not_captain', 'team.locked', 'team.has_submissions'],
})

export const teamAvatar = endpoint('PUT /api/team/:id/avatar', {
  access: 'user',
  summary: 'Set the avatar of a team (captain)',
  params: InTeam,
  upload: 'file',
  reply: Type.String(),
  throws: [
    'team.not_found',
    'team.not_captain',
    'file.missing',
    'file.empty',
    'file.too_large',
    'file.image_invalid',
    'file.disk_full',
  ],
})

export const verifyTeamToken = endpoint('POST /api/team/verify', {
  access: 'anyone',
  summary: 'Verify a team token with the public key of a game',
  body: Type.Object({ teamToken: Filled(1024), publicKey: Filled(1024) }),
  throws: ['team.token_malformed', 'team.token_wrong'],
})

// Administrators

export const ListedTeam = Type.Object({
  ...TeamInfo.properties,
  solves: Type.Integer(vexil),
})
export type ListedTeam = Type.Static<typeof ListedTeam>

export const listTeams = endpoint('GET /api/admin/teams', {
  access: 'admin',
  summary: 'List teams with their members',
  query: Page,
  reply: ArrayOf(ListedTeam),
})

export const searchTeams = endpoint('POST /api/admin/teams/search', {
  access: 'admin',
  summary: 'Search teams by name or id',
  query: Search,
  reply: ArrayOf(ListedTeam),
  throws: ['search.hint_missing'],
})

export const adminUpdateTeam = endpoint('PUT /api/admin/teams/:id', {
  access: 'admin',
  summary: 'Update a team',
  params: InTeam,
  body: Type.Object({
    name: OptionalText(teamLimits.nameMax),
    bio: OptionalText(teamLimits.bioMax),
    locked: Type.Optional(Nullable(Type.Boolean())),
  }),
  throws: ['team.unknown', 'team.name_invalid', 'team.name_characters'],
})

export const adminDeleteTeam = endpoint('DELETE /api/admin/teams/:id', {
  access: 'admin',
  summary: 'Delete a team and all of its data',
  params: InTeam,
  throws: ['team.not_found'],
})
