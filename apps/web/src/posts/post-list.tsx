import { Button, Pagination } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { PostInfo } from '@vexil/contract/site'
import { Link, useSearchParams } from 'react-router'
import { paths } from '../shell/paths.ts'
import { PostActions } from '../shell/post-actions.tsx'
import { PostMeta } from '../shell/post-meta.tsx'
import { Empty } from '../ui/base/states.tsx'
import { Markdown } from '../ui/markdown/markdown.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './posts.module.css'

const perPage = 10

/** Ten posts per page, pinned ones first; page and tag are kept in the address. */
export function PostList({ posts }: { readonly posts: readonly PostInfo[] }) {
  const { t } = useTranslation()
  const [query, setQuery] = useSearchParams()
  const tag = query.get('tag')
  const found = tag ? posts.filter((post) => post.tags?.includes(tag)) : posts
  const pages = Math.max(1, Math.ceil(found.length / perPage))
  const page = Math.min(pages, Math.max(1, Number.parseInt(query.get('page') ?? '', 10) || 1))
  if (posts.length === 0) return <Empty flag="P" title={t('posts.none')} text={t('posts.noneText')} />
  const turn = (next: number) => {
    setQuery((before) => {
      before.set('page', String(next))
      return before
    })
    window.scrollTo({ top: 0 })
  }
  return (
    <>
      {tag && (
        <p className={c.filter}>
          {t('posts.tagged', { tag })}
          <Button size="sm" variant="default" leftSection={<IconX size={14} stroke={1.8} />} onClick={() => setQuery({})}>
            {t('posts.showAll')}
          </Button>
        </p>
      )}
      <ul className={c.list}>
        {found.slice((page - 1) * perPage, page * perPage).map((post) => (
          <li key={post.id}>
            <div className={c.head}>
              <h2>
                <Link className={c.name} to={paths.post(post.id)}>
                  {post.title}
                </Link>
              </h2>
              <PostActions post={post} />
            </div>
            {post.summary && <Markdown source={post.summary} className={c.summary} />}
            <PostMeta post={post} />
          </li>
        ))}
      </ul>
      {pages > 1 && <Pagination className={c.pager} total={pages} value={page} onChange={turn} />}
    </>
  )
}
