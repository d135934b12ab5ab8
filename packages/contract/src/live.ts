/** What the live channel carries. Hubs, targets and their one argument. */
import type { GameEvent, GameNotice } from './games.ts'
import type { Submission } from './submissions.ts'

export interface LogMessage {
  readonly time: string
  readonly name: string | null
  readonly level: string | null
  readonly ip: string | null
  readonly msg: string | null
  readonly status: string | null
}

/** One solve as the board needs it; times in milliseconds since 1970, value is the score of the challenge after it. */
export type SolveColumns = [
  number: number,
  participationId: number,
  challengeId: number,
  userName: string | null,
  arrivedAt: number,
  shownAt: number,
  value: number,
]

/** All solves of a game that were drawn since the last message. `from` is the head before them, `to` the head after them. */
export interface BoardSolves {
  readonly gameId: number
  readonly epoch: number
  readonly from: number
  readonly to: number
  readonly solves: readonly Readonly<SolveColumns>[]
}

/** Something reshaped the board: load the feed again (spread over some seconds), unless this version is already held. */
export interface BoardChanged {
  readonly gameId: number
  readonly epoch: number
  readonly head: number
  readonly roster: number
  /** Load it at a random moment within this time, so that not everybody comes at once. */
  readonly withinMs: number
}

/**
 * What changed in the names on the board up to `roster`: new and changed teams, rows as in the feed, and the names of solvers step by step.
 * A client with the roster that a step begins with applies the steps from there; a client with another roster loads the feed again.
 */
export interface BoardRoster {
  readonly gameId: number
  readonly epoch: number
  readonly roster: number
  readonly steps: readonly {
    readonly from: number
    /** Shown name to new name, null for an account that was deleted. */
    readonly solvers: readonly (readonly [shown: string, name: string | null])[]
  }[]
  readonly teams: readonly {
    id: number
    participationId: number
    name: string
    bio: string | null
    avatar: string | null
    division: string | null
  }[]
}

/** The game, its challenges or the caller's participation changed: fetch again what is shown of it. */
export interface GameChanged {
  readonly gameId: number
  readonly what: 'game' | 'challenges' | 'participations' | 'notices'
}

/** An instance of the listener's own team began, was extended or ended. Sent to its members alone. */
interface InstancesChanged {
  readonly gameId: number
  readonly challengeId: number
}

interface SettingsChanged {
  readonly at: number
}

/** Hub path to the targets it sends. Names that begin with `Vexil` are ours; other clients ignore them. */
export interface Hubs {
  '/hub/user': {
    ReceivedGameNotice: GameNotice
    VexilSolves: BoardSolves
    VexilBoard: BoardChanged
    VexilRoster: BoardRoster
    VexilGame: GameChanged
    VexilInstances: InstancesChanged
    VexilSettings: SettingsChanged
  }
  /** Ours: for pages outside a game, open to all. */
  '/hub/site': {
    VexilSettings: SettingsChanged
  }
  '/hub/monitor': {
    ReceivedGameEvent: GameEvent
    ReceivedSubmissions: Submission
  }
  '/hub/admin': {
    ReceivedLog: LogMessage
  }
}

export type HubPath = keyof Hubs

/** What each hub sends, by name. A target that is left out does not compile. */
export const hubTargets: { readonly [H in HubPath]: Readonly<Record<keyof Hubs[H], true>> } = {
  '/hub/user': {
    ReceivedGameNotice: true,
    VexilSolves: true,
    VexilBoard: true,
    VexilRoster: true,
    VexilGame: true,
    VexilInstances: true,
    VexilSettings: true,
  },
  '/hub/site': { VexilSettings: true },
  '/hub/monitor': { ReceivedGameEvent: true, ReceivedSubmissions: true },
  '/hub/admin': { ReceivedLog: true },
}
