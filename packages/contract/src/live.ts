import type { StartProgress } from './challenges.ts'
import type { GameEvent, GameNotice } from './games.ts'
import type { Submission } from './submissions.ts'

export interface LogMessage {
  readonly time: string
  readonly name: string | null
  readonly level: string | null
  readonly ip: string | null
  readonly msg: string | null
  readonly status: string | null
  /** Id of the request that wrote it; null for background work. */
  readonly requestId: string | null
}

/** One solve for the board; times in milliseconds since 1970, `value`: score of the challenge after it. */
export type SolveColumns = [
  number: number,
  participationId: number,
  challengeId: number,
  userName: string | null,
  arrivedAt: number,
  shownAt: number,
  value: number,
]

/** All solves of a game since the last message. `from`: head before them, `to`: head after them. */
export interface BoardSolves {
  readonly gameId: number
  readonly epoch: number
  readonly from: number
  readonly to: number
  readonly solves: readonly Readonly<SolveColumns>[]
}

/** The board changed as a whole: clients load the feed again, unless they have this version. */
export interface BoardChanged {
  readonly gameId: number
  readonly epoch: number
  readonly head: number
  readonly roster: number
  /** Clients load the feed at a random time within this duration (ms), to spread the load. */
  readonly withinMs: number
}

/** Names on the board up to `roster`: changed teams, and renamed solvers in steps. A client whose roster is not the start of a step loads the feed again. */
export interface BoardRoster {
  readonly gameId: number
  readonly epoch: number
  readonly roster: number
  readonly steps: readonly {
    readonly from: number
    /** Displayed name to new name, null for a deleted account. */
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

/**
 * The game, its challenges or participations changed: clients fetch the displayed data again. A change of a participation is sent to its team at once,
 * to other listeners at most every ten seconds.
 */
export interface GameChanged {
  readonly gameId: number
  readonly what: 'game' | 'challenges' | 'participations' | 'notices'
}

/** An instance of the listener's team started, ended or was extended. Sent to its members only. */
interface InstancesChanged {
  readonly gameId: number
  readonly challengeId: number
}

/** The start of an instance of the listener's team made progress or failed. Sent to its members only, at most once a second for each. */
interface StartChanged {
  readonly gameId: number
  readonly challengeId: number
  /** null: none is under way. */
  readonly start: StartProgress | null
  /** The code of the refusal of a start that has just failed. */
  readonly failure: string | null
}

interface SettingsChanged {
  /** When they changed, ms since 1970; the message is sent a second time 20 s later. */
  readonly at: number
}

/** Targets by hub path. Names that begin with `Vexil` are ours; other clients ignore them. */
export interface Hubs {
  '/hub/user': {
    ReceivedGameNotice: GameNotice
    VexilSolves: BoardSolves
    VexilBoard: BoardChanged
    VexilRoster: BoardRoster
    VexilGame: GameChanged
    VexilInstances: InstancesChanged
    VexilStart: StartChanged
    VexilSettings: SettingsChanged
  }
  /** Ours: for pages outside a game, public. */
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

/** Targets of each hub at run time. A missing target does not compile. */
export const hubTargets: { readonly [H in HubPath]: Readonly<Record<keyof Hubs[H], true>> } = {
  '/hub/user': {
    ReceivedGameNotice: true,
    VexilSolves: true,
    VexilBoard: true,
    VexilRoster: true,
    VexilGame: true,
    VexilInstances: true,
    VexilStart: true,
    VexilSettings: true,
  },
  '/hub/site': { VexilSettings: true },
  '/hub/monitor': { ReceivedGameEvent: true, ReceivedSubmissions: true },
  '/hub/admin': { ReceivedLog: true },
}
