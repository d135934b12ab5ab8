import { deleteGame, type GameInfo } from '@vexil/contract/games'
import { call } from '../../api/client.ts'
import { changeGame } from '../../shell/show-game.tsx'
import { useMany } from '../../shell/use-many.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { PickBar, type Picks } from '../picks.tsx'
import { useGamesChanged } from '../site-admin.queries.ts'

export function GamesBar({ picks }: { readonly picks: Picks<GameInfo> }) {
  const { t } = useTranslation()
  const refresh = useGamesChanged()
  const common = { working: t('admin.changing'), failed: t('admin.notSaved'), onDone: refresh }
  const show = useMany<GameInfo>({
    id: 'show-games',
    ...common,
    call: ({ id }) => changeGame(id, { hidden: false }),
    done: ({ length: count }) => t('admin.games.manyShown', { count }),
  })
  const hide = useMany<GameInfo>({
    id: 'hide-games',
    ...common,
    call: ({ id }) => changeGame(id, { hidden: true }),
    done: ({ length: count }) => t('admin.games.manyHidden', { count }),
  })
  const remove = useMany<GameInfo>({
    id: 'delete-games',
    ...common,
    call: ({ id }) => call(deleteGame, { params: { id } }),
    already: 'game.not_found',
    done: ({ length: count }) => t('admin.games.manyDeleted', { count }),
    failed: t('admin.notDeleted'),
  })
  const count = picks.chosen.length
  const titles = picks.chosen.map(({ title }) => title).join(', ')
  const textsOf = (what: 'show' | 'hide' | 'delete') => ({
    name: t(`admin.games.${what}Many`),
    title: t(`admin.games.${what}Title`, { count }),
    text: t(`admin.games.${what}Text`, { titles }),
  })
  return (
    <PickBar
      picks={picks}
      actions={[
        { ...textsOf('show'), action: show },
        { ...textsOf('hide'), action: hide },
        { ...textsOf('delete'), action: remove, harmful: true, typed: String(count) },
      ]}
    />
  )
}
