import { accountLimits } from '@vexil/core/limits'
import * as Type from 'typebox'
import { endpoint } from './endpoint.ts'
import { vexil } from './shapes.ts'

export const downloadBackup = endpoint('POST /api/admin/backup', {
  access: 'admin',
  ours: true,
  summary: 'Create and download a backup',
  body: Type.Object({
    password: Type.String({ maxLength: accountLimits.passwordMax, ...vexil }),
    withKey: Type.Optional(Type.Boolean(vexil)),
  }),
  sends: 'stream',
  types: ['application/x-tar'],
  throws: ['account.old_password_wrong', 'file.disk_full'],
})
