import { SubmitBusy } from '@vexil/core/rules'

/** The connection went away while an answer was under way. To the player: busy, repeat. */
export class RequestLost extends SubmitBusy {
  constructor(cause: unknown) {
    super({ retryAfter: 1 })
    this.cause = cause
  }
}
