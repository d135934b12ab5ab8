import { IconPin } from '@tabler/icons-react'
import type { PostInfo } from '@vexil/contract/site'
import { Link } from 'react-router'
import { Avatar } from '../ui/base/avatar.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { When } from '../ui/time/when.tsx'
import { paths } from './paths.ts'
import c from './post-meta.module.css'
import { useSite } from './site.ts'

type About = Pick<PostInfo, 'id' | 'isPinned' | 'tags' | 'authorName' | 'authorAvatar' | 'time'>

export function PostMeta({ post }: { readonly post: About }) {
  const { t } = useTranslation()
  const site = useSite()
  const author = post.authorName || site.name
  return (
    <p className={c.meta}>
      {post.isPinned && (
        <span className={c.pin}>
          <IconPin size={14} stroke={1.6} />
          {t('posts.pinned')}
        </span>
      )}
      <span className={c.author}>
        <Avatar src={post.authorAvatar} name={author} id={post.id} size={16} />
        {author}
      </span>
      <When at={post.time} style="day" />
      {post.tags?.map((tag) => (
        <Link key={tag} className={c.tag} to={`${paths.posts}?${new URLSearchParams({ tag })}`}>
          #{tag}
        </Link>
      ))}
    </p>
  )
}
