import type { ChallengeEditDetail } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import type { ChallengeFields, WrongChallenge } from './challenge-form-fields.ts'

export interface PartProps {
  readonly game: GameInfo
  readonly challenge: ChallengeEditDetail
  readonly fields: ChallengeFields
  readonly set: (patch: Partial<ChallengeFields>) => void
  readonly wrong: ReadonlySet<WrongChallenge>
  readonly busy: boolean
}
