import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { Refusal } from '../api/client.ts'
import NotFoundScreen from '../shell/not-found.screen.tsx'
import { useTitle } from '../shell/site.ts'
import { Page } from '../ui/base/page.tsx'
import { QueryView } from '../ui/base/states.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { emptyPost, postFields } from './post-fields.ts'
import { PostForm } from './post-form.tsx'
import { isPostId, postQuery } from './posts.queries.ts'

/** `/posts/new/edit` creates a post, `/posts/{id}/edit` changes one. */
export default function PostEditScreen() {
  const { t } = useTranslation()
  const id = useParams().postId ?? ''
  const isNew = id.toLowerCase() === 'new'
  const post = useQuery({ ...postQuery(id), enabled: isPostId(id), refetchOnMount: 'always', refetchOnWindowFocus: false })
  useTitle(isNew ? t('posts.new') : `${t('ui.edit')} - ${post.data?.title ?? t('posts.title')}`)
  if (!isNew && !isPostId(id)) return <NotFoundScreen />
  if (post.error instanceof Refusal && post.error.http === 404) return <NotFoundScreen />
  return (
    <Page width={920}>
      {isNew ? (
        <PostForm key="new" saved={emptyPost} />
      ) : (
        <QueryView query={post}>{(data) => <PostForm key={data.id} id={data.id} saved={postFields(data)} />}</QueryView>
      )}
    </Page>
  )
}
