/** For every call one request that fails only because of the caller: the basis of all tests that go through the calls. */
import type { Method } from '@vexil/contract/endpoint'
import { aPng } from './builders/images.ts'
import { type Person, type Scene, scenePassword } from './builders/scene.ts'
import type { Answer, Caller } from './platform.ts'

export interface ValidCall {
  readonly url: string
  readonly body?: unknown
  /** Multipart part and its files. */
  readonly upload?: { readonly part: string; readonly files: { name: string; type?: string; bytes: Buffer }[] }
}

const unknownId = '00000000-0000-7000-8000-000000000000'
const pdf = () => Buffer.from(`%PDF-1.4\n%${fresh()}\n%%EOF\n`)
let count = 0
const fresh = () => `n${++count}`

type Make = (scene: Scene, who: Person) => ValidCall | Promise<ValidCall>
const bare =
  (url: (scene: Scene) => string): Make =>
  (scene) => ({ url: url(scene) })
const picture =
  (url: (scene: Scene) => string): Make =>
  async (scene) => ({
    url: url(scene),
    upload: { part: 'file', files: [{ name: 'a.png', type: 'image/png', bytes: await aPng({ width: 8 + (++count % 200) }) }] },
  })

const checksOf = ({ game, containerChallenge }: Scene) => `/api/edit/games/${game}/challenges/${containerChallenge}/checks`

const times = () => ({
  start: new Date(Date.now() - 3_600_000).toISOString(),
  end: new Date(Date.now() + 3_600_000).toISOString(),
})
export const newUser = () => {
  const userName = fresh()
  return { userName: `user${userName}`.slice(0, 15), password: scenePassword, email: `${userName}@example.org` }
}

const mailServer = { host: '', port: 587, user: '', sender: '', senderName: '', ignoreCertificate: false }
const captchaProvider = { provider: 'None', siteKey: '', threshold: 0.5 }

export const validCalls: Readonly<Record<`${Method} /${string}`, Make>> = {
  'POST /api/account/register': () => ({ url: '/api/account/register', body: newUser() }),
  'POST /api/account/login': ({ otherName }) => ({
    url: '/api/account/login',
    body: { userName: otherName, password: scenePassword },
  }),
  'POST /api/account/logout': bare(() => '/api/account/logout'),
  'GET /api/account/profile': bare(() => '/api/account/profile'),
  'GET /api/account/session': bare(() => '/api/account/session'),
  'PUT /api/account/update': () => ({ url: '/api/account/update', body: { bio: fresh() } }),
  'PUT /api/account/changepassword': () => ({
    url: '/api/account/changepassword',
    body: { old: scenePassword, new: 'another one' },
  }),
  'PUT /api/account/avatar': picture(() => '/api/account/avatar'),
  'GET /api/account/games': bare(() => '/api/account/games'),
  'POST /api/account/recovery': () => ({ url: '/api/account/recovery', body: { email: 'nobody@example.org' } }),
  'POST /api/account/passwordreset': () => ({
    url: '/api/account/passwordreset',
    body: { password: scenePassword, email: btoa('nobody@example.org'), rToken: btoa('rubbish') },
  }),
  'POST /api/account/verify': () => ({
    url: '/api/account/verify',
    body: { email: btoa('nobody@example.org'), token: btoa('rubbish') },
  }),
  'PUT /api/account/changeemail': () => ({ url: '/api/account/changeemail', body: { newMail: `${fresh()}@example.org` } }),
  'POST /api/account/mailchangecancel': () => ({
    url: '/api/account/mailchangecancel',
    body: { email: btoa('nobody@example.org'), token: btoa('rubbish') },
  }),
  'POST /api/account/mailchangeconfirm': () => ({
    url: '/api/account/mailchangeconfirm',
    body: { email: btoa('nobody@example.org'), token: btoa('rubbish') },
  }),

  'GET /api/team/:id': bare(({ team }) => `/api/team/${team}`),
  'GET /api/team': bare(() => '/api/team'),
  'POST /api/team': () => ({ url: '/api/team', body: { name: fresh() } }),
  'PUT /api/team/:id': ({ team }) => ({ url: `/api/team/${team}`, body: { name: fresh() } }),
  'PUT /api/team/:id/transfer': ({ team, account }) => ({
    url: `/api/team/${team}/transfer`,
    body: { newCaptainId: account.member },
  }),
  'GET /api/team/:id/invite': bare(({ team }) => `/api/team/${team}/invite`),
  'PUT /api/team/:id/invite': bare(({ team }) => `/api/team/${team}/invite`),
  'POST /api/team/accept': ({ invite }) => ({ url: '/api/team/accept', body: invite }),
  'POST /api/team/:id/leave': bare(({ team }) => `/api/team/${team}/leave`),
  'POST /api/team/:id/kick/:userId': bare(({ team, account }) => `/api/team/${team}/kick/${account.member}`),
  'DELETE /api/team/:id': bare(({ team }) => `/api/team/${team}`),
  'PUT /api/team/:id/avatar': picture(({ team }) => `/api/team/${team}/avatar`),
  'POST /api/team/verify': ({ signed }) => ({ url: '/api/team/verify', body: signed }),

  'POST /api/assets': () => ({
    url: '/api/assets',
    upload: { part: 'files', files: [{ name: 'task.zip', bytes: Buffer.from(fresh()) }] },
  }),
  'DELETE /api/assets/:hash': bare(({ file }) => `/api/assets/${file}`),
  'GET /assets/:hash/:name': bare(({ file }) => `/assets/${file}/task.zip`),

  'GET /api/config': bare(() => '/api/config'),
  'GET /api/captcha': bare(() => '/api/captcha'),
  'GET /api/posts': bare(() => '/api/posts'),
  'GET /api/posts/latest': bare(() => '/api/posts/latest'),
  'GET /api/posts/:id': bare(({ post }) => `/api/posts/${post}`),
  'POST /api/setup': () => ({
    url: '/api/setup',
    body: { ...newUser(), token: 'rubbish', title: 'Again', slogan: '' },
  }),

  'GET /api/admin/config': bare(() => '/api/admin/config'),
  'PUT /api/admin/config': () => ({ url: '/api/admin/config', body: { globalConfig: { slogan: fresh() } } }),
  'GET /api/admin/config/services': bare(() => '/api/admin/config/services'),
  'PUT /api/admin/config/mail': () => ({ url: '/api/admin/config/mail', body: mailServer }),
  'PUT /api/admin/config/captcha': () => ({ url: '/api/admin/config/captcha', body: captchaProvider }),
  'POST /api/admin/config/captcha/test': bare(() => '/api/admin/config/captcha/test'),
  'POST /api/admin/config/logo': picture(() => '/api/admin/config/logo'),
  'DELETE /api/admin/config/logo': bare(() => '/api/admin/config/logo'),
  'GET /api/admin/users': bare(() => '/api/admin/users'),
  'POST /api/admin/users': () => ({ url: '/api/admin/users', body: [newUser()] }),
  'POST /api/admin/users/search': bare(() => '/api/admin/users/search?hint=u'),
  'GET /api/admin/users/:userId': bare(({ account }) => `/api/admin/users/${account.other}`),
  'PUT /api/admin/users/:userId': ({ account }) => ({ url: `/api/admin/users/${account.other}`, body: { bio: fresh() } }),
  'DELETE /api/admin/users/:userId/password': bare(({ account }) => `/api/admin/users/${account.other}/password`),
  'DELETE /api/admin/users/:userId': bare(({ account }) => `/api/admin/users/${account.other}`),
  'GET /api/admin/teams': bare(() => '/api/admin/teams'),
  'POST /api/admin/teams/search': bare(() => '/api/admin/teams/search?hint=t'),
  'PUT /api/admin/teams/:id': ({ team }) => ({ url: `/api/admin/teams/${team}`, body: { locked: true } }),
  'DELETE /api/admin/teams/:id': bare(({ team }) => `/api/admin/teams/${team}`),
  'PUT /api/admin/participation/:id/:status': bare(({ participation }) => `/api/admin/participation/${participation}/Suspended`),
  'GET /api/admin/writeups/:id': bare(({ game }) => `/api/admin/writeups/${game}`),
  'GET /api/admin/writeups/:id/all': bare(({ game }) => `/api/admin/writeups/${game}/all`),
  'GET /api/admin/instances': bare(() => '/api/admin/instances'),
  'DELETE /api/admin/instances/:guid': bare(() => `/api/admin/instances/${unknownId}`),
  'GET /api/admin/engine': bare(() => '/api/admin/engine'),
  'GET /api/admin/engine/isolation': bare(() => '/api/admin/engine/isolation'),
  'POST /api/admin/backup': () => ({ url: '/api/admin/backup', body: { password: scenePassword } }),
  'POST /api/admin/engine/isolation': bare(() => '/api/admin/engine/isolation'),
  'GET /api/admin/engine/image': bare(() => '/api/admin/engine/image?name=tide%3Alatest'),
  'GET /api/admin/disk': bare(() => '/api/admin/disk'),
  'GET /api/admin/files': bare(() => '/api/admin/files'),
  'GET /api/admin/health': bare(() => '/api/admin/health'),
  'GET /api/admin/logs': bare(() => '/api/admin/logs'),
  'GET /api/admin/mails': bare(() => '/api/admin/mails'),
  'POST /api/admin/mails/test': bare(() => '/api/admin/mails/test'),

  'GET /api/edit/games': bare(() => '/api/edit/games'),
  'POST /api/edit/games': () => ({ url: '/api/edit/games', body: { title: fresh(), ...times() } }),
  'GET /api/edit/games/:id': bare(({ game }) => `/api/edit/games/${game}`),
  'PUT /api/edit/games/:id': ({ game }) => ({ url: `/api/edit/games/${game}`, body: { title: fresh(), ...times() } }),
  'DELETE /api/edit/games/:id': bare(({ game }) => `/api/edit/games/${game}`),
  'GET /api/edit/games/:id/hashsalt': bare(({ game }) => `/api/edit/games/${game}/hashsalt`),
  'PUT /api/edit/games/:id/poster': picture(({ game }) => `/api/edit/games/${game}/poster`),
  'DELETE /api/edit/games/:id/writeups': bare(({ game }) => `/api/edit/games/${game}/writeups`),
  'GET /api/edit/games/:id/notices': bare(({ game }) => `/api/edit/games/${game}/notices`),
  'POST /api/edit/games/:id/notices': ({ game }) => ({ url: `/api/edit/games/${game}/notices`, body: { content: fresh() } }),
  'PUT /api/edit/games/:id/notices/:nid': ({ game, notice }) => ({
    url: `/api/edit/games/${game}/notices/${notice}`,
    body: { content: fresh() },
  }),
  'DELETE /api/edit/games/:id/notices/:nid': bare(({ game, notice }) => `/api/edit/games/${game}/notices/${notice}`),
  'GET /api/edit/games/:id/challenges': bare(({ game }) => `/api/edit/games/${game}/challenges`),
  'POST /api/edit/games/:id/challenges': ({ game }) => ({
    url: `/api/edit/games/${game}/challenges`,
    body: { title: fresh(), category: 'Web', type: 'StaticAttachment' },
  }),
  'POST /api/edit/games/:id/challenges/updateaccepted': bare(({ game }) => `/api/edit/games/${game}/challenges/updateaccepted`),
  'GET /api/edit/games/:id/challenges/:cid/checks': bare(checksOf),
  'POST /api/edit/games/:id/challenges/:cid/checks': bare(checksOf),
  'GET /api/edit/games/:id/challenges/:cid/checks/:check': bare((scene) => `${checksOf(scene)}/1`),
  'GET /api/game/:id/checks': bare(({ game }) => `/api/game/${game}/checks`),
  'GET /api/edit/games/:id/images': bare(({ game }) => `/api/edit/games/${game}/images`),
  'POST /api/edit/games/:id/images': bare(({ game }) => `/api/edit/games/${game}/images`),
  'GET /api/edit/games/:id/challenges/:cid': bare(({ game, challenge }) => `/api/edit/games/${game}/challenges/${challenge}`),
  'PUT /api/edit/games/:id/challenges/:cid': ({ game, challenge }) => ({
    url: `/api/edit/games/${game}/challenges/${challenge}`,
    body: { title: fresh() },
  }),
  'DELETE /api/edit/games/:id/challenges/:cid': bare(({ game, challenge }) => `/api/edit/games/${game}/challenges/${challenge}`),
  'POST /api/edit/games/:id/challenges/:cid/attachment': ({ game, challenge, file }) => ({
    url: `/api/edit/games/${game}/challenges/${challenge}/attachment`,
    body: { attachmentType: 'Local', fileHash: file },
  }),
  'POST /api/edit/games/:id/challenges/:cid/flags': ({ game, challenge }) => ({
    url: `/api/edit/games/${game}/challenges/${challenge}/flags`,
    body: [{ flag: `flag{${fresh()}}` }],
  }),
  'DELETE /api/edit/games/:id/challenges/:cid/flags/:fid': bare(
    ({ game, challenge, flag }) => `/api/edit/games/${game}/challenges/${challenge}/flags/${flag}`,
  ),
  'POST /api/edit/games/:id/challenges/:cid/container': bare(
    ({ game, containerChallenge }) => `/api/edit/games/${game}/challenges/${containerChallenge}/container`,
  ),
  'GET /api/edit/games/:id/challenges/:cid/container': bare(
    ({ game, containerChallenge }) => `/api/edit/games/${game}/challenges/${containerChallenge}/container`,
  ),
  'DELETE /api/edit/games/:id/challenges/:cid/container': bare(
    ({ game, containerChallenge }) => `/api/edit/games/${game}/challenges/${containerChallenge}/container`,
  ),
  'POST /api/edit/posts': () => ({ url: '/api/edit/posts', body: { title: fresh() } }),
  'PUT /api/edit/posts/:id': ({ post }) => ({ url: `/api/edit/posts/${post}`, body: { title: fresh() } }),
  'DELETE /api/edit/posts/:id': bare(({ post }) => `/api/edit/posts/${post}`),

  'GET /api/game': bare(() => '/api/game'),
  'GET /api/game/:id': bare(({ game }) => `/api/game/${game}`),
  'POST /api/game/:id': ({ game, team, teamOf }, who) => ({ url: `/api/game/${game}`, body: { teamId: teamOf[who] ?? team } }),
  'DELETE /api/game/:id': bare(({ game }) => `/api/game/${game}`),
  'GET /api/game/:id/details': bare(({ game }) => `/api/game/${game}/details`),
  'GET /api/game/:id/scoreboard': bare(({ game }) => `/api/game/${game}/scoreboard`),
  'GET /api/game/:id/scoreboard/feed': bare(({ game }) => `/api/game/${game}/scoreboard/feed`),
  'GET /api/game/:id/scoreboard/start': bare(({ game }) => `/api/game/${game}/scoreboard/start`),
  'GET /api/game/:id/scoreboardsheet': bare(({ game }) => `/api/game/${game}/scoreboardsheet`),
  'GET /api/game/:id/activity': bare(({ game }) => `/api/game/${game}/activity`),
  'GET /api/game/:id/submissions': bare(({ game }) => `/api/game/${game}/submissions`),
  'GET /api/game/:id/submissionsheet': bare(({ game }) => `/api/game/${game}/submissionsheet`),
  'GET /api/game/:id/events': bare(({ game }) => `/api/game/${game}/events`),
  'GET /api/game/:id/notices': bare(({ game }) => `/api/game/${game}/notices`),
  'GET /api/game/:id/participations': bare(({ game }) => `/api/game/${game}/participations`),
  'GET /api/game/:id/cheatinfo': bare(({ game }) => `/api/game/${game}/cheatinfo`),
  'GET /api/game/:id/writeup': bare(({ game }) => `/api/game/${game}/writeup`),
  'POST /api/game/:id/writeup': ({ game }) => ({
    url: `/api/game/${game}/writeup`,
    upload: { part: 'file', files: [{ name: 'writeup.pdf', type: 'application/pdf', bytes: pdf() }] },
  }),
  'GET /api/game/:id/challenges/:cid': bare(({ game, challenge }) => `/api/game/${game}/challenges/${challenge}`),
  'POST /api/game/:id/challenges/:cid': ({ game, challenge }) => ({
    url: `/api/game/${game}/challenges/${challenge}`,
    body: { flag: 'flag{right}' },
  }),
  'GET /api/game/:id/challenges/:cid/status/:sid': bare(
    ({ game, challenge, submission }) => `/api/game/${game}/challenges/${challenge}/status/${submission}`,
  ),
  'GET /api/game/:id/challenges/:cid/tries': bare(({ game, challenge }) => `/api/game/${game}/challenges/${challenge}/tries`),
  'POST /api/game/:id/container/:cid': bare(
    ({ game, containerChallenge }) => `/api/game/${game}/container/${containerChallenge}`,
  ),
  'POST /api/game/:id/container/:cid/extend': bare(
    ({ game, containerChallenge }) => `/api/game/${game}/container/${containerChallenge}/extend`,
  ),
  'DELETE /api/game/:id/container/:cid': bare(
    ({ game, containerChallenge }) => `/api/game/${game}/container/${containerChallenge}`,
  ),
  'GET /api/game/:id/silent': bare(({ game }) => `/api/game/${game}/silent`),
  'GET /api/game/:id/instances': bare(({ game }) => `/api/game/${game}/instances`),
  'GET /api/game/games/:id/captures': bare(({ game }) => `/api/game/games/${game}/captures`),
  'GET /api/game/captures/:cid': bare(({ containerChallenge }) => `/api/game/captures/${containerChallenge}`),
  'GET /api/game/captures/:cid/:pid': bare(
    ({ containerChallenge, participation }) => `/api/game/captures/${containerChallenge}/${participation}`,
  ),
  'GET /api/game/captures/:cid/:pid/all': bare(
    ({ containerChallenge, participation }) => `/api/game/captures/${containerChallenge}/${participation}/all`,
  ),
  'DELETE /api/game/captures/:cid/:pid/all': bare(
    ({ containerChallenge, participation }) => `/api/game/captures/${containerChallenge}/${participation}/all`,
  ),
  'GET /api/game/captures/:cid/:pid/:file': bare(
    ({ containerChallenge, participation }) => `/api/game/captures/${containerChallenge}/${participation}/a.pcap`,
  ),
  'DELETE /api/game/captures/:cid/:pid/:file': bare(
    ({ containerChallenge, participation }) => `/api/game/captures/${containerChallenge}/${participation}/a.pcap`,
  ),
  // The node of the tests does not listen, so it is not ready.
  'GET /healthz': bare(() => '/healthz'),
  'GET /healthz/ready': bare(() => '/healthz/ready'),
  'GET /api/openapi.json': bare(() => '/api/openapi.json'),
  'GET /api/docs': bare(() => '/api/docs'),
  // A missing file; the pages themselves need the built web.
  'GET /*': bare(() => '/no/such.file'),
  'GET /forward.mjs': bare(() => '/forward.mjs'),
  'GET /forward.py': bare(() => '/forward.py'),
  'GET /favicon.webp': bare(() => '/favicon.webp'),
  'POST /hub/user/negotiate': bare(({ game }) => `/hub/user/negotiate?game=${game}&negotiateVersion=1`),
  'POST /hub/site/negotiate': bare(() => '/hub/site/negotiate?negotiateVersion=1'),
  'POST /hub/monitor/negotiate': bare(({ game }) => `/hub/monitor/negotiate?game=${game}&negotiateVersion=1`),
  'POST /hub/admin/negotiate': bare(() => '/hub/admin/negotiate?negotiateVersion=1'),
  // Without an upgrade there is no content.
  'GET /hub/user': bare(({ game }) => `/hub/user?game=${game}`),
  'GET /hub/site': bare(() => '/hub/site'),
  'GET /hub/monitor': bare(({ game }) => `/hub/monitor?game=${game}`),
  'GET /hub/admin': bare(() => '/hub/admin'),
  'GET /api/proxy/:guid': bare(() => `/api/proxy/${unknownId}`),
  'GET /api/proxy/noinst/:guid': bare(() => `/api/proxy/noinst/${unknownId}`),
  'GET /api/proxy/:guid/:name': bare(() => `/api/proxy/${unknownId}/sql`),
  'GET /api/proxy/noinst/:guid/:name': bare(() => `/api/proxy/noinst/${unknownId}/sql`),
}

export async function askValid(caller: Caller, method: Method, { url, body, upload }: ValidCall): Promise<Answer> {
  if (upload) return caller.upload(method as 'POST' | 'PUT', url, upload.part, upload.files)
  if (method === 'GET') return caller.get(url)
  if (method === 'DELETE') return caller.delete(url)
  return method === 'PUT' ? caller.put(url, body) : caller.post(url, body)
}
