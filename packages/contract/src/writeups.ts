import * as Type from 'typebox'
import { endpoint } from './endpoint.ts'
import { DateTime, Id, InGame, Long, Nullable, vexil } from './shapes.ts'
import { TeamInfo } from './teams.ts'

const gate = [
  'game.not_found',
  'participation.none',
  'participation.suspended',
  'participation.not_accepted',
  'game.not_started',
] as const

export const getWriteup = endpoint('GET /api/game/:id/writeup', {
  access: 'user',
  summary: 'Get the state of the writeup of your team',
  params: InGame,
  reply: Type.Object({
    submitted: Type.Boolean(),
    name: Type.String(),
    fileSize: Long,
    note: Type.String(),
    writeupDeadline: DateTime,
    url: Nullable(Type.String(vexil)),
  }),
  throws: gate,
})

export const submitWriteup = endpoint('POST /api/game/:id/writeup', {
  access: 'user',
  summary: 'Upload the writeup of your team',
  params: InGame,
  upload: 'file',
  throws: [
    'file.missing',
    'file.empty',
    'file.too_large',
    'file.disk_full',
    'file.not_stored',
    'writeup.not_pdf',
    ...gate,
    'writeup.not_wanted',
    'writeup.deadline_passed',
  ],
})

export const WriteupInfo = Type.Object({ id: Id, team: TeamInfo, url: Type.String(), uploadTimeUtc: DateTime })
export type WriteupInfo = Type.Static<typeof WriteupInfo>

export const listWriteups = endpoint('GET /api/admin/writeups/:id', {
  access: 'admin',
  summary: 'List writeups of a game, newest first',
  params: InGame,
  reply: Type.Array(WriteupInfo),
  throws: ['game.not_found'],
})

export const downloadWriteups = endpoint('GET /api/admin/writeups/:id/all', {
  access: 'admin',
  summary: 'Download all writeups of a game as a zip archive',
  params: InGame,
  sends: 'stream',
  types: ['application/zip'],
  throws: ['game.not_found'],
})

export const deleteWriteups = endpoint('DELETE /api/edit/games/:id/writeups', {
  access: 'admin',
  summary: 'Delete all writeups of a game',
  params: InGame,
  throws: ['game.not_found'],
})
