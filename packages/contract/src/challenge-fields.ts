/** Fields of a challenge with one name in responses, edits and the form. A new one is a row here, a column, a description and an input. */
import { challengeLimits, checkLimits, textLimits } from '@vexil/core/limits'
import {
  type ChallengeType,
  containerNetworks,
  containerProfiles,
  hasAttachmentPerFlag,
  hasContainer,
} from '@vexil/core/vocabulary'

interface Field {
  readonly column: string
  /** `line`: a text without surrounding blanks, required if the challenge uses the field. */
  readonly kind: 'text' | 'line' | 'whole' | 'number' | 'flag' | 'choice'
  /** Minimum; with `above` it is exclusive. */
  readonly min?: number
  readonly above?: true
  /** Maximum of a number, or UTF-16 units of a text. */
  readonly max?: number
  readonly words?: readonly string[]
  /** A pattern for the whole text. */
  readonly pattern?: RegExp
  /** Types of challenges that use the field; absent: all. */
  readonly usedBy?: (type: ChallengeType) => boolean
  /** Nullable in the API description, as in GZ::CTF 0.24; responses always have a value. */
  readonly nullable?: true
  /** Not in GZ::CTF 0.24. */
  readonly addition?: true
}

const { originalScoreMax, portMin, portMax, cpuMin, cpuMax, memoryMin, memoryMax, storageMin, storageMax } = challengeLimits
const { readyTimeoutMax, readyTextMax } = challengeLimits
const { runtimeMax } = challengeLimits
/** One word, or none. */
const imagePattern = /^\S*$/
/** Names of runtime classes (DNS names) and of Docker's runtimes; empty for none. */
const runtimePattern = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*)?$/
const ofContainers = { usedBy: hasContainer, nullable: true } as const

export const challengeFields = {
  content: { column: 'content', kind: 'text', max: textLimits.markdownMax },
  fileName: { column: 'fileName', kind: 'line', max: challengeLimits.fileNameMax, usedBy: hasAttachmentPerFlag, nullable: true },
  originalScore: { column: 'originalScore', kind: 'whole', min: 0, max: originalScoreMax },
  difficulty: { column: 'difficulty', kind: 'number', min: 0, above: true, max: 1e9 },
  minScoreRate: { column: 'minScoreRate', kind: 'number', min: 0, max: 1 },
  containerImage: { column: 'containerImage', kind: 'line', max: challengeLimits.imageNameMax, ...ofContainers },
  containerExposePort: { column: 'exposePort', kind: 'whole', min: portMin, max: portMax, ...ofContainers },
  cpuCount: { column: 'cpuCount', kind: 'whole', min: cpuMin, max: cpuMax, ...ofContainers },
  memoryLimit: { column: 'memoryLimit', kind: 'whole', min: memoryMin, max: memoryMax, ...ofContainers },
  storageLimit: { column: 'storageLimit', kind: 'whole', min: storageMin, max: storageMax, ...ofContainers },
  containerNetwork: { column: 'network', kind: 'choice', words: containerNetworks, usedBy: hasContainer, addition: true },
  readyTimeout: { column: 'readyTimeout', kind: 'whole', min: 0, max: readyTimeoutMax, usedBy: hasContainer, addition: true },
  readyText: { column: 'readyText', kind: 'text', max: readyTextMax, usedBy: hasContainer, addition: true },
  profile: { column: 'profile', kind: 'choice', words: containerProfiles, usedBy: hasContainer, addition: true },
  runtime: { column: 'runtime', kind: 'text', max: runtimeMax, pattern: runtimePattern, usedBy: hasContainer, addition: true },
  checkImage: {
    column: 'checkImage',
    kind: 'text',
    max: challengeLimits.imageNameMax,
    pattern: imagePattern,
    usedBy: hasContainer,
    addition: true,
  },
  checkMinutes: {
    column: 'checkMinutes',
    kind: 'whole',
    min: 0,
    max: checkLimits.minutesMax,
    usedBy: hasContainer,
    addition: true,
  },
  enableTrafficCapture: { column: 'captureTraffic', kind: 'flag', usedBy: hasContainer },
} as const satisfies Record<string, Field>

type Fields = typeof challengeFields
export type ChallengeField = keyof Fields

type Value<F> = F extends { kind: 'text' | 'line' }
  ? string
  : F extends { kind: 'whole' | 'number' }
    ? number
    : F extends { kind: 'choice'; words: readonly (infer W)[] }
      ? W
      : boolean
export type ChallengeFieldValues = { [F in ChallengeField]: Value<Fields[F]> }
export type ChallengeFieldOf<K extends Field['kind']> = {
  [F in ChallengeField]: Fields[F]['kind'] extends K ? F : never
}[ChallengeField]

export const challengeFieldNames = Object.keys(challengeFields) as readonly ChallengeField[]

export const challengeField = (name: ChallengeField): Field => challengeFields[name]

/** An object with one value per field, of the caller's type `T`. */
export const eachChallengeField = <T>(of: (name: ChallengeField, field: Field) => unknown): T =>
  Object.fromEntries(challengeFieldNames.map((name) => [name, of(name, challengeFields[name])])) as T
