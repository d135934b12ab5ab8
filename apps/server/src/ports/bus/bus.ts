/** Hints between rooms and nodes: ids only, combined, sent after the commit. A lost hint only delays an update. */

/** Names and fields of the events. Listeners read the facts from the database. */
export interface Events {
  /** Times, texts or settings of a game changed, or it was deleted. */
  'game.changed': { readonly gameId: number }
  'challenge.changed': { readonly gameId: number; readonly challengeId: number }
  'team.changed': { readonly teamId: number }
  /** `leaverId`: the account whose registration ended. */
  'participation.changed': { readonly gameId: number; readonly participationId: number; readonly leaverId?: string }
  'submission.judged': { readonly gameId: number; readonly submissionId: number; readonly solve: number | null }
  'notice.added': { readonly gameId: number; readonly noticeId: number }
  'notice.changed': { readonly gameId: number }
  'event.recorded': { readonly gameId: number; readonly eventId: number }
  /** A container began or ended; null for a test container. */
  'instance.changed': { readonly gameId: number; readonly challengeId: number; readonly participationId: number | null }
  /** The start of a team's container made progress or failed. */
  'start.changed': { readonly gameId: number; readonly challengeId: number; readonly participationId: number }
  'log.written': { readonly from: number; readonly to: number }
  'settings.changed': Record<string, never>
  /** A session ended, or a role or a password changed: rights must be checked again. */
  'security.changed': Record<string, never>
}
export type EventName = keyof Events
export type Listener<N extends EventName> = (event: Events[N]) => void

export interface Bus {
  /** Publishes to all nodes, this one included. Returns at once. */
  publish<N extends EventName>(name: N, event: Events[N]): void
  /** Returns the function that unsubscribes. An error of a listener is reported and does not affect the others. */
  subscribe<N extends EventName>(name: N, listener: Listener<N>): () => void
  /** The listener is called when events of other nodes may have been lost. It must not throw. */
  onLoss(listener: () => void): void
  close(): Promise<void>
}
