import { accountLimits } from '@vexil/core/limits'
import { registerStatuses } from '@vexil/core/vocabulary'
import * as Type from 'typebox'
import { endpoint } from './endpoint.ts'
import {
  Confirmation,
  ConfirmationWith,
  Filled,
  Guid,
  Id,
  Nullable,
  OneOf,
  OptionalText,
  Password,
  Role,
  Status,
  saysAlways,
  vexil,
} from './shapes.ts'

const Captcha = { challenge: OptionalText(4096) }
const Mail = Type.String({ maxLength: accountLimits.emailMax, format: 'mail', ...saysAlways('account.email_invalid') })
const UserName = Filled(accountLimits.userNameMax, accountLimits.userNameMin, saysAlways('account.name_invalid'))
const Encoded = Filled(2048)

export const ProfileUserInfo = Type.Object({
  userId: Nullable(Guid),
  userName: Nullable(Type.String()),
  email: Nullable(Type.String()),
  bio: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  realName: Nullable(Type.String()),
  stdNumber: Nullable(Type.String()),
  avatar: Nullable(Type.String()),
  role: Nullable(Role),
})
export type ProfileUserInfo = Type.Static<typeof ProfileUserInfo>

export const register = endpoint('POST /api/account/register', {
  access: 'anyone',
  limit: 'register',
  summary: 'Register an account',
  body: Type.Object({ ...Captcha, userName: UserName, password: Password, email: Mail }),
  reply: ConfirmationWith(OneOf(registerStatuses)),
  throws: [
    'account.registration_closed',
    'captcha.failed',
    'account.domain_refused',
    'account.name_characters',
    'account.name_taken',
    'account.exists',
    'mail.not_configured',
  ],
})

export const login = endpoint('POST /api/account/login', {
  access: 'anyone',
  limit: 'login',
  summary: 'Sign in by user name or e-mail address',
  body: Type.Object({ ...Captcha, userName: Filled(accountLimits.emailMax), password: Filled(accountLimits.passwordMax) }),
  throws: ['captcha.failed', 'account.credentials_wrong', 'account.banned', 'account.not_active'],
})

export const logout = endpoint('POST /api/account/logout', { access: 'anyone', summary: 'Sign out' })

export const profile = endpoint('GET /api/account/profile', {
  access: 'user',
  summary: 'Get your profile',
  reply: ProfileUserInfo,
})

export const session = endpoint('GET /api/account/session', {
  access: 'anyone',
  summary: 'Get the account of the session, if there is one',
  beforeSetUp: true,
  reply: Type.Object({ user: Nullable(ProfileUserInfo) }),
  ours: true,
})

export const updateProfile = endpoint('PUT /api/account/update', {
  access: 'user',
  summary: 'Update your profile',
  body: Type.Object({
    userName: OptionalText(accountLimits.userNameMax, accountLimits.userNameMin),
    bio: OptionalText(accountLimits.bioMax),
    phone: Type.Optional(
      Nullable(Type.String({ maxLength: accountLimits.phoneMax, format: 'phone', ...saysAlways('account.phone_invalid') })),
    ),
    realName: OptionalText(accountLimits.realNameMax),
    stdNumber: OptionalText(accountLimits.studentNumberMax),
  }),
  throws: ['account.name_taken', 'account.name_invalid', 'account.name_characters'],
})

export const changePassword = endpoint('PUT /api/account/changepassword', {
  access: 'user',
  summary: 'Change your password',
  body: Type.Object({ old: Password, new: Password }),
  throws: ['account.old_password_wrong'],
})

export const changeAvatar = endpoint('PUT /api/account/avatar', {
  access: 'user',
  summary: 'Set your avatar',
  upload: 'file',
  reply: Type.String(),
  throws: ['file.missing', 'file.empty', 'file.too_large', 'file.image_invalid', 'file.disk_full'],
})

export const myGames = endpoint('GET /api/account/games', {
  access: 'user',
  ours: true,
  summary: 'List the games you have joined',
  reply: Type.Array(
    Type.Object({ gameId: Id, status: Status, teamId: Id, teamName: Type.String(), organization: Nullable(Type.String()) }),
  ),
})

// The calls below send or follow mails.

export const recovery = endpoint('POST /api/account/recovery', {
  access: 'anyone',
  limit: 'register',
  summary: 'Request an email to reset the password',
  body: Type.Object({ ...Captcha, email: Mail }),
  reply: Confirmation,
  throws: ['captcha.failed', 'account.recovery_off', 'mail.not_configured'],
})

export const passwordReset = endpoint('POST /api/account/passwordreset', {
  access: 'anyone',
  limit: 'register',
  summary: 'Reset the password with the token of an email',
  body: Type.Object({ password: Password, email: Encoded, rToken: Encoded }),
  throws: ['account.reset_invalid'],
})

export const verify = endpoint('POST /api/account/verify', {
  access: 'anyone',
  limit: 'register',
  summary: 'Confirm an email address and create the account',
  body: Type.Object({ token: Encoded, email: Encoded }),
  throws: ['account.link_invalid', 'account.verification_failed', 'account.banned', 'account.name_taken'],
})

export const changeEmail = endpoint('PUT /api/account/changeemail', {
  access: 'user',
  limit: 'register',
  summary: 'Request a change of your email address',
  body: Type.Object({
    newMail: Mail,
    password: Type.Optional(Nullable(Type.String({ maxLength: accountLimits.passwordMax, ...vexil }))),
  }),
  reply: ConfirmationWith(Type.Boolean()),
  throws: [
    'account.email_taken',
    'account.domain_refused',
    'account.email_unchangeable',
    'mail.not_configured',
    'account.old_password_wrong',
  ],
})

export const mailChangeConfirm = endpoint('POST /api/account/mailchangeconfirm', {
  access: 'user',
  summary: 'Confirm a change of your email address',
  body: Type.Object({ token: Encoded, email: Encoded }),
  throws: ['account.email_verification_failed'],
})

export const mailChangeCancel = endpoint('POST /api/account/mailchangecancel', {
  access: 'anyone',
  ours: true,
  limit: 'register',
  summary: 'Undo a change of an email address',
  body: Type.Object({ token: Encoded, email: Encoded }),
  throws: ['account.email_verification_failed'],
})
