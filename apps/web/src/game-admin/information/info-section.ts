import type { GameInfo } from '@vexil/contract/games'
import type { InfoFields, WrongInfo } from './info-fields.ts'

export interface SectionProps {
  readonly game: GameInfo
  readonly fields: InfoFields
  readonly base: InfoFields
  readonly set: (patch: Partial<InfoFields>) => void
  readonly wrong: ReadonlySet<WrongInfo>
  readonly busy: boolean
}
