import { useQueryClient } from '@tanstack/react-query'
import type { GameInfo } from '@vexil/contract/games'
import { type FormEvent, useState } from 'react'
import { changeGame } from '../../shell/show-game.tsx'
import { useConfirmClose } from '../../shell/unsaved.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { FormFoot } from '../../ui/fields/form-foot.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { editGameQuery, useGameChanged } from '../game-admin.queries.ts'
import c from '../notices/notices.module.css'
import { packPercents, percentsOf } from './blood-bonus.ts'
import { BloodFields } from './blood-fields.tsx'

export default function BloodBonusDialog({ game, onClose }: { readonly game: GameInfo; readonly onClose: () => void }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const changed = useGameChanged(game.id)
  const [value, setValue] = useState(() => percentsOf(game.bloodBonus))
  const packed = packPercents(value)
  const save = useAction({
    id: 'blood',
    call: (bloodBonus: number) => changeGame(game.id, { bloodBonus }),
    done: t('admin.saved'),
    failed: t('admin.notSaved'),
    onDone: (saved) => {
      queries.setQueryData(editGameQuery(game.id).queryKey, saved)
      void changed()
      onClose()
    },
  })
  const close = useConfirmClose(packed !== game.bloodBonus && !save.busy, onClose)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (packed !== undefined) void save.start(packed)
  }
  return (
    <Dialog opened onClose={close} title={t('admin.blood.title')} sub={t('admin.blood.text')}>
      <form className={c.form} onSubmit={submit} noValidate>
        <BloodFields value={value} onChange={setValue} disabled={save.busy} />
        {packed === undefined && <p className="small poor">{t('admin.blood.wrong')}</p>}
        <FormFoot action={save} onCancel={onClose} disabled={packed === undefined || packed === game.bloodBonus}>
          {t('ui.save')}
        </FormFoot>
      </form>
    </Dialog>
  )
}
