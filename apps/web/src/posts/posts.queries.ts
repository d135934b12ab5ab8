import { queryOptions } from '@tanstack/react-query'
import { getPost, posts } from '@vexil/contract/site'
import { postLimits } from '@vexil/core/limits'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'

export const postsQuery = queryOptions({
  queryKey: keys.posts.list,
  queryFn: ({ signal }) => call(posts, { signal }),
  staleTime: 300_000,
})

/** Other ids are not requested. */
export const isPostId = (id: string): boolean => id.length === postLimits.idLength

/** Not refetched, so that a text does not change while it is read. */
export const postQuery = (id: string) =>
  queryOptions({
    queryKey: keys.posts.one(id),
    queryFn: ({ signal }) => call(getPost, { params: { id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
