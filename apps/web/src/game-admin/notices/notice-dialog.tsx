import { useQueryClient } from '@tanstack/react-query'
import { addNotice, type GameInfo, type GameNotice, updateNotice } from '@vexil/contract/games'
import { textLimits } from '@vexil/core/limits'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import { useConfirmClose } from '../../shell/unsaved.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { FormFoot } from '../../ui/fields/form-foot.tsx'
import { MarkdownField } from '../../ui/markdown/markdown-field.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { editNoticesQuery } from '../game-admin.queries.ts'
import c from './notices.module.css'

interface Props {
  readonly game: GameInfo
  /** Undefined for a new one. */
  readonly notice: GameNotice | undefined
  readonly onClose: () => void
}

export function NoticeDialog({ game, notice, onClose }: Props) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const before = notice?.values.at(-1) ?? ''
  const [content, setContent] = useState(before)
  const publish = useAction({
    id: 'notice',
    call: async () =>
      notice
        ? call(updateNotice, { params: { id: game.id, nid: notice.id }, body: { content } })
        : call(addNotice, { params: { id: game.id }, body: { content } }),
    done: t(notice ? 'admin.saved' : 'admin.notices.published'),
    failed: t('admin.notSaved'),
    onDone: async () => {
      await queries.invalidateQueries({ queryKey: editNoticesQuery(game.id).queryKey })
      onClose()
    },
  })
  const close = useConfirmClose(content !== before && !publish.busy, onClose)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (content.trim() === '') return toast({ id: 'notice', kind: 'bad', title: t('admin.notices.empty') })
    if (content === before) return toast({ id: 'notice', kind: 'wary', title: t('admin.notices.noChange') })
    void publish.start()
  }
  return (
    <Dialog
      opened
      onClose={close}
      title={t(notice ? 'admin.notices.edit' : 'admin.notices.create')}
      sub={t(notice ? 'admin.notices.editText' : 'admin.notices.createText')}
      size={600}
    >
      <form className={c.form} onSubmit={submit}>
        <MarkdownField
          label={t('admin.notices.text')}
          rows={5}
          inline
          autoFocus
          maxLength={textLimits.noticeMax}
          value={content}
          disabled={publish.busy}
          onChange={setContent}
        />
        <FormFoot action={publish} onCancel={onClose}>
          {t(notice ? 'ui.save' : 'admin.notices.publish')}
        </FormFoot>
      </form>
    </Dialog>
  )
}
