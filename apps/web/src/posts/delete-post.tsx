import { useQueryClient } from '@tanstack/react-query'
import { deletePost } from '@vexil/contract/site'
import { useNavigate } from 'react-router'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { paths } from '../shell/paths.ts'
import { discardUnsaved } from '../shell/unsaved.tsx'
import { ActionButton } from '../ui/base/action-button.tsx'
import { useAction } from '../ui/base/use-action.ts'
import { useIsHere } from '../ui/base/use-is-here.ts'
import { useConfirm } from '../ui/overlays/confirm.tsx'
import { useTranslation } from '../ui/text/texts.tsx'

export function DeletePost({ id, title }: { readonly id: string; readonly title: string }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const isHere = useIsHere()
  const confirm = useConfirm()
  const queries = useQueryClient()
  const remove = useAction({
    id: 'delete-post',
    call: async () => call(deletePost, { params: { id } }),
    done: t('posts.deleted', { title }),
    failed: t('posts.notDeleted'),
    onDone: async () => {
      if (isHere()) {
        // Leaving must not ask about unsaved changes of the deleted post.
        discardUnsaved()
        await navigate(paths.posts)
      }
      queries.removeQueries({ queryKey: keys.posts.one(id) })
      await queries.invalidateQueries({ queryKey: keys.posts.all })
    },
  })
  const confirmAndDelete = async () => {
    const question = { title: t('posts.deleteTitle', { title }), text: t('posts.deleteText'), confirm: t('ui.delete') }
    if (await confirm({ ...question, harmful: true })) await remove.start()
  }
  return (
    <ActionButton action={remove} variant="outline" color="bad" onClick={() => void confirmAndDelete()}>
      {t('ui.delete')}
    </ActionButton>
  )
}
