import type { UserInfo } from '@vexil/contract/users'
import { wireTime } from '@vexil/contract/wire'
import type { Role } from '@vexil/core/vocabulary'
import { imageUrl } from '../files/store-image.ts'
import type { AccountRow } from './users.queries.ts'

export const userView = (row: AccountRow): UserInfo => ({
  id: row.id,
  userName: row.userName,
  realName: row.realName,
  stdNumber: row.studentNumber,
  phone: row.phone,
  bio: row.bio,
  registerTimeUtc: wireTime(row.registeredAt),
  lastVisitedUtc: wireTime(row.lastVisitAt),
  ip: row.lastIp,
  email: row.email,
  avatar: imageUrl(row.avatarHash),
  role: row.role as Role,
  emailConfirmed: row.active,
})
