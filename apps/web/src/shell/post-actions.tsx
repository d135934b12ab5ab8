import { ActionIcon } from '@mantine/core'
import { IconPencil, IconPin, IconPinnedOff } from '@tabler/icons-react'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { getPost, type PostInfo, updatePost } from '@vexil/contract/site'
import { Link } from 'react-router'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { useAction } from '../ui/base/use-action.ts'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { paths } from './paths.ts'
import { reaches, useSession } from './session.ts'

const lists: readonly QueryKey[] = [keys.posts.list, keys.posts.latest]

/** Pinned first, then newest, in the order of the server. */
const ordered = (posts: readonly PostInfo[]) =>
  [...posts].sort((a, b) => Number(b.isPinned) - Number(a.isPinned) || Date.parse(b.time) - Date.parse(a.time))

/** Pin and edit, for administrators. The post moves at once and moves back when the server refuses. */
export function PostActions({ post: { id, title, isPinned } }: { readonly post: PostInfo }) {
  const { t } = useTranslation()
  const { role } = useSession()
  const queries = useQueryClient()
  const show = (pinned: boolean) => {
    for (const queryKey of lists)
      queries.setQueryData<PostInfo[]>(
        queryKey,
        (posts) => posts && ordered(posts.map((post) => (post.id === id ? { ...post, isPinned: pinned } : post))),
      )
  }
  const pin = useAction({
    id: `pin-${id}`,
    call: async (pinned: boolean) => {
      show(pinned)
      // The call replaces the whole post unless it changes the pin.
      const stored = await call(getPost, { params: { id } })
      if (stored.isPinned === pinned) return
      const { title, summary, content, tags } = stored
      await call(updatePost, { params: { id }, body: { title, summary, content, tags, isPinned: pinned } })
    },
    failed: t('posts.notPinned'),
    onDone: () => queries.invalidateQueries({ queryKey: keys.posts.all }),
    onFail: (_, pinned) => {
      show(!pinned)
      return false
    },
  })
  if (!reaches(role, 'Admin')) return null
  const pinLabel = t(isPinned ? 'posts.unpinOne' : 'posts.pinOne', { title })
  const editLabel = t('posts.editOne', { title })
  return (
    <span>
      <Tooltip label={pinLabel}>
        <ActionIcon size="sm" aria-label={pinLabel} aria-pressed={isPinned} onClick={() => void pin.start(!isPinned)}>
          {isPinned ? <IconPinnedOff size={16} stroke={1.6} /> : <IconPin size={16} stroke={1.6} />}
        </ActionIcon>
      </Tooltip>
      <Tooltip label={editLabel}>
        <ActionIcon size="sm" component={Link} to={paths.editPost(id)} aria-label={editLabel}>
          <IconPencil size={16} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
    </span>
  )
}
