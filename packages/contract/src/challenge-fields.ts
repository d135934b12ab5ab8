/** Fields of a challenge that have one name in answers, edits and the form: a new one is a row here, a column, a description and an input. */
import { challengeLimits, textLimits } from '@vexil/core/limits'
import { type ChallengeType, containerNetworks, hasAttachmentPerFlag, hasContainer } from '@vexil/core/vocabulary'

interface Field {
  readonly column: string
  /** `line`: a text without blanks around it, which challenges that use the field must have. */
  readonly kind: 'text' | 'line' | 'whole' | 'number' | 'flag' | 'choice'
  /** The least number that is accepted; with `above` it is not accepted itself. */
  readonly min?: number
  readonly above?: true
  /** The largest number, or UTF-16 units of a text. */
  readonly max?: number
  readonly words?: readonly string[]
  /** Types of challenges that use the field; absent: all. */
  readonly usedBy?: (type: ChallengeType) => boolean
  /** The API describes it as nullable, as GZ::CTF 0.24 does; answers always have a value. */
  readonly nullable?: true
  /** GZ::CTF 0.24 does not have it. */
  readonly addition?: true
}

const { originalScoreMax, portMin, portMax, cpuMin, cpuMax, memoryMin, memoryMax, storageMin, storageMax } = challengeLimits
const ofContainers = { usedBy: hasContainer, nullable: true } as const

/** In the order of the form. */
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
/** Fields of some kinds. */
export type ChallengeFieldOf<K extends Field['kind']> = {
  [F in ChallengeField]: Fields[F]['kind'] extends K ? F : never
}[ChallengeField]

export const challengeFieldNames = Object.keys(challengeFields) as readonly ChallengeField[]

export const challengeField = (name: ChallengeField): Field => challengeFields[name]

/** One value for each field. The caller's `T` gives each its type. */
export const eachChallengeField = <T>(of: (name: ChallengeField, field: Field) => unknown): T =>
  Object.fromEntries(challengeFieldNames.map((name) => [name, of(name, challengeFields[name])])) as T
