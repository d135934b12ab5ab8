/** All constants of the business rules. Lengths count UTF-16 code units; durations are milliseconds unless the name states another unit. */

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
  /** Users per batch; GZ::CTF has no such limit. */
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

/** Defaults of a new game. 0 members or containers: no limit. */
export const gameDefaults = { memberLimit: 0, containerLimit: 3, practiceMode: true } as const

export const challengeLimits = {
  titleMax: 200,
  hintMax: 10_000,
  hintsMax: 100,
  fileNameMax: 128,
  imageNameMax: 512,
  runtimeMax: 128,
  urlMax: 2048,
  /** Above 2^24 the single-precision arithmetic of bloods is inexact. */
  originalScoreMax: 2 ** 24,
  cpuMin: 1,
  cpuMax: 1024,
  memoryMin: 32,
  memoryMax: 1_048_576,
  storageMin: 128,
  storageMax: 1_048_576,
  portMin: 1,
  portMax: 65_535,
  /** Seconds; 0: the service is not checked. */
  readyTimeoutMax: 300,
  readyTextMax: 200,
  /** Containers in addition to the first one, and ports in addition to the first one. */
  additionalMax: 4,
  namedPortsMax: 4,
  /** Length of the name of a container or a port, which is a DNS label. */
  partNameMax: 20,
  variablesMax: 32,
  variableNameMax: 64,
  variableMax: 1_024,
} as const

/** Defaults of a new challenge. CPU in units of 0.1 core, memory and storage in MB. */
export const challengeDefaults = {
  originalScore: 1000,
  minScoreRate: 0.25,
  difficulty: 5,
  cpuCount: 1,
  memoryLimit: 64,
  storageLimit: 256,
  port: 80,
  readyTimeout: 120,
  fileName: 'attachment',
} as const

/** Time for which a team sees why its last start failed. */
export const startFailureShown = 600_000
/** A start answers existing clients within this time, whether or not the service answers; ms. */
export const startAnswersWithin = 25_000

export const flagLimits = {
  flagMax: 127,
  templateMax: 120,
  /** Minimum random bits of a template without placeholder. */
  entropyMin: 32,
  /** Rows per call; GZ::CTF has no such limit. */
  rowsMax: 20_000,
  /** Administrators are warned below this share of unassigned dynamic files. */
  fewLeft: 0.1,
  filesPerTeam: 2,
} as const

export const postLimits = { titleMax: 50, summaryMax: 10_000, tagMax: 64, tagsMax: 50, idLength: 8, latest: 20 } as const

/** Content texts (Markdown); GZ::CTF has no such limits. */
export const textLimits = { markdownMax: 200_000, noticeMax: 20_000, footerMax: 20_000, searchMax: 256 } as const

export const siteLimits = { titleMax: 100, sloganMax: 200, descriptionMax: 2000, domainListMax: 4000 } as const

export const mailServerLimits = { hostMax: 253, userMax: 256, passwordMax: 1024, senderNameMax: 100 } as const
export const captchaLimits = { siteKeyMax: 256, secretMax: 512 } as const

export const fileLimits = {
  /** Uses of a file in the list of all files. */
  usesMax: 5,
  imageBytes: 3 * 1024 * 1024,
  writeupBytes: 20 * 1024 * 1024,
  hashLength: 64,
  nameMax: 255,
  avatarPixels: 300,
} as const

/** Connections and messages of the hubs; GZ::CTF has no such limits. Visitors are counted by address, signed-in users by account. */
export const hubLimits = {
  perAccount: 32,
  /** Visitors behind one address, such as a hall of spectators. */
  perAddress: 256,
  /** Connections without a handshake, included in the limits above. */
  pendingHandshakesPerAccount: 8,
  pendingHandshakesPerAddress: 64,
  handshakeWithin: 15 * second,
  tokenLife: 15 * second,
  pingEvery: 15 * second,
  /** A listener that sends nothing for this time counts as disconnected. */
  silentFor: 30 * second,
  messageBytes: 32_768,
  /** From the first to the last byte of a message. */
  messageWithin: 10 * second,
  /** Queued bytes per listener; slower listeners are disconnected and reconnect. */
  waitingBytes: 65_536,
  /** Messages and frames per listener in `framesPeriod`; clients send a ping every 15 s, some bots one message for each of ours. */
  framesMost: 300,
  framesPeriod: 10 * second,
  invocationIdMax: 128,
} as const

export const tunnelLimits = {
  /** To one container, across all nodes. */
  perContainer: 64,
  dialWithin: 5 * second,
  /** Maximum message of a client. */
  messageBytes: 1_048_576,
  /**
   * Buffered bytes of clients: unfinished messages, and messages that their container has not taken. While the clients of a container hold more
   * than `together` in this process, those above `each` are disconnected. Frames of 64 KB, such as the forwarders', are below both.
   * While all clients of this process hold more than `all`, those above `eachOfAll` are disconnected.
   */
  heldBytes: { each: 131_072, together: 16_777_216, eachOfAll: 16_384, all: 134_217_728 },
  /** From the first to the last byte of a client's message, while its connection is read. */
  messageWithin: 30 * second,
  /** Maximum frame to a client, as clients of the proxy of GZ::CTF expect. */
  frameBytes: 4096,
  /** Bytes queued for a slow client at which reading from the container pauses. */
  waitingBytes: 65_536,
  pingEvery: 30 * second,
  /** Time for a container to finish after its client has left. */
  lingers: 30 * second,
  /** A node renews the leases of its connections every third of this time. */
  lease: 60 * second,
  /** Lifetime of a cached container id, known or unknown. */
  knownFor: 10 * second,
} as const

export const tlsEntryLimits = {
  /** TLS handshakes under way, per process; later connections are closed. */
  handshakes: 512,
  handshakeWithin: 10 * second,
  /** Lookups of names at the same time, and waiting. */
  lookups: 4,
  waiting: 64,
  /** How often the certificate files are checked for changes. */
  certificateEvery: 10 * second,
} as const

export const tryLimits = {
  startsWithin: 5 * second,
  greetsWithin: 1 * second,
  answersWithin: 3 * second,
  /** Bytes of the response that are read. */
  responseMax: 300,
  lines: 40,
} as const

export const logLimits = { levelMax: 15, loggerMax: 250, statusMax: 10, userNameMax: 15, ipMax: 40 } as const

/** Limits of JSON bodies. Bodies above either `beside` figure are parsed and validated outside the main thread. `values` counts commas, lists and objects. */
export const bodyLimits = {
  small: { bytes: 256 * 1024, ms: 15 * second },
  large: { bytes: 30_000_000, ms: 60 * second },
  depth: 64,
  values: 1_000_000,
  besideBytes: 1024 * 1024,
  besideValues: 50_000,
} as const

/** Concurrent uploads: `perAccount`, for administrators `perAdmin`. After `grace`, at least `leastBytes` are required in each further `grace`. */
export const uploadLimits = {
  perAccount: 2,
  perAdmin: 4,
  grace: 10 * second,
  leastBytes: 80 * 1024,
  userMs: 2 * minute,
  adminMs: 10 * minute,
  /** Buffered bytes of pictures, over all accounts. */
  heldBytes: 128 * 1024 * 1024,
} as const

/** Minimum time between two operations of players on one instance. */
export const containerPause = 10 * second
/** Time from the end of a game without practice mode to the end of its instances. */
export const graceAfterGame = 10 * minute
/** Minutes. */
export const testContainerLife = 120
/** Time limits of calls to the engine. */
export const engineWithin = { state: 5 * second, image: 15 * second, isolation: 20 * second, isolationAnswer: second }
/** The hourly isolation probe is left out when another ended within this time. */
export const isolationPause = 30 * minute
export const checkLimits = {
  /** Minutes between two checks. */
  minutesMin: 5,
  minutesMax: 1440,
  /** Time within which the program must print the flag. */
  within: 120 * second,
  /** Pause between two reads of its output. */
  pollInterval: second,
  /** A node renews the lease of a check every third of this time. */
  lease: 30 * second,
  /** Minutes after which the instance of a check ends in any case. */
  instanceLife: 4,
  /** Failures one after the other that mark a challenge. */
  failures: 2,
  /** Results of a challenge that are kept. */
  kept: 200,
  /** UTF-16 units of the output that are kept, its last ones. */
  outputMax: 16_384,
  lines: 500,
  cpuCount: 5,
  memoryLimit: 256,
  storageLimit: 256,
} as const
/** A node renews the lease of a starting container every third of this time. */
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

/** Polling interval of screens without the live channel. */
export const refreshInterval = 10 * second

/** Milliseconds after which a change of the settings is announced again, for pages that opened their channel after the first message. */
export const settingsRepeatAfter = 20_000
export const statusPollInterval = 500

export const sessionLimits = {
  life: 7 * 24 * hour,
  /** A session with less remaining time is renewed. */
  renewBelow: 3.5 * 24 * hour,
  lastVisitInterval: 5 * second,
  mailTokenLife: 3 * hour,
} as const

/** Packed 50, 30 and 10 per mille: 5 %, 3 %, 1 % (scoring.ts). */
export const defaultBloodBonus = 52_459_530

export const timeLineTeams = 10

/** Answers queued per game and node; above it, players are asked to repeat. */
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
 * Keyed by user, otherwise by address. The three login limits, which GZ::CTF does not have, count wrong passwords only (decisions 0010 and 0034).
 * `login`: one account from one address, or on one known device. Ten cover a person who tries several passwords of their own, then one every
 * six seconds: 14,400 a day, too few for any password that is not on a short list.
 * `loginFrom`: one address and all accounts. A hall of 2,000 people behind it types a few hundred wrong ones in the first minute. Does not apply
 * to networks that the operator configures as halls.
 * `loginTo`: one account from any address. It refuses no request; above it, unknown devices lose their place in the queue sooner.
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

/** Hashing uses the four threads that downloads also need: at most three, and one fewer than the cores. `waitingMost` at some 30 ms each means at most 8 s on one core. */
export const hashing = { atOnceMost: 3, waitingMost: 256, failureWeight: 4, attackedWeight: 16 } as const

/** Time for which a browser that has signed in is known, so that wrong guesses of others never lock out its owner. */
export const knownDeviceLife = 180 * 24 * hour

/** Mails per hour that strangers can cause for one recipient: enough to replace a lost one, too few for flooding. */
export const mailsAnHour = 3

/** `size`: rows if the caller names no count; `max`: larger counts are reduced to it. */
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
  /** Distinct answers of a team to one challenge. */
  tries: { size: 500, max: 500 },
  search: { size: 30, max: 10_000 },
} as const
