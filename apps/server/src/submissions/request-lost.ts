import { SubmitBusy } from '@vexil/core/rules'

/** The connection was lost while an answer was in flight. Players see it as busy and repeat. */
export class RequestLost extends SubmitBusy {
  constructor(cause: unknown) {
    super({ retryAfter: 1 })
    this.cause = cause
  }
}
