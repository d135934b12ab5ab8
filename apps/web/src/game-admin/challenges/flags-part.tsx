import { Textarea } from '@mantine/core'
import type { ChallengeEditDetail } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import mono from '../../ui/fields/mono-input.module.css'
import { useNamedField } from '../../ui/fields/use-named-field.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { AttachmentPart } from './attachment-part.tsx'
import { BadLines } from './bad-lines.tsx'
import c from './challenge.module.css'
import { checkFlags } from './flag-input.ts'
import { FlagList } from './flag-list.tsx'

interface Props {
  readonly game: GameInfo
  readonly challenge: ChallengeEditDetail
  /** New flags, one per line, stored with the form. */
  readonly lines: string
  readonly onLines: (lines: string) => void
  readonly busy: boolean
}

export function FlagsPart({ game, challenge, lines, onLines, busy }: Props) {
  const { t } = useTranslation()
  const field = useNamedField<HTMLTextAreaElement>('flags')
  const { bad } = checkFlags(lines, new Set(challenge.flags.map(({ flag }) => flag)))
  return (
    <div className={c.flags}>
      <Textarea
        ref={field}
        classNames={mono}
        label={t('admin.flags.onePerLine')}
        description={t('admin.flags.count', { count: challenge.flags.length })}
        placeholder="flag{…}"
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        value={lines}
        disabled={busy}
        onChange={(event) => onLines(event.currentTarget.value)}
      />
      <BadLines bad={bad} />
      {challenge.flags.length > 0 && <FlagList game={game} challenge={challenge} />}
      <AttachmentPart game={game} challenge={challenge} />
    </div>
  )
}
