import type { GameInfo } from '@vexil/contract/games'
import { gameLimits } from '@vexil/core/limits'
import { useNavigate } from 'react-router'
import { serverNow } from '../../api/clock.ts'
import { keepFile } from '../../api/download.ts'
import { paths } from '../../shell/paths.ts'
import { type Action, useAction } from '../../ui/base/use-action.ts'
import { useIsHere } from '../../ui/base/use-is-here.ts'
import { toast } from '../../ui/overlays/toast.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useGamesChanged } from '../site-admin.queries.ts'
import { asNewGame, type GameFile, readGameFile } from './game-file.ts'
import { makeGame, readGame } from './make-game.ts'
import { newGame } from './new-game.ts'

export function useExportGame(): Action<GameInfo> {
  const { t } = useTranslation()
  return useAction({
    id: 'export-game',
    call: async (game: GameInfo) => {
      const name = game.title.replace(/[\\/:*?"<>|\p{Cc}]/gu, ' ').trim() || String(game.id)
      keepFile(new Blob([JSON.stringify(await readGame(game), null, 2)], { type: 'application/json' }), `${name}.json`)
    },
    working: t('admin.games.exporting'),
    done: t('admin.games.exported'),
    failed: t('admin.games.notExported'),
  })
}

export function useImportGame(): Action<File> {
  const { t } = useTranslation()
  const make = useMakeGame()
  return useAction({
    id: 'make-game',
    call: async (file: File) => {
      const read = readGameFile(await file.text())
      if (!read)
        return toast({ id: 'make-game', kind: 'bad', title: t('admin.games.notImported'), text: t('admin.games.noGameFile') })
      await make(read, read.game.title)
    },
    failed: t('admin.games.notImported'),
  })
}

export function useDuplicateGame(): Action<GameInfo> {
  const { t } = useTranslation()
  const make = useMakeGame()
  return useAction({
    id: 'make-game',
    call: async (game: GameInfo) => make(await readGame(game), t('admin.games.copyOf', { title: game.title })),
    failed: t('admin.games.notDuplicated'),
  })
}

/** Creates and opens the game, with progress and missing files. It gets the default start and keeps its length. */
function useMakeGame(): (file: GameFile, title: string) => Promise<void> {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const isHere = useIsHere()
  const changed = useGamesChanged()
  const id = 'make-game'
  return async (file, title) => {
    const total = file.challenges.length
    const showProgress = (done: number) =>
      toast({ id, kind: 'work', title: t('admin.progress', { working: t('admin.games.making'), done, total }) })
    showProgress(0)
    const edit = asNewGame(file, title.slice(0, gameLimits.titleMax), newGame(serverNow()).start)
    const { game, incomplete } = await makeGame(edit, file.challenges, showProgress).finally(() => void changed())
    if (incomplete.length === 0) toast({ id, kind: 'good', title: t('admin.games.made', { title: game.title }) })
    else
      toast({
        id,
        kind: 'wary',
        title: t('admin.games.made', { title: game.title }),
        text: t('admin.games.filesMissing', { titles: incomplete.join(', ') }),
        closes: false,
      })
    if (isHere()) await navigate(paths.admin.game(game.id))
  }
}
