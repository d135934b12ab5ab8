import type { PostInfo } from '@vexil/contract/site'
import { Link } from 'react-router'
import { paths } from '../shell/paths.ts'
import { PostActions } from '../shell/post-actions.tsx'
import { PostMeta } from '../shell/post-meta.tsx'
import { PartHead } from '../ui/base/page.tsx'
import { Markdown } from '../ui/markdown/markdown.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './home.module.css'

const shown = 5

export function PostColumn({ posts }: { readonly posts: readonly PostInfo[] }) {
  const { t } = useTranslation()
  return (
    <section className={c.posts}>
      <PartHead title={t('games.posts')}>
        {posts.length > 0 && (
          <Link className="link" to={paths.posts}>
            {t('games.allPosts')}
          </Link>
        )}
      </PartHead>
      <ul>
        {posts.length === 0 && <li className={c.none}>{t('games.noPosts')}</li>}
        {posts.slice(0, shown).map((post) => (
          <li key={post.id} className={c.post}>
            <div className={c.postHead}>
              <Link className={c.postName} to={paths.post(post.id)}>
                {post.title}
              </Link>
              <PostActions post={post} />
            </div>
            {post.summary && (
              <div className={c.postSummary}>
                <Markdown source={post.summary} inline />
              </div>
            )}
            <PostMeta post={post} />
          </li>
        ))}
      </ul>
    </section>
  )
}
