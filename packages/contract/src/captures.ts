/** Captured traffic of instances, for monitors. `pid`: id of a participation. */
import { challengeCategories, challengeTypes } from '@vexil/core/vocabulary'
import * as Type from 'typebox'
import { endpoint } from './endpoint.ts'
import { DateTime, Id, InGame, Int, Long, Nullable, OneOf } from './shapes.ts'

const InCapture = Type.Object({ cid: Id })
const InTeamCapture = Type.Object({ cid: Id, pid: Id })

/** `udp`: each chunk as a UDP packet, as tools made for GZ::CTF read it. `tcp`: a TCP conversation, for "Follow TCP stream". */
export const captureFormats = ['udp', 'tcp'] as const
const Format = Type.Object({ format: Type.Optional(OneOf(captureFormats)) })
const InCaptureFile = Type.Object({ cid: Id, pid: Id, file: Type.String({ minLength: 1, maxLength: 255 }) })

export const listCaptures = endpoint('GET /api/game/games/:id/captures', {
  access: 'monitor',
  summary: 'List challenges of a game with traffic capture',
  params: InGame,
  reply: Type.Array(
    Type.Object({
      id: Id,
      title: Type.String(),
      category: OneOf(challengeCategories),
      type: OneOf(challengeTypes),
      isEnabled: Type.Boolean(),
      count: Int,
    }),
  ),
})

export const listCaptureTeams = endpoint('GET /api/game/captures/:cid', {
  access: 'monitor',
  summary: 'List teams with captured traffic of a challenge',
  params: InCapture,
  reply: Type.Array(
    Type.Object({
      id: Id,
      teamId: Id,
      name: Nullable(Type.String()),
      organization: Nullable(Type.String()),
      avatar: Nullable(Type.String()),
      count: Int,
    }),
  ),
  throws: ['capture.not_found'],
})

export const listCaptureFiles = endpoint('GET /api/game/captures/:cid/:pid', {
  access: 'monitor',
  summary: 'List captured files of a team',
  params: InTeamCapture,
  reply: Type.Array(Type.Object({ fileName: Type.String(), size: Long, updateTime: DateTime })),
  throws: ['capture.not_found'],
})

export const downloadCaptures = endpoint('GET /api/game/captures/:cid/:pid/all', {
  access: 'monitor',
  summary: 'Download all captured files of a team as a zip archive',
  params: InTeamCapture,
  query: Format,
  sends: 'stream',
  types: ['application/zip'],
  throws: ['capture.not_found'],
})

export const deleteCaptures = endpoint('DELETE /api/game/captures/:cid/:pid/all', {
  access: 'monitor',
  summary: 'Delete all captured files of a team',
  params: InTeamCapture,
  throws: ['capture.not_found', 'file.not_deleted'],
})

export const downloadCapture = endpoint('GET /api/game/captures/:cid/:pid/:file', {
  access: 'monitor',
  summary: 'Download a captured file',
  params: InCaptureFile,
  query: Format,
  sends: 'file',
  types: ['application/octet-stream'],
  throws: ['capture.file_not_found'],
})

export const deleteCapture = endpoint('DELETE /api/game/captures/:cid/:pid/:file', {
  access: 'monitor',
  summary: 'Delete a captured file',
  params: InCaptureFile,
  throws: ['capture.file_not_found', 'file.not_deleted'],
})
