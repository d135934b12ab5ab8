/** Files in multipart bodies. Login and role are checked again after the last byte, before anything is stored. */
import '@fastify/multipart'
import { Readable } from 'node:stream'
import { uploadLimits } from '@vexil/core/limits'
import { FileEmpty, FileMissing, FileTooLarge } from '@vexil/core/rules'
import type { FastifyRequest } from 'fastify'
import { mustStillBeAllowed, type SignedInAccount } from './gate.ts'
import { openBodyBuffer } from './read-body.ts'
import { RequestError } from './request-errors.ts'
import type { Http } from './route.ts'
import { openReserve, type Progress, watchUpload } from './upload-watch.ts'

export interface UploadCall {
  readonly request: FastifyRequest
  readonly actor: Pick<SignedInAccount, 'id' | 'role'>
}

export interface Upload {
  readonly fileName: string
  readonly type: string
  readonly bytes: Buffer
}

export interface UploadStream {
  readonly fileName: string
  readonly type: string
  /** Ends one byte above the limit, so that a file of exactly the limit differs from a larger one. */
  readonly stream: Readable
}

const reserve = openReserve(uploadLimits.heldBytes)

/** The parser throws plain errors for truncated forms and missing boundaries, which are the client's fault. */
const isFormError = (error: unknown): boolean =>
  error instanceof Error && /multipart|part header|terminated early|premature|unexpected end of (form|file)/i.test(error.message)

/** A client that disconnects breaks the form too; the connection's error may come first. */
const asRefusal = (error: unknown, { raw }: FastifyRequest) =>
  isFormError(error) || (error !== null && error === raw.errored) ? new RequestError('request.malformed') : error

/** Runs `read` under the limits of uploads. Throws `request.wrong_type`, `request.too_many`, `request.too_slow`, `request.malformed`. */
async function receive<T>(http: Http, call: UploadCall, read: (progress: Progress) => Promise<T>): Promise<T> {
  const { request, actor } = call
  if (!request.isMultipart()) throw new RequestError('request.wrong_type')
  const isAdmin = actor.role === 'Admin'
  const leave = await http.uploads(actor.id, isAdmin ? uploadLimits.perAdmin : uploadLimits.perAccount)
  const progress = watchUpload(request.raw, { ...uploadLimits, totalMs: isAdmin ? uploadLimits.adminMs : uploadLimits.userMs })
  try {
    return await read(progress)
  } catch (error) {
    throw asRefusal(error, request)
  } finally {
    progress.stop()
    leave()
  }
}

/** The bytes of a part; at the end, login and role are checked again. */
async function* guarded(http: Http, call: UploadCall, { broken }: Progress, file: Readable): AsyncGenerator<Buffer> {
  // A race of each chunk with `broken` would keep all of them in memory until the upload ends.
  broken.catch((error: Error) => file.destroy(error))
  try {
    for await (const chunk of file as AsyncIterable<Buffer>) yield chunk
  } catch (error) {
    throw asRefusal(error, call.request)
  } finally {
    // Not awaited: further bytes may never arrive.
    file.destroy()
  }
  await mustStillBeAllowed(http.gate, call.request)
}

/** Passes the file of the part `part` to `use` as a stream. Throws FileMissing. */
export function oneStream<T>(
  http: Http,
  call: UploadCall,
  { part, max }: { readonly part: string; readonly max: number },
  use: (file: UploadStream) => Promise<T>,
): Promise<T> {
  return receive(http, call, async (progress) => {
    const limits = { fileSize: max + 1, files: 1, fields: 16, fieldSize: 1024 }
    const found = await Promise.race([call.request.file({ limits }), progress.broken])
    if (!found || found.fieldname.toLowerCase() !== part) {
      found?.file.destroy()
      throw new FileMissing()
    }
    const stream = Readable.from(guarded(http, call, progress, found.file), { objectMode: false })
    return use({ fileName: found.filename, type: found.mimetype, stream })
  })
}

/** Passes the file of the part `part`, at most `max` bytes, to `use`. Throws FileMissing, FileEmpty, FileTooLarge. */
export function oneFile<T>(
  http: Http,
  call: UploadCall,
  { part, max }: { readonly part: string; readonly max: number },
  use: (file: Upload) => Promise<T>,
): Promise<T> {
  return oneStream(http, call, { part, max }, async ({ stream, ...named }) => {
    const reservation = reserve()
    try {
      const bytes = openBodyBuffer()
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        reservation.add(chunk.length)
        bytes.add(chunk)
      }
      if (bytes.size > max) throw new FileTooLarge({ max })
      if (bytes.size === 0) throw new FileEmpty()
      return await use({ ...named, bytes: Buffer.concat(bytes.pieces()) })
    } finally {
      reservation.free()
    }
  })
}

export type UploadedFiles = AsyncGenerator<{ fileName: string; stream: Readable }>

/** Passes each file of the parts `part` to `use` in order, as a stream of at most `max` bytes that must be read before the next. */
export function eachFile<T>(
  http: Http,
  call: UploadCall,
  { part, max }: { readonly part: string; readonly max: number },
  use: (files: UploadedFiles) => Promise<T>,
): Promise<T> {
  return receive(http, call, (progress) => use(filesOf(http, call, progress, { part, max })))
}

async function* filesOf(
  http: Http,
  call: UploadCall,
  progress: Progress,
  { part, max }: { readonly part: string; readonly max: number },
): UploadedFiles {
  const files = call.request.files({ limits: { fileSize: max, files: 1000, fields: 16, fieldSize: 1024 } })
  try {
    for (;;) {
      const { done, value } = await Promise.race([files.next(), progress.broken])
      if (done) return
      const stream = Readable.from(guarded(http, call, progress, value.file), { objectMode: false })
      if (value.fieldname.toLowerCase() === part) yield { fileName: value.filename, stream }
      else value.file.resume()
    }
  } catch (error) {
    throw asRefusal(error, call.request)
  }
}
