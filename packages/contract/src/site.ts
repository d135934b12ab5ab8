import { accountLimits, postLimits, siteLimits, textLimits } from '@vexil/core/limits'
import { captchaProviders, containerModes } from '@vexil/core/vocabulary'
import * as Type from 'typebox'
import { endpoint } from './endpoint.ts'
import { DateTime, Filled, Int, Nullable, OneOf, OptionalText, Password, says, saysAlways, Text, vexil } from './shapes.ts'

export const ClientConfig = Type.Object({
  title: Type.String(),
  slogan: Type.String(),
  footerInfo: Nullable(Type.String()),
  customTheme: Nullable(Type.String()),
  logoUrl: Nullable(Type.String()),
  defaultLifetime: Int,
  extensionDuration: Int,
  renewalWindow: Int,
  allowRegister: Type.Boolean(vexil),
  watermark: Type.Boolean(vexil),
  autoDestroyOnLimitReached: Type.Boolean(vexil),
  destroyOnSolve: Type.Boolean(vexil),
  containers: OneOf(containerModes, vexil),
  instanceHosts: Nullable(Type.String(vexil)),
  setupRequired: Type.Boolean(vexil),
  isDemo: Type.Boolean(vexil),
})
export type ClientConfig = Type.Static<typeof ClientConfig>

export const clientConfig = endpoint('GET /api/config', {
  access: 'anyone',
  beforeSetUp: true,
  summary: 'Get the name, texts and rules of the site',
  reply: ClientConfig,
})

export const favicon = endpoint('GET /favicon.webp', {
  access: 'anyone',
  beforeSetUp: true,
  summary: 'Get the favicon',
  sends: 'file',
  types: ['image/webp'],
})

export const captcha = endpoint('GET /api/captcha', {
  access: 'anyone',
  summary: 'Get the captcha provider and its site key',
  reply: Type.Object({ type: OneOf(captchaProviders), siteKey: Type.String() }),
})

const post = {
  id: Type.String(),
  title: Type.String(),
  summary: Type.String(),
  isPinned: Type.Boolean(),
  tags: Nullable(Type.Array(Type.String())),
  authorAvatar: Nullable(Type.String()),
  authorName: Nullable(Type.String()),
  time: DateTime,
}
export const PostInfo = Type.Object(post)
export const PostDetail = Type.Object({ ...post, content: Type.String() })
export type PostInfo = Type.Static<typeof PostInfo>
export type PostDetail = Type.Static<typeof PostDetail>

export const posts = endpoint('GET /api/posts', {
  access: 'anyone',
  summary: 'List posts, pinned ones first, then the newest',
  reply: Type.Array(PostInfo),
})

export const latestPosts = endpoint('GET /api/posts/latest', {
  access: 'anyone',
  summary: 'List the first 20 posts',
  reply: Type.Array(PostInfo),
})

export const getPost = endpoint('GET /api/posts/:id', {
  access: 'anyone',
  summary: 'Get a post',
  params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) }),
  reply: PostDetail,
  throws: ['post.not_found'],
})

export const setup = endpoint('POST /api/setup', {
  access: 'anyone',
  beforeSetUp: true,
  ours: true,
  limit: 'register',
  summary: 'Set up the platform with its first administrator',
  body: Type.Object({
    token: Filled(256),
    userName: Filled(accountLimits.userNameMax, accountLimits.userNameMin, saysAlways('account.name_invalid')),
    password: Password,
    email: Type.String({ maxLength: accountLimits.emailMax, format: 'mail', ...saysAlways('account.email_invalid') }),
    title: Text(siteLimits.titleMax),
    slogan: Text(siteLimits.sloganMax),
    customTheme: OptionalText(7),
    demo: Type.Optional(Type.Boolean()),
  }),
  throws: ['setup.token_wrong', 'setup.already_done', 'site.colour_invalid', 'account.name_characters', 'account.name_taken'],
})

const PostEdit = Type.Object({
  title: Filled(postLimits.titleMax, 1, says({ required: 'post.title_missing' })),
  summary: Text(postLimits.summaryMax),
  content: Text(textLimits.markdownMax),
  tags: Type.Optional(Nullable(Type.Array(Type.String({ maxLength: postLimits.tagMax }), { maxItems: postLimits.tagsMax }))),
  isPinned: Type.Optional(Type.Boolean()),
})
export type PostEdit = Type.Static<typeof PostEdit>

export const createPost = endpoint('POST /api/edit/posts', {
  access: 'admin',
  summary: 'Create a post',
  body: PostEdit,
  bodySize: 'large',
  reply: Type.String(),
  throws: ['post.title_missing'],
})

export const updatePost = endpoint('PUT /api/edit/posts/:id', {
  access: 'admin',
  summary: 'Update a post',
  params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) }),
  body: PostEdit,
  bodySize: 'large',
  reply: PostDetail,
  throws: ['post.not_found', 'post.title_missing'],
})

export const deletePost = endpoint('DELETE /api/edit/posts/:id', {
  access: 'admin',
  summary: 'Delete a post',
  params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) }),
  throws: ['post.not_found'],
})
