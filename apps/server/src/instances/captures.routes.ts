import * as contract from '@vexil/contract/captures'
import type { Params, Query } from '@vexil/contract/endpoint'
import { wireTime } from '@vexil/contract/wire'
import { CaptureNotFound, FileNotDeleted, RuleError } from '@vexil/core/rules'
import type { ChallengeCategory, ChallengeType } from '@vexil/core/vocabulary'
import { audit } from '../audit.ts'
import type { Deps } from '../deps.ts'
import { disposition } from '../files/delivery.ts'
import { fileStamp } from '../files/file-names.ts'
import { imageUrl } from '../files/store-image.ts'
import { zipStream } from '../files/zip-stream.ts'
import { type Http, route } from '../http/route.ts'
import { streamChunks } from '../http/stream-chunks.ts'
import { countFiles, countParticipations, deleteAll, deleteFile, listFiles, openFile, zipEntries } from './captures.ts'
import { listCapturing, listTeamsOf } from './instances.queries.ts'

const fileOf = (
  { cid, pid }: Params<typeof contract.downloadCaptures>,
  { format = 'udp' }: Query<typeof contract.downloadCaptures>,
) => ({ challengeId: cid, participationId: pid, format })

export function captureRoutes(http: Http, deps: Deps): void {
  const { db, captures } = deps
  const notDeleted = (error: unknown) => {
    if (error instanceof RuleError) throw error
    deps.onError(error)
    throw new FileNotDeleted()
  }

  route(http, contract.listCaptures, async ({ params }) =>
    Promise.all(
      (await listCapturing(db, params.id)).map(async ({ enabled, ...row }) => ({
        ...row,
        category: row.category as ChallengeCategory,
        type: row.type as ChallengeType,
        isEnabled: enabled,
        count: await countParticipations(captures, row.id),
      })),
    ),
  )

  route(http, contract.listCaptureTeams, async ({ params }) => {
    const counts = await countFiles(captures, params.cid)
    if (counts.size === 0) throw new CaptureNotFound()
    return (await listTeamsOf(db, [...counts.keys()])).map(({ id, teamId, name, division, avatarHash }) => ({
      id,
      teamId,
      name,
      organization: division,
      avatar: imageUrl(avatarHash),
      count: counts.get(id) ?? 0,
    }))
  })

  route(http, contract.listCaptureFiles, async ({ params }) => {
    const files = await listFiles(captures, params.cid, params.pid)
    if (files.length === 0) throw new CaptureNotFound()
    return files.map(({ name, size, changedAt }) => ({ fileName: name, size, updateTime: wireTime(changedAt) }))
  })

  route(http, contract.downloadCaptures, async ({ params, query, reply }) => {
    const name = `Capture-${params.cid}-${params.pid}-${fileStamp(new Date())}`
    const entries = await zipEntries(captures, { ...fileOf(params, query), inner: name })
    reply.type('application/zip').header('content-disposition', disposition('attachment', `${name}.zip`))
    await streamChunks(reply, zipStream(entries, { compress: true }), deps.onError)
  })

  route(http, contract.deleteCaptures, async ({ params, by }) => {
    await deleteAll(captures, params.cid, params.pid).catch(notDeleted)
    audit(deps, by, `Deleted captured traffic of participation #${params.pid} on challenge #${params.cid}`)
  })

  route(http, contract.downloadCapture, async ({ params, query, reply }) => {
    const { size, stream } = await openFile(captures, { ...fileOf(params, query), name: params.file })
    reply.type('application/octet-stream').header('content-disposition', disposition('attachment', params.file))
    if (size !== null) reply.header('content-length', size)
    await reply.send(stream)
  })

  route(http, contract.deleteCapture, async ({ params, by }) => {
    await deleteFile(captures, params.cid, params.pid, params.file).catch(notDeleted)
    audit(deps, by, `Deleted capture ${params.file} of participation #${params.pid} on challenge #${params.cid}`)
  })
}
