import { Button } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { Refusal } from '../api/client.ts'
import { Footer } from '../shell/footer.tsx'
import NotFoundScreen from '../shell/not-found.screen.tsx'
import { paths } from '../shell/paths.ts'
import { PostMeta } from '../shell/post-meta.tsx'
import { reaches, useSession } from '../shell/session.ts'
import { useTitle } from '../shell/site.ts'
import { Page, PageHead } from '../ui/base/page.tsx'
import { QueryView } from '../ui/base/states.tsx'
import { Markdown } from '../ui/markdown/markdown.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { isPostId, postQuery } from './posts.queries.ts'

export default function PostScreen() {
  const { t } = useTranslation()
  const id = useParams().postId ?? ''
  const { role } = useSession()
  const post = useQuery({ ...postQuery(id), enabled: isPostId(id) })
  useTitle(post.data?.title ?? t('posts.title'))
  if (!isPostId(id)) return <NotFoundScreen />
  if (post.error instanceof Refusal && post.error.http === 404) return <NotFoundScreen />
  return (
    <>
      <Page width={760}>
        <QueryView query={post}>
          {(data) => (
            <article>
              <PageHead title={data.title}>
                {reaches(role, 'Admin') && (
                  <Button
                    component={Link}
                    to={paths.editPost(id)}
                    variant="default"
                    leftSection={<IconPencil size={18} stroke={1.6} />}
                  >
                    {t('ui.edit')}
                  </Button>
                )}
              </PageHead>
              <PostMeta post={data} />
              <div style={{ margin: '32px 0' }}>
                <Markdown source={data.content} />
              </div>
              <Link className="link" to={paths.posts}>
                {t('posts.all')}
              </Link>
            </article>
          )}
        </QueryView>
      </Page>
      <Footer width={760} />
    </>
  )
}
