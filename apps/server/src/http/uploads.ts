/** Files in multipart bodies. */
import '@fastify/multipart'
import { Readable } from 'node:stream'
import { FileEmpty, FileMissing, FileTooLarge } from '@vexil/core/rules'
import type { FastifyRequest } from 'fastify'
import { RequestFault } from './faults.ts'

export interface Upload {
  readonly fileName: string
  readonly type: string
  readonly bytes: Buffer
}

function mustBeMultipart(request: FastifyRequest): void {
  if (!request.isMultipart()) throw new RequestFault('request.wrong_type')
}

/** A form that ends too early or has no borders is the sender's fault, though its parser throws it as any error. */
export const isFormError = (error: unknown): boolean =>
  error instanceof Error && /multipart|part header|terminated early|unexpected end of (form|file)/i.test(error.message)

/** The same, with such an error as an answer. */
async function* told<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source
  } catch (error) {
    throw isFormError(error) ? new RequestFault('request.malformed') : error
  }
}
const streamOf = (file: Readable): Readable => Readable.from(told(file), { objectMode: false })

export interface UploadStream {
  readonly fileName: string
  readonly type: string
  /** Ends one byte after what may be, so that exactly as much as may be is told from too much. */
  readonly stream: Readable
}

/** The one file of the part `file` as it comes. Throws FileMissing. */
export async function oneStream(request: FastifyRequest, part: string, max: number): Promise<UploadStream> {
  mustBeMultipart(request)
  const found = await request.file({ limits: { fileSize: max + 1, files: 1, fields: 16, fieldSize: 1024 } })
  if (!found || found.fieldname.toLowerCase() !== part) throw new FileMissing()
  return { fileName: found.filename, type: found.mimetype, stream: streamOf(found.file) }
}

/** The one file of the part `file`, at most `max` bytes (inclusive). Throws FileMissing, FileEmpty, FileTooLarge. */
export async function oneFile(request: FastifyRequest, part: string, max: number): Promise<Upload> {
  const { stream, ...told } = await oneStream(request, part, max)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size <= max) chunks.push(chunk)
  }
  if (size > max) throw new FileTooLarge({ max })
  if (size === 0) throw new FileEmpty()
  return { ...told, bytes: Buffer.concat(chunks) }
}

/** Each file of the parts `part` in order, as a stream of at most `max` bytes that must be read before the next is asked for. */
export async function* eachFile(
  request: FastifyRequest,
  part: string,
  max: number,
): AsyncGenerator<{ fileName: string; stream: Readable }> {
  mustBeMultipart(request)
  for await (const found of told(request.files({ limits: { fileSize: max, files: 1000, fields: 16, fieldSize: 1024 } }))) {
    if (found.fieldname.toLowerCase() === part) yield { fileName: found.filename, stream: streamOf(found.file) }
    else found.file.resume()
  }
}
