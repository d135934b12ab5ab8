import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useTitle } from '../shell/site.ts'
import { Page, PageHead } from '../ui/page.tsx'
import { QueryView } from '../ui/states.tsx'
import { PostList } from './post-list.tsx'
import { postsQuery } from './posts.queries.ts'

export default function PostsScreen() {
  const { t } = useTranslation()
  const posts = useQuery(postsQuery)
  useTitle(t('posts.title'))
  return (
    <Page width={760}>
      <PageHead title={t('posts.title')} />
      <QueryView query={posts}>{(all) => <PostList posts={all} />}</QueryView>
    </Page>
  )
}
