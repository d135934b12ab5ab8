import type { ChallengeEditDetail } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { DynamicFiles } from './dynamic-files.tsx'
import { FlagLines } from './flag-lines.tsx'
import { FlagList } from './flag-list.tsx'

interface Props {
  readonly game: GameInfo
  readonly challenge: ChallengeEditDetail
}

/** Flags with a file or link each, of which every team gets one. */
export function TeamFiles(props: Props) {
  return (
    <div>
      <DynamicFiles {...props} />
      <FlagLines kind="remote" {...props} />
      <FlagList {...props} />
    </div>
  )
}
