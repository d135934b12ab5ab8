import { Button } from '@mantine/core'
import { IconBulb, IconChartLine, IconFlag } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { addFlags, type ChallengeEditDetail, editGetChallenge, updateChallenge } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { hasAttachmentPerFlag, hasContainer } from '@vexil/core/vocabulary'
import { useState } from 'react'
import { Link } from 'react-router'
import { call } from '../../api/client.ts'
import { usePhase } from '../../api/use-phase.ts'
import { lacksFlag } from '../../shell/challenge-problems.ts'
import { useUnsavedWarning } from '../../shell/unsaved.tsx'
import { useKeys } from '../../ui/base/keyboard.ts'
import { lazyPart } from '../../ui/base/lazy-part.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { SaveBar, type SaveNote } from '../../ui/fields/save-bar.tsx'
import { useDraft } from '../../ui/fields/use-draft.ts'
import { Trans, useTranslation } from '../../ui/text/organiser-texts.ts'
import { challengeQuery, useChallengesChanged } from '../game-admin.queries.ts'
import { Column } from '../game-admin-frame.tsx'
import c from './challenge.module.css'
import {
  type ChallengeFields,
  challengeBody,
  challengeFields,
  newHints,
  type WrongChallenge,
  wrongChallenge,
} from './challenge-form-fields.ts'
import type { PartProps } from './challenge-part.ts'
import { flagPlace, hasFlagsInEditor } from './challenge-rows.ts'
import { ContainerPart } from './container-part.tsx'
import { checkFlags } from './flag-input.ts'
import { FlagsPart } from './flags-part.tsx'
import { Neighbours } from './neighbours.tsx'
import { ScorePart } from './score-part.tsx'
import { TeamFiles } from './team-files.tsx'
import { TextPart } from './text-part.tsx'
import { useEnabling } from './use-enabling.ts'

const ChallengePreview = lazyPart(() => import('./challenge-preview.tsx'))

interface Props {
  readonly game: GameInfo
  readonly challenge: ChallengeEditDetail
  readonly preview: boolean
  readonly onClosePreview: () => void
}

export function ChallengeForm({ game, challenge, preview, onClosePreview }: Props) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const refresh = useChallengesChanged(game.id)
  const { value, base, changed, set, discard, accept } = useDraft(challengeFields(challenge))
  const wrong = wrongChallenge(value, challenge.type)
  const announced = usePhase(game) === 'running' && challenge.isEnabled ? newHints(value.hints, base.hints) : 0

  const withFiles = hasAttachmentPerFlag(challenge.type)
  const [lines, setLines] = useState('')
  const { good: newFlags, bad } = checkFlags(lines, new Set(challenge.flags.map(({ flag }) => flag)))
  const unsaved = changed.length > 0 || lines.trim() !== ''
  const { confirmAndSet, busy: enabling } = useEnabling(game, challenge)
  const params = { id: game.id, cid: challenge.id }
  const save = useAction({
    id: 'challenge',
    call: async () => {
      const saved = await call(updateChallenge, { params, body: challengeBody(value, changed) })
      if (newFlags.length === 0) return saved
      await call(addFlags, { params, body: newFlags.map(({ flag }) => ({ flag })) })
      return call(editGetChallenge, { params })
    },
    done: t('admin.saved'),
    failed: t('admin.notSaved'),
    onDone: (saved) => {
      queries.setQueryData(challengeQuery(game.id, challenge.id).queryKey, saved)
      accept(challengeFields(saved))
      // Lines that were not accepted stay in the field to be corrected.
      setLines(bad.map(({ text }) => text).join('\n'))
      void refresh()
    },
  })
  useUnsavedWarning(unsaved && !save.busy)

  /** True when everything on the screen is stored. */
  const store = async () => {
    if (wrong.length > 0) return false
    return (changed.length === 0 && newFlags.length === 0) || save.start()
  }
  useKeys([{ key: 'mod+s', name: t('ui.save'), act: () => void store() }], true)

  const flagless = lacksFlag({ type: challenge.type, flagCount: challenge.flags.length + newFlags.length })
  const notes = useSaveNotes({ challenge, wrong, announced, changed })
  if (flagless && !challenge.isEnabled) notes.push(flagNote(t, game.id, challenge))
  const label =
    announced > 0
      ? t('admin.challenge.saveAnnounce')
      : changed.length + newFlags.length > 0
        ? t('admin.saveChanges', { count: changed.length + newFlags.length })
        : t('ui.save')

  const part: PartProps = { game, challenge, fields: value, set, wrong: new Set(wrong), busy: save.busy }
  return (
    <Column
      bare
      foot={
        <div className={c.bar}>
          <Neighbours game={game} challenge={challenge} />
          <SaveBar
            notes={notes}
            save={label}
            changed={unsaved}
            saving={save.busy}
            onSave={() => void store()}
            onDiscard={() => {
              discard()
              setLines('')
            }}
            more={
              // Without changes the switch in the head enables it.
              !challenge.isEnabled &&
              unsaved && (
                <Button
                  color="ok"
                  disabled={wrong.length > 0 || flagless || save.busy || enabling}
                  onClick={() => void confirmAndSet(true, store)}
                >
                  {t('admin.challenge.saveEnable')}
                </Button>
              )
            }
          />
        </div>
      }
    >
      <div className={c.editor}>
        <TextPart {...part}>
          {withFiles && <TeamFiles game={game} challenge={challenge} />}
          {hasFlagsInEditor(challenge.type) && !withFiles && (
            <FlagsPart game={game} challenge={challenge} lines={lines} onLines={setLines} busy={save.busy} />
          )}
        </TextPart>
        <div className={c.right}>
          <ScorePart {...part} />
          {hasContainer(challenge.type) && <ContainerPart {...part} store={store} />}
        </div>
      </div>
      {preview && <ChallengePreview wanted challenge={challenge} fields={value} onClose={onClosePreview} />}
    </Column>
  )
}

/** Why it cannot be enabled, with a link to the missing field. */
function flagNote(t: ReturnType<typeof useTranslation>['t'], game: number, challenge: ChallengeEditDetail): SaveNote {
  const text = (
    <Link to={flagPlace(game, challenge)} className="link">
      {t('admin.challenges.needsFlag')}
    </Link>
  )
  return { key: 'flag', icon: <IconFlag size={18} stroke={1.6} />, text }
}

interface NoteProps {
  readonly challenge: ChallengeEditDetail
  readonly wrong: readonly WrongChallenge[]
  /** New hints that the teams are notified of. */
  readonly announced: number
  readonly changed: readonly (keyof ChallengeFields)[]
}

/** What prevents saving, and what saving does beyond storing. */
function useSaveNotes({ challenge, wrong, announced, changed }: NoteProps): SaveNote[] {
  const { t } = useTranslation()
  const notes: SaveNote[] = wrong.map((name) => ({
    key: name,
    wrong: true,
    text: <Trans i18nKey={`admin.challenge.wrong.${name}`} components={{ b: <b /> }} />,
  }))
  if (announced > 0) {
    const text = <Trans i18nKey="admin.challenge.hintsTold" count={announced} components={{ b: <b /> }} />
    notes.push({ key: 'hints', icon: <IconBulb size={18} stroke={1.6} />, text })
  }
  const scored = changed.some((name) => ['originalScore', 'difficulty', 'minRate', 'bloodBonus'].includes(name))
  if (scored && challenge.acceptedCount > 0) {
    const text = t('admin.challenge.scoreMoves', { count: challenge.acceptedCount })
    notes.push({ key: 'score', icon: <IconChartLine size={18} stroke={1.6} />, text })
  }
  return notes
}
