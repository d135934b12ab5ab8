import { rateLimits } from '@vexil/core/limits'
import { codesOf } from './codes-of.ts'
import { callTexts, memberTexts } from './descriptions.ts'
import type { Access, Endpoint } from './endpoint.ts'
import { type ErrorCode, statusOf } from './errors.ts'
import { examples } from './examples.ts'
import { callsOf, namedShapes, nameOf, rooms } from './interface.ts'
import { messages } from './messages/en_US.ts'

type Json = { [key: string]: unknown }

const about: Readonly<Record<string, string>> = {
  site: 'Name, texts and rules of the site, and posts',
  accounts: 'Registration, login and your account',
  teams: 'Teams and their members',
  games: 'Games, participations, notices and events',
  scoreboard: 'Scoreboard, and challenges as players see them',
  challenges: 'Challenges, flags and attachments as administrators edit them',
  submissions: 'Submissions of flags',
  writeups: 'Writeups of teams',
  instances: 'Containers of teams',
  captures: 'Captured traffic',
  backup: 'Backups',
  files: 'Stored files',
  users: 'Accounts as administrators see them',
  services: 'Mail server and captcha provider',
  settings: 'Settings of the platform',
  logs: 'The log',
  health: 'The health of the platform',
  mails: 'Emails',
  hubs: 'Live updates: hubs with the JSON protocol of SignalR over WebSocket; the server sends, clients only listen',
  pages: 'Health of this node, and this description',
}

const access: Record<Access, string> = {
  anyone: 'everyone.',
  user: 'signed in, not banned.',
  monitor: 'monitors and administrators.',
  admin: 'administrators.',
}

const formats: Readonly<Record<string, string>> = { instant: 'date-time', mail: 'email' }

/** By the longest matching key: the full path, the shape or call with the name, or the name. @param way a shape or call and the names of the members above it */
function textOf(way: readonly string[], name: string): string | undefined {
  const [owner = ''] = way
  return memberTexts[[...way, name].join('.')] ?? memberTexts[`${owner}.${name}`] ?? memberTexts[name]
}

/** @param way see `textOf` */
function schemaOf(schema: unknown, way: readonly string[]): unknown {
  if (Array.isArray(schema)) return schema.map((part) => schemaOf(part, way))
  if (typeof schema !== 'object' || schema === null) return schema
  const shape = way.length === 1 && namedShapes.get(schema) === way[0] ? undefined : namedShapes.get(schema)
  if (shape !== undefined) return { $ref: `#/components/schemas/${shape}` }
  const out: Json = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'x-rules' || key === 'x-numbers') continue
    if (key === 'properties') out[key] = membersOf(value as Json, way)
    else out[key] = key === 'format' ? (formats[value as string] ?? value) : schemaOf(value, way)
  }
  return out
}

const membersOf = (members: Json, way: readonly string[]): Json =>
  Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      const schema = schemaOf(member, [...way, name]) as Json
      // A nullable member has its mark in one of its alternatives.
      const inner = (schema.anyOf as Json[] | undefined)?.find((part) => part['x-vexil'])
      return [name, { ...schema, ...(inner && { 'x-vexil': true }), description: textOf(way, name) }]
    }),
  )

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Json>>
  readonly required?: readonly string[]
}

const parameters = (call: string, place: 'path' | 'query', schema: unknown) =>
  Object.entries((schema as ObjectSchema | undefined)?.properties ?? {}).map(([name, value]) => ({
    name,
    in: place,
    required: place === 'path' || ((schema as ObjectSchema).required ?? []).includes(name),
    description: memberTexts[`${call}?${name}`] ?? textOf([call], name),
    schema: schemaOf(value, [call]),
  }))

const jsonContent = (call: string, schema: unknown, example: unknown) => ({
  'application/json': { schema: schemaOf(schema, [call]), ...(example !== undefined && { example }) },
})

function bodyOf(endpoint: Endpoint): Json {
  const { shape } = endpoint
  const call = nameOf(endpoint)
  if (shape.upload) {
    const file = { type: 'string', contentMediaType: 'application/octet-stream' }
    const part = {
      ...(shape.upload === 'files' ? { type: 'array', items: file } : file),
      description: textOf([call], shape.upload),
    }
    const schema = { type: 'object', required: [shape.upload], properties: { [shape.upload]: part } }
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } }
  }
  if (!shape.body) return {}
  return { requestBody: { required: true, content: jsonContent(call, shape.body, examples[call]?.body) } }
}

function answersOf(call: Endpoint): Json {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codesOf(call)) {
    const { http } = statusOf[code]
    byStatus.set(http, [...(byStatus.get(http) ?? []), code])
  }
  const bad = [...byStatus].sort(([a], [b]) => a - b).map(([status, list]) => [status, refusal(status, list)])
  return { ...goodAnswerOf(call), ...Object.fromEntries(bad) }
}

function goodAnswerOf(call: Endpoint): Json {
  const { shape } = call
  const name = nameOf(call)
  if (shape.reply) {
    const content = jsonContent(name, shape.reply, examples[name]?.reply)
    return {
      200: { description: 'Done.', content },
      ...(shape.mayRespondAsync && { 202: { description: 'Accepted: the work continues (`Prefer: respond-async`).', content } }),
    }
  }
  if (shape.sends === 'socket') return { 101: { description: 'The connection is now a WebSocket.' } }
  if (!shape.types) return { 200: { description: 'Done; no body.' } }
  return { 200: { description: 'The content.', content: Object.fromEntries(shape.types.map((type) => [type, {}])) } }
}

function refusal(status: number, codes: readonly ErrorCode[]): Json {
  const line = (code: ErrorCode) => {
    const { body = status } = statusOf[code]
    return `- \`${code}\`${body === status ? '' : ` (status in the body: ${body})`}: ${messages.errors[code]}`
  }
  return {
    description: codes.map(line).join('\n'),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
    ...(status === 429 && {
      headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
    }),
  }
}

const preferHeader = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description: '`respond-async`: the answer is 202, before the work is done (RFC 7240).',
  schema: { type: 'string' },
}

function operation(room: string, call: Endpoint): Json {
  const { shape, method, path } = call
  const notes = [
    callTexts[nameOf(call)],
    `Access: ${access[shape.access]}`,
    shape.limit && `Limit \`${shape.limit}\`: ${limitText(shape.limit)}.`,
    shape.ours && 'GZ::CTF 0.24 does not have it.',
  ]
  return {
    operationId: `${method.toLowerCase()}${path
      .replace(/[^A-Za-z]+/g, ' ')
      .replace(/ (.)/g, (_all, letter: string) => letter.toUpperCase())
      .trimEnd()}`,
    tags: [room],
    summary: shape.summary,
    description: notes.filter(Boolean).join(' '),
    'x-access': shape.access,
    ...(shape.ours && { 'x-vexil': true }),
    ...(shape.limit && { 'x-limit': shape.limit }),
    security: shape.access === 'anyone' ? [] : [{ session: [] }],
    parameters: [
      ...parameters(nameOf(call), 'path', shape.params),
      ...parameters(nameOf(call), 'query', shape.query),
      ...(shape.mayRespondAsync ? [preferHeader] : []),
    ],
    ...bodyOf(call),
    responses: answersOf(call),
  }
}

/** Such as `20 requests in 150 s`. */
function limitText(name: keyof typeof rateLimits): string {
  const limit = rateLimits[name]
  switch (limit.kind) {
    case 'one at a time':
      return 'one request at a time'
    case 'token bucket':
      return `${limit.size} requests at once, ${limit.refill} more every ${limit.every / 1000} s`
    default:
      return `${limit.permits} requests in ${limit.window / 1000} s`
  }
}

const intro = `All calls of the platform. Its web client uses them, and tools made for GZ::CTF 0.24 can use them unchanged.

A session is a cookie that \`POST /api/account/login\` sets. Bodies are JSON: the case of names is ignored, unknown members are ignored,
and numbers can be strings. Answers have every member; null means that there is no value. Times are ISO 8601 in UTC with the offset +00:00.
Calls and members that are marked \`x-vexil\` are additions: GZ::CTF 0.24 does not have them.
A refused call answers with \`title\` (in the language of Accept-Language: en-US, zh-CN, ja-JP), \`status\` and \`code\`.
Each account, or each address without a login, may send ${rateLimits.global.permits} requests in ${rateLimits.global.window / 1000} s.`

export const errorBody = {
  type: 'object',
  required: ['title', 'status'],
  properties: {
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string' },
    data: {},
    requestId: { type: 'string' },
  },
}

/** `cookie`: name of the session cookie, which is a setting. */
export function openApi(version: string, cookie = 'vexil_session'): Json {
  const paths: Record<string, Json> = {}
  for (const room of Object.keys(rooms)) {
    for (const call of callsOf(room)) {
      // The pages of the web are not API calls.
      if (call.path.includes('*')) continue
      const path = call.path.replace(/:(\w+)/g, '{$1}')
      paths[path] = { ...paths[path], [call.method.toLowerCase()]: operation(room, call) }
    }
  }
  const shapes = [...namedShapes].map(([schema, name]) => [name, schemaOf(schema, [name])] as const)
  return {
    openapi: '3.1.0',
    info: { title: 'Vexil', version, description: intro, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: Object.keys(rooms).map((name) => ({ name, description: about[name] })),
    paths,
    components: {
      schemas: {
        ErrorBody: schemaOf(errorBody, ['ErrorBody']),
        ...Object.fromEntries(shapes.sort(([a], [b]) => (a < b ? -1 : 1))),
      },
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: cookie } },
    },
  }
}
