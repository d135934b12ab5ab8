import { textLimits } from '@vexil/core/limits'
import { logLevelFilters } from '@vexil/core/vocabulary'
import * as Type from 'typebox'
import { endpoint } from './endpoint.ts'
import { Count, DateTime, Int, Nullable, OneOf, vexil } from './shapes.ts'

export const LogMessage = Type.Object({
  time: DateTime,
  name: Nullable(Type.String()),
  level: Nullable(Type.String()),
  ip: Nullable(Type.String()),
  msg: Nullable(Type.String()),
  status: Nullable(Type.String()),
  requestId: Nullable(Type.String()),
})

export const listLogs = endpoint('GET /api/admin/logs', {
  access: 'admin',
  summary: 'List log entries, newest first',
  query: Type.Object({
    level: Type.Optional(OneOf(logLevelFilters)),
    hint: Type.Optional(Type.String({ maxLength: textLimits.searchMax, ...vexil })),
    count: Count,
    skip: Type.Optional(Int),
  }),
  reply: Type.Array(LogMessage),
})
