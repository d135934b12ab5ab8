import { accountLimits, teamLimits, textLimits } from '@vexil/core/limits'
import { roles } from '@vexil/core/vocabulary'
import * as Type from 'typebox'
import { ProfileUserInfo } from './accounts.ts'
import { endpoint } from './endpoint.ts'
import {
  ArrayOf,
  Count,
  DateTime,
  Filled,
  Guid,
  Int,
  Nullable,
  OneOf,
  OptionalText,
  Page,
  Password,
  Role,
  says,
  saysAlways,
  vexil,
} from './shapes.ts'

export const UserInfo = Type.Object({
  id: Nullable(Guid),
  userName: Nullable(Type.String()),
  realName: Nullable(Type.String()),
  stdNumber: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  bio: Nullable(Type.String()),
  registerTimeUtc: DateTime,
  lastVisitedUtc: DateTime,
  ip: Type.String(),
  email: Nullable(Type.String()),
  avatar: Nullable(Type.String()),
  role: Nullable(Role),
  emailConfirmed: Nullable(Type.Boolean()),
})
export type UserInfo = Type.Static<typeof UserInfo>

const Narrowed = {
  role: Type.Optional(OneOf(roles, vexil)),
  active: Type.Optional(Type.Boolean(vexil)),
}

/** Search text as a query parameter; `count` and `skip` are ours. */
export const Search = Type.Object({
  hint: Filled(textLimits.searchMax, 1, says({ required: 'search.hint_missing' })),
  count: Count,
  skip: Type.Optional(Int),
})

const UserName = Filled(accountLimits.userNameMax, accountLimits.userNameMin, saysAlways('account.name_invalid'))
const Mail = Type.String({ maxLength: accountLimits.emailMax, format: 'mail', ...saysAlways('account.email_invalid') })
const Phone = Type.Optional(
  Nullable(Type.String({ maxLength: accountLimits.phoneMax, format: 'phone', ...saysAlways('account.phone_invalid') })),
)
const InUser = Type.Object({ userId: Guid })

export const listUsers = endpoint('GET /api/admin/users', {
  access: 'admin',
  summary: 'List accounts, oldest first',
  query: Type.Object({ ...Page.properties, ...Narrowed }),
  reply: ArrayOf(UserInfo),
})

export const searchUsers = endpoint('POST /api/admin/users/search', {
  access: 'admin',
  summary: 'Search accounts',
  query: Type.Object({ ...Search.properties, ...Narrowed }),
  reply: ArrayOf(UserInfo),
  throws: ['search.hint_missing'],
})

export const NewUser = Type.Object({
  userName: UserName,
  password: Password,
  email: Mail,
  realName: OptionalText(accountLimits.realNameMax),
  stdNumber: OptionalText(accountLimits.studentNumberMax),
  phone: Phone,
  teamName: OptionalText(teamLimits.nameMax),
})
export type NewUser = Type.Static<typeof NewUser>

export const addUsers = endpoint('POST /api/admin/users', {
  access: 'admin',
  summary: 'Create or update many accounts, with teams',
  body: Type.Array(NewUser, { maxItems: accountLimits.batchMax }),
  bodySize: 'large',
  throws: ['user.batch_row_refused', 'account.name_taken'],
})

export const getUser = endpoint('GET /api/admin/users/:userId', {
  access: 'admin',
  summary: 'Get the profile of an account',
  params: InUser,
  reply: ProfileUserInfo,
  throws: ['user.not_found'],
})

export const updateUser = endpoint('PUT /api/admin/users/:userId', {
  access: 'admin',
  summary: 'Update or ban an account',
  params: InUser,
  body: Type.Object({
    userName: Type.Optional(Nullable(UserName)),
    email: Type.Optional(Nullable(Mail)),
    bio: OptionalText(accountLimits.bioMax),
    phone: Phone,
    realName: OptionalText(accountLimits.realNameMax),
    stdNumber: OptionalText(accountLimits.studentNumberMax),
    emailConfirmed: Type.Optional(Nullable(Type.Boolean())),
    role: Type.Optional(Nullable(Role)),
  }),
  throws: [
    'user.not_found',
    'account.name_taken',
    'account.name_invalid',
    'account.name_characters',
    'account.email_taken',
    'user.last_admin',
  ],
})

export const resetUserPassword = endpoint('DELETE /api/admin/users/:userId/password', {
  access: 'admin',
  summary: 'Reset the password of an account to a random one',
  params: InUser,
  reply: Type.String(),
  throws: ['user.not_found'],
})

export const deleteUser = endpoint('DELETE /api/admin/users/:userId', {
  access: 'admin',
  summary: 'Delete an account',
  params: InUser,
  throws: ['user.own_account', 'user.not_found', 'user.is_captain', 'user.last_admin'],
})
