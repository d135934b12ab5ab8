import { IconPhoto } from '@tabler/icons-react'
import { type GameInfo, gamePoster } from '@vexil/contract/games'
import { call } from '../../api/client.ts'
import { useAction } from '../../ui/base/use-action.ts'
import { DropPlace } from '../../ui/fields/drop-place.tsx'
import { checkImage, imageTypes } from '../../ui/fields/image-file.ts'
import { toast } from '../../ui/overlays/toast.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useGameChanged } from '../game-admin.queries.ts'
import c from './poster-field.module.css'

/** Uploads at once, without the save bar. */
export function PosterField({ game }: { readonly game: GameInfo }) {
  const { t } = useTranslation()
  const changed = useGameChanged(game.id)
  const upload = useAction({
    id: 'poster',
    call: async (file: File) => call(gamePoster, { params: { id: game.id }, files: file }),
    working: t('ui.uploading'),
    done: t('admin.info.posterChanged'),
    failed: t('ui.fileNotLoaded'),
    onDone: () => changed(),
  })
  const select = (file: File | undefined) => {
    if (file && checkImage(file) === undefined) return void upload.start(file)
    toast({ id: 'poster', kind: 'bad', title: t('ui.fileNotLoaded'), text: t('ui.fileInvalid') })
  }
  return (
    <div>
      <p className={c.name}>{t('admin.info.poster')}</p>
      <DropPlace
        label={t('admin.info.posterChoose')}
        accept={imageTypes}
        disabled={upload.busy}
        onFiles={(files) => select(files[0])}
      >
        <div className={c.inside}>
          {game.poster ? (
            <img className={c.picture} src={game.poster} alt={t('admin.info.poster')} />
          ) : (
            <IconPhoto size={24} stroke={1.6} />
          )}
          <div>
            <p>{t('admin.info.posterDrop')}</p>
            <p className={c.help}>{t('ui.imageRule')}</p>
          </div>
        </div>
      </DropPlace>
    </div>
  )
}
