import { statfs } from 'node:fs/promises'
import { Readable } from 'node:stream'
import * as endpoints from '@vexil/contract/files'
import { wireTime } from '@vexil/contract/wire'
import { pages } from '@vexil/core/limits'
import { FileHashInvalid, FileNotFound } from '@vexil/core/rules'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { audit } from '../audit.ts'
import type { Deps } from '../deps.ts'
import { isHeld } from '../http/conditional.ts'
import { pageOf } from '../http/paging.ts'
import { type Http, route } from '../http/route.ts'
import { eachFile } from '../http/uploads.ts'
import { deleteFile } from './delete-file.ts'
import { deliveryHeaders, rangeOf } from './delivery.ts'
import { findReadable, listFiles, type ReadableFile } from './files.queries.ts'
import { uploadFiles } from './upload-files.ts'

type FileDeps = Pick<Deps, 'config' | 'db' | 'storage' | 'log' | 'onError'>

const missLoggedEveryMs = 10_000

/** `/api/assets` and `/assets`. */
export function fileRoutes(http: Http, deps: FileDeps): void {
  route(http, endpoints.uploadFiles, async (call) => {
    const { by, query } = call
    const max = deps.config.assetMb * 1e6
    // One byte more, so that a file of exactly the limit differs from a larger one.
    const files = await eachFile(http, call, { part: 'files', max: max + 1 }, (parts) =>
      uploadFiles(deps, parts, { max, commonName: query.filename }),
    )
    const message = `Uploaded ${files.length} files: ${files.map(({ hash, name }) => `${name} (${hash.slice(0, 8)})`).join(', ')}`
    if (files.length > 0) audit(deps, by, message)
    return files
  })

  route(http, endpoints.deleteFile, async ({ params, by }) => {
    if (!isHash(params.hash)) throw new FileHashInvalid()
    await deleteFile(deps, params.hash, by)
  })

  route(http, endpoints.diskSpace, async () => {
    const { bavail, blocks, bsize } = await statfs(deps.config.filesDir ?? deps.config.dataDir)
    return { free: bavail * bsize, total: blocks * bsize }
  })

  route(http, endpoints.listFiles, async ({ query }) => {
    const { rows, total } = await listFiles(deps.db, pageOf(query, pages.files))
    const data = rows.map(({ hash, name, size, uploadedAt, references, uses }) => ({
      hash,
      name,
      fileSize: size,
      uploadTime: wireTime(uploadedAt),
      references,
      uses,
    }))
    return { data, length: data.length, total }
  })

  let missLogged = Number.NEGATIVE_INFINITY
  route(http, endpoints.readFile, async ({ params: { hash, name }, request, reply, ip, actor }) => {
    if (!isHash(hash)) throw new FileHashInvalid()
    const file = await findReadable(deps.db, hash, actor)
    if (file && (await deps.storage.has(hash))) return sendFile(deps, file, { name, request, reply })
    if (performance.now() - missLogged > missLoggedEveryMs) {
      missLogged = performance.now()
      deps.log.write({
        level: 'Warning',
        status: 'NotFound',
        name: 'Anonymous',
        ip,
        message: `No file ${hash.slice(0, 8)} (${name.slice(0, 100)})`,
      })
    }
    throw new FileNotFound()
  })
}

const isHash = (text: string) => /^[0-9a-f]{64}$/.test(text)

interface FileRequest {
  readonly name: string
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

async function sendFile(
  { storage }: Pick<Deps, 'storage'>,
  file: ReadableFile,
  { name, request, reply }: FileRequest,
): Promise<unknown> {
  reply.headers(deliveryHeaders(file, name))
  const { range: wanted, 'if-range': same } = request.headers
  const etag = `"${file.hash}"`
  if (isHeld(request, reply, etag, file.uploadedAt)) return reply.send()
  const range = same === undefined || same === etag ? rangeOf(wanted, file.size) : null
  if (range === 'outside') return reply.code(416).header('content-range', `bytes */${file.size}`).send()
  reply.header('content-length', range ? range.end - range.start + 1 : file.size)
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.size}`)
  if (request.method === 'HEAD') return reply.send(Readable.from([]))
  const found = await storage.get(file.hash, range ?? undefined)
  return reply.send(found?.stream ?? Readable.from([]))
}
