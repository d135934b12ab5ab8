import type { requestCodes } from '@vexil/contract/errors'
import type { Problem } from '@vexil/contract/messages/text'
import { RuleError } from '@vexil/core/rules'

type RequestCode = (typeof requestCodes)[number]

/** An error with a request code. `data` fills the text. */
export class RequestError extends RuleError<RequestCode, object | undefined> {
  constructor(code: RequestCode, data?: object) {
    super(code, data)
  }
}

/** A field that does not match its schema. `limit` is the violated bound, if any. */
export class FieldInvalid extends RequestError {
  readonly problem: Problem
  constructor(field: string, problem: Problem, limit?: number | string) {
    super('request.invalid', { field, problem, limit })
    this.problem = problem
  }
}
