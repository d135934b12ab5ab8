import { type ErrorBody, type ErrorCode, statusOf } from '@vexil/contract/errors'
import { fill, messagesOf } from '@vexil/contract/messages/messages'
import { RuleError } from '@vexil/core/rules'
import type { Language } from '@vexil/core/vocabulary'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { NoResultError } from 'kysely'
import { isConnectionLost } from '../db/connections.ts'
import { isRefusal } from '../db/database-refusals.ts'
import { countOne, counts } from '../metrics/counts.ts'
import { answerLanguage } from './language.ts'
import { callerIp } from './network.ts'
import { FieldInvalid, RequestError } from './request-errors.ts'

/** The title of a rule without values. */
export const titleOfCode = (code: ErrorCode, language: Language): string => fill(messagesOf[language].errors[code], undefined)

export function titleOf(error: RuleError, language: Language): string {
  const messages = messagesOf[language]
  if (error instanceof FieldInvalid) {
    const { field, limit } = error.data as { field: string; limit?: number }
    return fill(messages.errors['request.invalid'], { field, problem: fill(messages.problems[error.problem], { limit }) })
  }
  return fill(messages.errors[error.code as ErrorCode], (error.data ?? undefined) as object | undefined)
}

/** Status and body of an error; an error that is no rule becomes `server.unknown` without internal details. */
export function answerOf(
  error: unknown,
  language: Language,
  requestId: string,
): { http: number; body: ErrorBody; retryAfter?: number } {
  const known = error instanceof RuleError ? error : fromFramework(error)
  const { http, body = http } = statusOf[known.code as ErrorCode]
  const data = known.data as { retryAfter?: number } | undefined
  const answer: ErrorBody = {
    title: titleOf(known, language),
    status: body,
    code: known.code as ErrorCode,
    data: data ?? null,
    requestId,
  }
  return { http, body: answer, ...(data?.retryAfter !== undefined && { retryAfter: data.retryAfter }) }
}

function fromFramework(error: unknown): RuleError {
  const { code, statusCode } = error as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || statusCode === 413) return new RequestError('request.too_large')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || statusCode === 415) return new RequestError('request.wrong_type')
  if (statusCode === 414) return new RequestError('request.address_too_long')
  if (isConnectionLost(error) || isRefusal(error)) return new RequestError('server.unavailable', { retryAfter: 1 })
  // A referenced row was deleted concurrently.
  if (code === '23503' || error instanceof NoResultError) return new RequestError('request.not_found')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return new RequestError('request.malformed')
  return new RequestError('server.unknown')
}

export interface FaultRecord {
  /** Records a refusal of the database; returns whether it was one. */
  readonly refusal: (error: unknown) => boolean
  /** `route`: method and path template. */
  readonly fault: (fault: { readonly error: unknown; readonly route: string; readonly ip: string }) => void
}

/** Answers every error; records those that are no rule, except refusals of the database. */
export const answerErrors =
  (record: FaultRecord) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const language = answerLanguage(request, reply)
    const { http, body, retryAfter } = answerOf(error, language, request.id)
    countOne(counts.refusals, body.code ?? '')
    if (!record.refusal(error) && body.code === 'server.unknown') {
      const ip = callerIp(request)
      request.log.error({ ip, status: 'Failed', err: error }, 'fault')
      record.fault({ error, ip, route: `${request.method} ${request.routeOptions.url ?? ''}` })
    }
    if (retryAfter !== undefined) reply.header('retry-after', Math.ceil(retryAfter))
    return (
      reply
        .code(http)
        .type('application/json; charset=utf-8')
        .header('content-language', language.replace('_', '-'))
        // An error applies only to this caller and moment.
        .header('cache-control', 'no-store')
        .serializer(JSON.stringify)
        .send(body)
    )
  }
