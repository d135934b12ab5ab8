import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { paths } from '../shell/paths.ts'
import { reaches, useSession } from '../shell/session.ts'
import { Page, PageHead } from '../ui/base/page.tsx'
import { QueryView } from '../ui/base/states.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { PostList } from './post-list.tsx'
import { postsQuery } from './posts.queries.ts'

export default function PostsScreen() {
  const { t } = useTranslation()
  const { role } = useSession()
  const posts = useQuery(postsQuery)
  return (
    <Page width={760}>
      <PageHead title={t('posts.title')}>
        {reaches(role, 'Admin') && (
          <Button component={Link} to={paths.editPost('new')} leftSection={<IconPlus size={18} stroke={1.8} />}>
            {t('posts.new')}
          </Button>
        )}
      </PageHead>
      <QueryView query={posts}>{(all) => <PostList posts={all} />}</QueryView>
    </Page>
  )
}
