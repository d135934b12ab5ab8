/** Every business constant. Lengths count UTF-16 code units, durations are milliseconds unless the name says otherwise. */

const second = 1000
const minute = 60 * second
const hour = 60 * minute

export const accountLimits = {
  passwordMin: 6,
  passwordMax: 256,
  userNameMin: 3,
  userNameMax: 15,
  emailMax: 254,
  bioMax: 128,
  realNameMax: 128,
  studentNumberMax: 64,
  phoneMax: 32,
  generatedPasswordLength: 16,
  /** Users in one batch; ours. */
  batchMax: 1000,
} as const

export const teamLimits = { nameMin: 1, nameMax: 20, bioMax: 72, inviteSecretLength: 32, ownedTeams: 1 } as const

export const gameLimits = {
  titleMax: 200,
  summaryMax: 1000,
  inviteCodeMax: 32,
  divisionMax: 64,
  divisionsMax: 200,
  keyMax: 63,
} as const

/** A new game. 0 members or containers mean no limit. */
export const gameDefaults = { memberLimit: 0, containerLimit: 3, practiceMode: true } as const

export const challengeLimits = {
  titleMax: 200,
  hintMax: 10_000,
  hintsMax: 100,
  fileNameMax: 128,
  imageNameMax: 512,
  urlMax: 2048,
  /** Above 2^24 the single-precision arithmetic of the bloods is inexact. */
  originalScoreMax: 2 ** 24,
  cpuMin: 1,
  cpuMax: 1024,
  memoryMin: 32,
  memoryMax: 1_048_576,
  storageMin: 128,
  storageMax: 1_048_576,
  portMin: 1,
  portMax: 65_535,
} as const

/** A new challenge. CPU in units of 0.1 core, memory and storage in MB. */
export const challengeDefaults = {
  originalScore: 1000,
  minScoreRate: 0.25,
  difficulty: 5,
  cpuCount: 1,
  memoryLimit: 64,
  storageLimit: 256,
  port: 80,
  fileName: 'attachment',
} as const

export const flagLimits = {
  flagMax: 127,
  templateMax: 120,
  /** Random bits that a template without placeholder must have at least. */
  entropyMin: 32,
  /** Rows in one call; ours. */
  rowsMax: 20_000,
  /** Share of unoccupied dynamic files below which the administrator is warned. */
  fewLeft: 0.1,
  /** Dynamic files recommended for each expected team. */
  filesPerTeam: 2,
} as const

export const postLimits = { titleMax: 50, summaryMax: 10_000, tagMax: 64, tagsMax: 50, idLength: 8, latest: 20 } as const

/** Content texts (Markdown); ours. */
export const textLimits = { markdownMax: 200_000, noticeMax: 20_000, footerMax: 20_000, searchMax: 256 } as const

export const siteLimits = { titleMax: 100, sloganMax: 200, descriptionMax: 2000, domainListMax: 4000 } as const

export const fileLimits = {
  imageBytes: 3 * 1024 * 1024,
  writeupBytes: 20 * 1024 * 1024,
  hashLength: 64,
  nameMax: 255,
  avatarPixels: 300,
} as const

/** Connections and messages of the hubs; ours. Visitors are counted by address, who is signed in by account. */
export const hubLimits = {
  /** Browser tabs and tools of one person. */
  perAccount: 32,
  /** Visitors behind one address: a hall of spectators. */
  perAddress: 256,
  /** Of those, connections without a handshake yet. */
  pendingHandshakesPerAccount: 8,
  pendingHandshakesPerAddress: 64,
  handshakeWithin: 15 * second,
  tokenLife: 15 * second,
  pingEvery: 15 * second,
  /** Silence after which a listener counts as disconnected. */
  silentFor: 30 * second,
  messageBytes: 32_768,
  /** From the first byte of a message to its last. */
  messageWithin: 10 * second,
  /** Bytes that may wait for one listener; a slower one is dropped and comes again. */
  waitingBytes: 65_536,
  /** Messages and frames of one listener in `ratePeriod`; clients send a ping every 15 s, some bots one message for each of ours. */
  framesMost: 300,
  framesPeriod: 10 * second,
  invocationIdMax: 128,
} as const

/** Connections to containers through the platform proxy. */
export const tunnelLimits = {
  /** To one container, over all nodes. */
  perContainer: 64,
  dialWithin: 5 * second,
  /** Of a message from a client. */
  messageBytes: 1_048_576,
  /**
   * Of unfinished messages of clients, and of messages that their container has not taken: who holds more than `each` is cut off while the
   * clients of this container hold more than `together` in this process. Frames of 64 KB, such as the forwarders', stay below both.
   * While all clients of this process hold more than `all`, who holds more than `eachOfAll` is cut off.
   */
  heldBytes: { each: 131_072, together: 16_777_216, eachOfAll: 16_384, all: 134_217_728 },
  /** From the first byte of a message of a client to its last, while its connection is read. */
  messageWithin: 30 * second,
  /** Of a message to a client, as clients of this proxy know it. */
  frameBytes: 4096,
  /** What waits for a slow client before the container is not read any more. */
  waitingBytes: 65_536,
  pingEvery: 30 * second,
  /** After the client has gone its container may finish what it does. */
  lingers: 30 * second,
  /** A node says every third of this time which of its connections are open. */
  lease: 60 * second,
  /** For so long an id is known to lead somewhere or nowhere. */
  knownFor: 10 * second,
} as const

/** How a test container is tried. */
export const tryLimits = {
  /** Until it listens. */
  startsWithin: 5 * second,
  greetsWithin: 1 * second,
  answersWithin: 3 * second,
  /** Bytes of the answer that are looked at. */
  saidMax: 300,
  /** The last ones of what it printed. */
  lines: 40,
} as const

export const logLimits = { levelMax: 15, loggerMax: 250, statusMax: 10, userNameMax: 15, ipMax: 40 } as const

/**
 * Bodies of JSON. `large` is for lists of flags, batches of users and long texts. What is above one of the two `beside` figures is parsed
 * and checked beside the main thread. `values` counts commas, lists and objects.
 */
export const bodyLimits = {
  small: { bytes: 256 * 1024, ms: 15 * second },
  large: { bytes: 30_000_000, ms: 60 * second },
  depth: 64,
  values: 1_000_000,
  besideBytes: 1024 * 1024,
  besideValues: 50_000,
} as const

/** `perAccount` uploads at once, of administrators `perAdmin`; after `grace` at least `leastBytes` in each further `grace`. */
export const uploadLimits = {
  perAccount: 2,
  perAdmin: 4,
  grace: 10 * second,
  leastBytes: 80 * 1024,
  userMs: 2 * minute,
  adminMs: 10 * minute,
  /** Of pictures that are being read, over all accounts. */
  heldBytes: 128 * 1024 * 1024,
} as const

/** Between two operations of players on one instance. */
export const containerPause = 10 * second
/** Without practice mode instances end this long after their game. */
export const graceAfterGame = 10 * minute
/** Of a test container, in minutes. */
export const testContainerLife = 120
/** An engine that hangs must not hang what asks for it. */
export const engineWithin = { state: 5 * second, image: 15 * second }
/** A node that starts a container says every third of this time that it still does. */
export const containerLease = 30 * second

/** Minutes. */
export const containerLife = {
  defaultLifetime: 120,
  extensionDuration: 120,
  renewalWindow: 10,
  lifetimeMin: 1,
  lifetimeMax: 7200,
  renewalWindowMin: 1,
  renewalWindowMax: 360,
} as const

export const defaultSiteTitle = 'GZ'
export const themeColour = /^#[0-9a-fA-F]{6}$/

/** How often screens ask again without the live channel. */
export const refreshInterval = 10 * second
/** How often a player's screen asks for the status of an answer. */
export const statusPollInterval = 500

export const sessionLimits = {
  life: 7 * 24 * hour,
  /** A session is renewed once less than this is left. */
  renewBelow: 3.5 * 24 * hour,
  lastVisitInterval: 5 * second,
  mailTokenLife: 3 * hour,
} as const

/** Packed 50, 30 and 10 per mille: 5 %, 3 %, 1 % (scoring.ts). */
export const defaultBloodBonus = 52_459_530

/** Teams in a time line, overall and per division. */
export const timeLineTeams = 10

/** Answers waiting to be stored per game and node; beyond it the player is asked to repeat. */
export const submitQueue = { waitingMax: 2000, batchMax: 256 } as const

export type RateLimit =
  | {
      readonly kind: 'sliding window'
      readonly permits: number
      readonly window: number
      readonly segments: number
      readonly queue: number
    }
  | { readonly kind: 'fixed window'; readonly permits: number; readonly window: number }
  | { readonly kind: 'token bucket'; readonly size: number; readonly refill: number; readonly every: number }
  | { readonly kind: 'one at a time'; readonly queue: number }

/**
 * Keyed by user, else by address. The three of the login are ours and count wrong passwords only (decisions 0010 and 0034):
 * `login` for one account from one address, or on one device that signed in before. Ten cover a person who tries the passwords
 * that he has, then one every six seconds: 14,400 a day, too few for any password that is not on a short list.
 * `loginFrom` for one address and all accounts: a hall of 2,000 people behind it types a few hundred wrong ones in the first minute. Networks
 * that an operator names as halls do not have this limit.
 * `loginTo` for one account from any address. It refuses no request; above it, unknown devices lose their place in the queue sooner.
 */
export const rateLimits = {
  global: { kind: 'sliding window', permits: 150, window: minute, segments: 6, queue: 60 },
  register: { kind: 'fixed window', permits: 20, window: 150 * second },
  login: { kind: 'token bucket', size: 10, refill: 5, every: 30 * second },
  loginFrom: { kind: 'token bucket', size: 500, refill: 250, every: 30 * second },
  loginTo: { kind: 'token bucket', size: 50, refill: 25, every: 30 * second },
  team: { kind: 'one at a time', queue: 20 },
  container: { kind: 'token bucket', size: 120, refill: 30, every: 10 * second },
  submit: { kind: 'token bucket', size: 100, refill: 50, every: 5 * second },
} as const satisfies Record<string, RateLimit>
export type RateLimitName = keyof typeof rateLimits

/**
 * Passwords are hashed by threads that downloads need too: all but one of the cores, and at most three, since there are four
 * threads whatever the number of cores. `waitingMost` at some 30 ms each is the longest that anybody waits on one core, 8 s.
 */
export const hashing = { atOnceMost: 3, waitingMost: 256, failureWeight: 4, attackedWeight: 16 } as const

/** How long a browser that signed in is known as such, so that wrong guesses of others never keep its owner out. */
export const knownDeviceLife = 180 * 24 * hour

/** Mails that strangers can have sent to one recipient in an hour: enough for one that is lost, too few to flood anybody. */
export const mailsAnHour = 3

/** `size`: rows when the caller names no count; `max`: larger counts are cut to it. */
export const pages = {
  games: { size: 50, max: 100 },
  editGames: { size: 50, max: 10_000 },
  users: { size: 100, max: 10_000 },
  teams: { size: 100, max: 10_000 },
  logs: { size: 50, max: 10_000 },
  files: { size: 50, max: 10_000 },
  instances: { size: 50, max: 10_000 },
  notices: { size: 100, max: 10_000 },
  events: { size: 100, max: 10_000 },
  submissions: { size: 100, max: 100_000 },
  mails: { size: 50, max: 1000 },
  /** A team's own answers to one challenge, each once. */
  tries: { size: 500, max: 500 },
  search: { size: 30, max: 10_000 },
} as const
