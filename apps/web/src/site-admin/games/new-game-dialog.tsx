import { TextInput } from '@mantine/core'
import { createGame } from '@vexil/contract/games'
import { gameLimits } from '@vexil/core/limits'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { call } from '../../api/client.ts'
import { serverNow } from '../../api/clock.ts'
import { paths } from '../../shell/paths.ts'
import { useConfirmClose } from '../../shell/unsaved.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { useIsHere } from '../../ui/base/use-is-here.ts'
import { FormFoot } from '../../ui/fields/form-foot.tsx'
import { MomentField } from '../../ui/fields/moment-field.tsx'
import { changedKeys } from '../../ui/fields/use-draft.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useGamesChanged } from '../site-admin.queries.ts'
import c from './games.module.css'
import { newGame, withStart, wrongOf } from './new-game.ts'

/** Mounted on each opening, so that it starts empty. */
export function NewGameDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const isHere = useIsHere()
  const changed = useGamesChanged()
  const [first] = useState(() => newGame(Math.round(serverNow())))
  const [game, setGame] = useState(first)
  const [tried, setTried] = useState(false)
  const wrong = wrongOf(game)
  const create = useAction({
    id: 'new-game',
    call: async () =>
      call(createGame, {
        body: {
          title: game.title.trim(),
          start: new Date(game.start).toISOString(),
          end: new Date(game.end).toISOString(),
          // Hidden until it is ready.
          hidden: true,
        },
      }),
    done: (made) => t('admin.games.created', { title: made.title }),
    failed: t('admin.games.notCreated'),
    onDone: async (made) => {
      void changed()
      if (!isHere()) return
      await navigate(paths.admin.game(made.id))
    },
  })
  // The answer opens the new game.
  const leave = () => void (create.busy || onClose())
  const close = useConfirmClose(changedKeys(game, first).length > 0 && !create.busy, leave)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!wrong.title && !wrong.end) return void create.start()
    const text = t(wrong.title ? 'admin.info.titleMissing' : 'admin.info.endWrong')
    toast({ id: 'new-game', kind: 'bad', title: t('ui.checkInput'), text })
  }
  return (
    <Dialog opened onClose={close} title={t('admin.games.create')} size={600}>
      <form className={c.form} onSubmit={submit} noValidate>
        <TextInput
          data-autofocus
          label={t('admin.info.title')}
          maxLength={gameLimits.titleMax}
          value={game.title}
          error={tried && wrong.title && t('admin.info.titleMissing')}
          disabled={create.busy}
          onChange={(event) => setGame({ ...game, title: event.currentTarget.value })}
        />
        <div className={c.pair}>
          <MomentField
            label={t('admin.info.start')}
            value={game.start}
            error={wrong.end}
            disabled={create.busy}
            onChange={(start) => setGame(withStart(game, start))}
          />
          <MomentField
            label={t('admin.info.end')}
            value={game.end}
            error={wrong.end && t('admin.info.endWrong')}
            disabled={create.busy}
            onChange={(end) => setGame({ ...game, end })}
          />
        </div>
        <p className="small faint">{t('admin.games.hiddenFirst')}</p>
        <FormFoot action={create} onCancel={leave} style={{ gap: 16, marginTop: 16 }}>
          {t('admin.games.createButton')}
        </FormFoot>
      </form>
    </Dialog>
  )
}
