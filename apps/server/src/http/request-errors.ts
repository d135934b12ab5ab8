/** What can be wrong with a request before any rule of the game is asked. */
import type { requestCodes } from '@vexil/contract/errors'
import type { Problem } from '@vexil/contract/messages/text'
import { RuleError } from '@vexil/core/rules'

type RequestCode = (typeof requestCodes)[number]

/** A fault with one of the request codes. `data` fills the text. */
export class RequestError extends RuleError<RequestCode, object | undefined> {
  constructor(code: RequestCode, data?: object) {
    super(code, data)
  }
}

/** One field that does not fit its schema. `limit` is the bound it broke, where there is one. */
export class FieldInvalid extends RequestError {
  readonly problem: Problem
  constructor(field: string, problem: Problem, limit?: number | string) {
    super('request.invalid', { field, problem, limit })
    this.problem = problem
  }
}
