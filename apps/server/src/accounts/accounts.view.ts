import type { ProfileUserInfo } from '@vexil/contract/accounts'
import type { Role } from '@vexil/core/vocabulary'
import type { Selectable } from 'kysely'
import type { DB } from '../db/schema.ts'
import { imageUrl } from '../files/store-image.ts'

export const profileView = (row: Omit<Selectable<DB['accounts']>, 'passwordHash' | 'nameKey'>): ProfileUserInfo => ({
  userId: row.id,
  userName: row.userName,
  email: row.email,
  bio: row.bio,
  phone: row.phone,
  realName: row.realName,
  stdNumber: row.studentNumber,
  avatar: imageUrl(row.avatarHash),
  role: row.role as Role,
})
