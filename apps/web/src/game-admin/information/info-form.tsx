import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type GameInfo, updateGame } from '@vexil/contract/games'
import { call } from '../../api/client.ts'
import { useServerNow } from '../../api/clock.ts'
import { useUnsavedWarning } from '../../shell/unsaved.tsx'
import { useKeys } from '../../ui/base/keyboard.ts'
import { useAction } from '../../ui/base/use-action.ts'
import { SaveBar } from '../../ui/fields/save-bar.tsx'
import { useDraft } from '../../ui/fields/use-draft.ts'
import { useConfirm } from '../../ui/overlays/confirm.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { editGameQuery, participationsQuery, useGameChanged } from '../game-admin.queries.ts'
import { Column } from '../game-admin-frame.tsx'
import { ReadyList } from '../ready-list.tsx'
import { infoBody, infoEffects, infoFields, wrongInfo } from './info-fields.ts'
import { useInfoNotes } from './info-notes.tsx'
import type { SectionProps } from './info-section.ts'
import { NameSection, PeopleSection, TimeSection } from './info-sections.tsx'
import { PageSection, WriteupSection } from './info-texts.tsx'

export function InfoForm({ game }: { readonly game: GameInfo }) {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const queries = useQueryClient()
  const refresh = useGameChanged(game.id)
  const now = useServerNow(10_000)
  const teams = useQuery(participationsQuery(game.id)).data ?? []
  const { value, base, changed, set, discard, accept } = useDraft(infoFields(game))
  const wrong = wrongInfo(value)
  const effects = infoEffects(value, base, now, teams)
  const notes = useInfoNotes(wrong, effects, teams.length)
  const moved = notes.filter(({ key }) => key === 'start' || key === 'end' || key === 'phase')

  const save = useAction({
    id: 'game-info',
    call: async () => call(updateGame, { params: { id: game.id }, body: infoBody(game, value, base) }),
    done: t('admin.saved'),
    failed: t('admin.notSaved'),
    onDone: async (saved) => {
      queries.setQueryData(editGameQuery(game.id).queryKey, saved)
      accept(infoFields(saved))
      await refresh()
    },
  })
  useUnsavedWarning(changed.length > 0 && !save.busy)

  const submit = async () => {
    if (changed.length === 0 || wrong.length > 0) return
    const running = base.start <= now && now <= base.end
    if (running && moved.length > 0) {
      const yes = await confirm({
        title: t('admin.info.moveTitle'),
        text: moved.map(({ key, text }) => <p key={key}>{text}</p>),
        confirm: t('ui.save'),
      })
      if (!yes) return
    }
    void save.start()
  }
  useKeys([{ key: 'mod+s', name: t('ui.save'), act: () => void submit() }], true)

  const section: SectionProps = { game, fields: value, base, set, wrong: new Set(wrong), busy: save.busy }
  return (
    <Column
      foot={
        <SaveBar
          notes={notes}
          save={changed.length > 0 ? t('admin.saveChanges', { count: changed.length }) : t('ui.save')}
          changed={changed.length > 0}
          saving={save.busy}
          onSave={() => void submit()}
          onDiscard={discard}
        />
      }
    >
      <ReadyList game={game} />
      <NameSection {...section} />
      <TimeSection {...section} />
      <PeopleSection {...section} teams={teams} />
      <WriteupSection {...section} />
      <PageSection {...section} />
    </Column>
  )
}
