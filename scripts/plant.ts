// biome-ignore-all lint/suspicious/noTemplateCurlyInString: faults are pieces of source text
/**
 * Plants small faults, one at a time, in a copy of the project, and shows that the named test or lint finds each: red with the fault, green
 * without. A fault that goes unseen fails the command. `--only WORD` takes the faults whose name has the word.
 */
import { copyProject, type Edit, failsIn, type NamedTests, plantAll, removeCopy, runIn } from './copied-project.ts'

interface Fault extends Edit {
  /** What finds it: tests of a file by a part of their title, or a lint. */
  readonly found: NamedTests | 'types' | 'directions'
}

const unit = (tests: string, title: string) => ({ tests, title, project: 'unit' }) as const
const web = (tests: string, title: string) => ({ tests, title, project: 'web' }) as const
const integration = (tests: string, title: string) => ({ tests, title, project: 'integration' }) as const

const core = 'packages/core/src'
const contract = 'packages/contract/src'
const server = 'apps/server/src'
const access = 'apps/server/test/access.test.ts'
const errorRows = 'apps/server/test/error-rows.test.ts'
const mailCalls = `${server}/accounts/mail-calls.db.test.ts`
const migrations = `${server}/db/migrations`

const door = 'apps/server/test/door.test.ts'
const faults: readonly Fault[] = [
  {
    name: 'the unique index of solves dropped',
    file: `${migrations}/0006_submissions.sql`,
    from: '  primary key (game_id, number),\n  constraint solves_once unique (participation_id, challenge_id)\n',
    to: '  primary key (game_id, number)\n',
    found: integration(`${server}/db/judges.db.test.ts`, 'a team solves a challenge once'),
  },
  {
    name: 'the lock of the log removed',
    file: `${migrations}/0007_record_attempts.sql`,
    from: 'where game_id = in_game for no key update;',
    to: 'where game_id = in_game;',
    found: integration(`${server}/submissions/record-attempts.db.test.ts`, 'waits for it, and takes the number after it'),
  },
  {
    name: 'the wait for the log counted as lateness',
    file: `${migrations}/0007_record_attempts.sql`,
    from: '(began - make_interval',
    to: '(stamp - make_interval',
    found: integration(`${server}/submissions/record-attempts.db.test.ts`, 'stays in time when the log is held'),
  },
  {
    name: 'a statement that took too long sent again',
    file: `${server}/submissions/attempts.ts`,
    from: "new Set(['40P01', '40001', '55P03', '23503'])",
    to: "new Set(['40P01', '40001', '55P03', '23503', '57014'])",
    found: unit(`${server}/submissions/attempts.test.ts`, 'is not sent again at once'),
  },
  {
    name: 'the wait for a connection counted as lateness',
    file: `${server}/submissions/attempts.ts`,
    from: 'column((one) => Math.max(0, sent - one.arrived) / 1000)',
    to: 'column((one) => Math.max(0, one.arrived - sent) / 1000)',
    found: unit(`${server}/submissions/attempts.test.ts`, 'is counted until the statement goes out'),
  },
  {
    name: 'borrowed connections without a listener',
    file: `${server}/db/connections.ts`,
    from: "  pool.on('connect', (client) => void client.on('error', ignore))\n",
    to: '',
    found: integration(`${server}/db/connections.db.test.ts`, 'in a transaction, between two statements'),
  },
  {
    name: 'a connection that breaks while it begins to listen left open',
    file: `${server}/ports/bus/postgres.ts`,
    from: '      connection.end().catch(() => undefined)\n      throw error',
    to: '      throw error',
    found: unit(`${server}/ports/bus/postgres.test.ts`, 'leaves no connection behind'),
  },
  {
    name: 'fields of strangers believed by the bus',
    file: `${server}/ports/bus/message.ts`,
    from: 'Number.isSafeInteger(given[field])',
    to: 'given[field] !== undefined',
    found: unit(`${server}/ports/bus/message.test.ts`, 'from a stranger is nothing'),
  },
  {
    name: 'bytes removed while somebody enters them',
    file: `${server}/files/release-file.ts`,
    from: "    if ((await hasLease(tx, hash, 'Entering')) || (await findFile(tx, hash))) return null",
    to: '    if (await findFile(tx, hash)) return null',
    found: integration(`${server}/files/file-leases.db.test.ts`, 'about to be entered are not removed'),
  },
  {
    name: 'the epoch not tested when an answer is stored',
    file: `${migrations}/0007_record_attempts.sql`,
    from: "        when i.seen_epoch <> current_epoch then 'stale'\n",
    to: '',
    found: integration(`${server}/submissions/record-attempts.db.test.ts`, 'that rests on another epoch is not stored'),
  },
  {
    name: 'suspended teams can still submit',
    file: `${core}/participation.ts`,
    from: "  if (scene.status === 'Suspended') throw new ParticipationSuspended()\n  if (scene.status !== 'Accepted') throw new ParticipationNotAccepted()",
    to: "  if (scene.status === 'Pending') throw new ParticipationNotAccepted()",
    found: integration(`${server}/submissions/submit-flag.db.test.ts`, 'a suspended team cannot submit'),
  },
  {
    name: 'a suspension does not reach the board',
    file: `${migrations}/0006_submissions.sql`,
    from: 'create trigger participations_raise_update after update on participations for each row execute function participations_raise();\n',
    to: '',
    found: integration(`${server}/scoreboard`, 'worked game'),
  },
  {
    name: 'an answer at the very end counts',
    file: `${core}/phases.ts`,
    from: 'arrivedAt < game.endsAt',
    to: 'arrivedAt <= game.endsAt',
    found: unit(`${core}/phases.test.ts`, ''),
  },
  {
    name: 'ties ranked by team instead of time',
    file: `${core}/scoreboard.ts`,
    from: 'if (a.lastArrival !== b.lastArrival) return a.lastArrival - b.lastArrival',
    to: '',
    found: unit(`${core}/scoreboard.test.ts`, ''),
  },
  {
    name: 'points rounded up at halves',
    file: `${core}/scoring.ts`,
    from: 'Math.fround(Math.fround(perMille / 1000) + 1)',
    to: '1 + perMille / 1000',
    found: unit(`${core}/scoring.test.ts`, ''),
  },
  {
    name: 'a lower floor of the curve',
    file: `${core}/scoring.ts`,
    from: 'if (solves <= 1) return originalScore',
    to: 'if (solves <= 2) return originalScore',
    found: unit(`${core}/scoring.test.ts`, ''),
  },
  {
    name: 'the team hash cut at another place',
    file: `${core}/flags.ts`,
    from: '.slice(12, 12 + hashLength)',
    to: '.slice(0, hashLength)',
    found: unit(`${server}/games/game-keys.test.ts`, 'published vector'),
  },
  {
    name: 'another text signed in team tokens',
    file: `${core}/interop.ts`,
    from: '`GZCTF_TEAM_${',
    to: '`TEAM_${',
    found: unit(`${server}/games/game-keys.test.ts`, 'published vector'),
  },
  {
    name: 'a password of five characters',
    file: `${core}/limits.ts`,
    from: 'passwordMin: 6',
    to: 'passwordMin: 5',
    found: unit(`${core}/accounts.test.ts`, ''),
  },
  {
    name: 'the member limit off by one',
    file: `${core}/participation.ts`,
    from: '(participation?.members ?? 0) >= game.memberLimit',
    to: '(participation?.members ?? 0) > game.memberLimit',
    found: integration('apps/server/test/concurrency.test.ts', '20 members join one game'),
  },
  {
    name: 'a guard lowered',
    file: 'packages/contract/src/games.ts',
    from: "endpoint('POST /api/edit/games', {\n  access: 'admin'",
    to: "endpoint('POST /api/edit/games', {\n  access: 'monitor'",
    found: integration('apps/server/test/access.test.ts', 'POST /api/edit/games$'),
  },
  {
    name: 'times end in Z',
    file: 'packages/contract/src/wire.ts',
    from: '`${iso.slice(0, -5)}+00:00`',
    to: '`${iso.slice(0, -5)}Z`',
    found: unit('packages/contract/src/wire.test.ts', ''),
  },
  {
    name: 'the code of an ended game forgotten',
    file: 'packages/contract/src/errors.ts',
    from: "'game.ended': { http: 400, body: 10002 }",
    to: "'game.ended': { http: 400 }",
    found: integration(`${server}/submissions/submit-flag.db.test.ts`, '400/10002'),
  },
  {
    name: 'a rule without its text in Japanese',
    file: 'packages/contract/src/messages/ja_JP.ts',
    from: "    'game.ended': '大会は終了しました',\n",
    to: '',
    found: 'types',
  },
  {
    name: 'a word of the web lost in Chinese',
    file: 'apps/web/locales/zh_CN.json',
    from: '    "submit": "提交 flag",\n',
    to: '',
    found: web('apps/web/src/locales.test.ts', ''),
  },
  {
    name: 'a room below imports one above',
    file: `${server}/teams/lock-team.ts`,
    from: "import type { Tx } from '../db/transaction.ts'\n",
    to: "import type { Tx } from '../db/transaction.ts'\nimport '../games/game-keys.ts'\n",
    found: 'directions',
  },
  {
    name: 'the sanitiser lets handlers through',
    file: 'apps/web/src/ui/markdown-engine.ts',
    from: 'ALLOWED_ATTR: attributes',
    to: "ALLOWED_ATTR: [...attributes, 'onerror', 'onload', 'onclick']",
    found: web('apps/web/src/ui/markdown.test.ts', ''),
  },
  {
    name: 'a page of another site may change things',
    file: `${server}/http/origin.ts`,
    from: 'return from.host === host || from.origin === new URL(publicUrl).origin',
    to: 'return from.host !== ""',
    found: integration('apps/server/test/live.test.ts', 'a page of another site may not connect'),
  },
  {
    name: 'a demoted monitor keeps listening',
    file: `${server}/app.ts`,
    from: '  versions.onSecurity(() => void live.recheck().catch(deps.report))\n',
    to: '',
    found: integration('apps/server/test/live.test.ts', 'a demoted monitor gets nothing more'),
  },
  {
    name: 'a token of one hub opens another',
    file: `${server}/http/hub-tokens.ts`,
    from: 'const right = Buffer.from(sign(`${id} ${stamp} ${path} ${game}`))',
    to: 'const right = Buffer.from(sign(`${id} ${stamp} /hub/user ${game}`))',
    found: integration('apps/server/test/live.test.ts', 'a token opens only the hub'),
  },
  {
    name: 'the same file given to two teams',
    file: `${server}/challenges/open-challenge.ts`,
    from: 'and taken_at is null order by random()',
    to: 'order by random()',
    found: integration('apps/server/test/concurrency.test.ts', '30 teams open a challenge of 30 files'),
  },
  {
    name: 'an expired session still opens',
    file: `${server}/accounts/sessions.ts`,
    from: "    .where('expiresAt', '>', sql<Date>`clock_timestamp()`)\n",
    to: '',
    found: integration(`${server}/accounts/sessions.db.test.ts`, 'a session that has run out opens nothing'),
  },
  {
    name: 'a call of administrators opened to monitors',
    file: `${contract}/users.ts`,
    from: "endpoint('DELETE /api/admin/users/:userId/password', {\n  access: 'admin'",
    to: "endpoint('DELETE /api/admin/users/:userId/password', {\n  access: 'monitor'",
    found: integration(access, 'DELETE /api/admin/users/:userId/password'),
  },
  {
    name: 'a page of another site speaks with the cookie',
    file: `${server}/http/session-cookie.ts`,
    from: '  if (request.isForeign) return null\n',
    to: '',
    found: integration(door, 'so many connections without a handshake'),
  },
  {
    name: 'a reader who does not read is kept',
    file: `${server}/http/live.ts`,
    from: 'if (socket.bufferedAmount <= hubLimits.waitingBytes) return true',
    to: 'if (socket.bufferedAmount >= 0) return true',
    found: integration('apps/server/test/live.test.ts', 'a reader that stops reading'),
  },
  {
    name: 'connections to the hubs without a limit',
    file: `${server}/http/hub-seats.ts`,
    from: 'if (count.all >= most || count.unshaken >= unshakenMost) return null',
    to: 'if (count.all >= most) return null',
    found: unit(`${server}/http/hub-seats.test.ts`, ''),
  },
  {
    name: 'frames of a listener without a limit',
    file: `${server}/http/hub-protocol.ts`,
    from: 'if (++frames > hubLimits.framesMost)',
    to: 'if (++frames > hubLimits.framesMost * 10)',
    found: unit(`${server}/http/hub-protocol.test.ts`, ''),
  },
  {
    name: 'upgrades anywhere',
    file: `${server}/http/application.ts`,
    from: ' && hubPaths.has(path)',
    to: '',
    found: integration('apps/server/test/raw-sockets.test.ts', 'is ignored'),
  },
  {
    name: 'a call that is bound beside the binder',
    file: `${server}/http/application.ts`,
    from: '    if (stray) throw',
    to: '    if (stray?.method === undefined && stray) throw',
    found: integration(door, 'everything that answers is bound'),
  },
  {
    name: 'an address that is no number leads to the row',
    file: `${server}/http/route.ts`,
    from: 'const params = acceptParams(shape.params, request.params as Record<string, unknown>)',
    to: 'const params = acceptQuery(shape.params, request.params as Record<string, unknown>)',
    found: integration(door, 'a path parameter is digits alone'),
  },
  {
    name: 'a node that stops does not ask connections to close',
    file: `${server}/http/health.ts`,
    from: "if (state === 'draining') reply",
    to: "if (state === 'starting') reply",
    found: integration('apps/server/test/health.test.ts', 'told to stop'),
  },
  {
    name: 'a notice before the start is pushed',
    file: `${server}/games/games.live.ts`,
    from: 'if (notice?.started)',
    to: 'if (notice)',
    found: integration('apps/server/test/live.test.ts', 'before the start is pushed to nobody'),
  },
  {
    name: 'a board that nobody asked for is not kept for its listeners',
    file: `${server}/scoreboard/scoreboard.live.ts`,
    from: "() => live.gamesOf('/hub/user'),",
    to: '() => [],',
    found: integration('apps/server/test/live.test.ts', 'though nobody asked for the board'),
  },
  {
    name: 'a renamed solver keeps the old name',
    file: `${server}/scoreboard/keep-board.ts`,
    from: 'if (solvers.size > 0) renameSolvers(kept.board, solvers)',
    to: '',
    found: integration(`${server}/scoreboard/keep-board.db.test.ts`, 'a solver has another name'),
  },
  {
    name: 'all teams go out when one changes',
    file: `${server}/scoreboard/keep-board.ts`,
    from: 'listed.filter((team) => !isSameTeam(kept.teams.get(team.participationId), team))',
    to: '[...listed]',
    found: integration(`${server}/scoreboard/keep-board.db.test.ts`, 'changed rows alone'),
  },
  {
    name: 'names are read as often as somebody changes them',
    file: `${server}/scoreboard/keep-board.ts`,
    from: 'const rosterEveryMs = 1000',
    to: 'const rosterEveryMs = 0',
    found: integration(`${server}/scoreboard/keep-board.db.test.ts`, 'changes a name in a loop'),
  },
  {
    name: 'the roster does not move with a deleted solver',
    file: `${migrations}/0006_submissions.sql`,
    from: 'create trigger accounts_raise_rosters_deleted before delete on accounts for each row execute function accounts_raise_rosters();',
    to: '',
    found: integration(`${server}/scoreboard/keep-board.db.test.ts`, 'is deleted, and another takes the name'),
  },
  {
    name: 'banned callers let through',
    file: `${server}/http/gate.ts`,
    from: "{ user: 'User', monitor",
    to: "{ user: 'Banned', monitor",
    found: integration(access, 'GET /api/account/profile'),
  },
  {
    name: 'a refused caller is not recorded',
    file: `${server}/http/gate.ts`,
    from: "  if (access !== 'user') gate.denied(actor, callerIp(request), request.url.split('?')[0] as string)\n",
    to: '',
    found: integration('apps/server/test/log.test.ts', 'who asks for more than the own role may'),
  },
  {
    name: 'a call missing in the access table',
    file: 'apps/server/test/access.table.ts',
    from: "  'DELETE /api/admin/config/logo': '401 403 403 403 403 403 403 403 403 200',\n",
    to: '',
    found: integration(access, 'every described call stands in the table'),
  },
  {
    name: 'a batch of a thousand and one users',
    file: `${core}/limits.ts`,
    from: 'batchMax: 1000,',
    to: 'batchMax: 1001,',
    found: integration(`${server}/accounts/users.db.test.ts`, 'no more than a thousand'),
  },
  {
    name: 'a generated password of fifteen signs',
    file: `${core}/limits.ts`,
    from: 'generatedPasswordLength: 16',
    to: 'generatedPasswordLength: 15',
    found: integration(`${server}/accounts/users.db.test.ts`, 'is random with every class'),
  },
  {
    name: 'log entries kept a day longer',
    file: `${server}/site/logs.queries.ts`,
    from: 'make_interval(days => ${days})',
    to: 'make_interval(days => ${days + 1})',
    found: integration(`${server}/site/logs.db.test.ts`, 'older than the days that they are kept'),
  },
  {
    name: 'one more hit on a page of the search',
    file: `${core}/limits.ts`,
    from: 'search: { size: 30,',
    to: 'search: { size: 31,',
    found: integration(`${server}/accounts/users.db.test.ts`, '30 without a count'),
  },
  {
    name: 'the signs of a pattern mean something when users are looked for',
    file: `${server}/accounts/users.queries.ts`,
    from: ".replace(/[\\\\%_]/g, '\\\\$&')",
    to: '',
    found: integration(`${server}/accounts/users.db.test.ts`, 'signs of a pattern are only signs'),
  },
  {
    name: 'the signs of a pattern mean something when teams are looked for',
    file: `${server}/teams/teams.queries.ts`,
    from: ".replace(/[\\\\%_]/g, '\\\\$&')",
    to: '',
    found: integration(`${server}/teams/teams.admin.db.test.ts`, 'signs of a pattern are only signs'),
  },
  {
    name: 'a null left out of an answer',
    file: `${server}/site/site.view.ts`,
    from: 'footerInfo: config.footerInfo || null,\n    customTheme',
    to: "...(values['GlobalConfig:FooterInfo'] && { footerInfo: values['GlobalConfig:FooterInfo'] }),\n  customTheme",
    found: integration(`${server}/site/site.db.test.ts`, 'nulls written'),
  },
  {
    name: 'a fraction of zero is written',
    file: `${contract}/wire.ts`,
    from: "iso.endsWith('.000Z')",
    to: "iso.endsWith('.Z')",
    found: unit(`${contract}/wire.test.ts`, 'without a fraction of zero'),
  },
  {
    name: 'a time of a user in another form',
    file: `${server}/accounts/users.view.ts`,
    from: 'wireTime(row.registeredAt)',
    to: 'row.registeredAt.toISOString()',
    found: integration(`${server}/accounts/users.db.test.ts`, 'every account by its age'),
  },
  {
    name: 'registrations of an address kept after one of them was followed',
    file: `${server}/accounts/verify-account.ts`,
    from: '      await deleteAttempts(tx, email)\n',
    to: '',
    found: integration(mailCalls, 'the link that is followed decides'),
  },
  {
    name: 'a token of another purpose taken',
    file: `${server}/accounts/mails/link-tokens.ts`,
    from: "    .where('purpose', '=', purpose)\n",
    to: '',
    found: integration(mailCalls, 'a token never serves another purpose'),
  },
  {
    name: 'links that hold for four hours',
    file: `${core}/limits.ts`,
    from: 'mailTokenLife: 3 * hour',
    to: 'mailTokenLife: 4 * hour',
    found: integration(mailCalls, 'a link holds for three hours'),
  },
  {
    name: 'links that outlive a new password',
    file: `${migrations}/0002_accounts.sql`,
    from: ' or old.password_hash <> new.password_hash\n',
    to: '\n',
    found: integration(mailCalls, 'a link dies with whatever changes the security'),
  },
  {
    name: 'links that lead elsewhere than to PUBLIC_URL',
    file: `${server}/accounts/mails/link-tokens.ts`,
    from: 'return `${publicUrl}/account/',
    to: "return `${publicUrl.replace('ctf.', '')}/account/",
    found: integration(mailCalls, 'links begin with PUBLIC_URL'),
  },
  {
    name: 'sessions kept after a reset by mail',
    file: `${server}/accounts/reset-password.ts`,
    from: '    await endSessions(tx, account.id)\n',
    to: '',
    found: integration(mailCalls, 'a link sets a new password, ends all sessions'),
  },
  {
    name: 'sessions kept after a reset by an administrator',
    file: `${server}/accounts/reset-user-password.ts`,
    from: '    await endAccess(tx, [userId])\n',
    to: '',
    found: integration(`${server}/accounts/users.db.test.ts`, 'is random with every class'),
  },
  {
    name: 'a new password in the log',
    file: `${server}/accounts/reset-user-password.ts`,
    from: 'Reset the password of ${userName}`',
    to: 'Reset the password of ${userName} to ${password}`',
    found: integration(`${server}/accounts/users.db.test.ts`, 'is random with every class'),
  },
  {
    name: 'a recovery that reveals who has an account',
    file: `${server}/accounts/recover-account.ts`,
    from: '  await inTransaction(deps.db, (tx) => addJob(tx',
    to: '  if (!(await findByEmail(deps.db, email))) return\n  await inTransaction(deps.db, (tx) => addJob(tx',
    found: integration(mailCalls, 'recovery does the same work'),
  },
  {
    name: 'right passwords that spend what wrong ones may',
    file: `${server}/accounts/passwords.ts`,
    from: '    if (right) giveBack()\n    else ',
    to: '    if (!right) ',
    found: integration(`${server}/accounts/throttle.db.test.ts`, 'whoever signs in for each call locks nobody out'),
  },
  {
    name: 'wrong passwords counted for the account, wherever they come from',
    file: `${server}/accounts/sign-in-limits.ts`,
    from: '`${account} from ${network}`',
    to: 'account',
    found: integration(`${server}/accounts/throttle.db.test.ts`, 'keep neither the owner out'),
  },
  {
    name: 'a link of a registration that takes the newest password of the address',
    file: `${server}/accounts/registrations.queries.ts`,
    from: "    .where('tokenHash', '=', hashToken(token))\n    .where(sql`lower(email)`",
    to: '    .where(sql`lower(email)`',
    found: integration(mailCalls, 'the later link may be followed'),
  },
  {
    name: 'a new address set by an administrator keeps the sessions when it is confirmed at once',
    file: `${server}/accounts/update-user.ts`,
    from: 'old.email !== after.email || ',
    to: '',
    found: integration(`${server}/accounts/access-ends.db.test.ts`, 'sets another address and confirms it'),
  },
  {
    name: 'a way back that ends with a new password',
    file: `${migrations}/0002_accounts.sql`,
    from: " and purpose <> 'EmailChanging'",
    to: '',
    found: integration(mailCalls, 'the old address is back'),
  },
  {
    name: 'an account that waits is signed in at registration',
    file: `${server}/accounts/register.ts`,
    from: '      if (!active) return null\n',
    to: '',
    found: integration(`${server}/accounts/accounts.db.test.ts`, 'without automatic activation the account waits'),
  },
  {
    name: 'a captcha provider that is away lets everybody pass',
    file: `${server}/ports/captcha/provider.ts`,
    from: 'if (!verdict) return false',
    to: 'if (!verdict) return true',
    found: integration(`${server}/accounts/captcha.db.test.ts`, 'when the provider is away nobody passes'),
  },
  {
    name: 'a captcha score at the threshold refused',
    file: `${server}/ports/captcha/recaptcha.ts`,
    from: 'score >= options.threshold',
    to: 'score > options.threshold',
    found: unit(`${server}/ports/captcha/providers.test.ts`, 'reCAPTCHA with the score'),
  },
  {
    name: 'the last administrator demoted',
    file: `${core}/accounts.ts`,
    from: '!(after && canAdministrate(after))',
    to: 'after === null',
    found: integration(`${server}/accounts/users.db.test.ts`, 'the last administrator stays one'),
  },
  {
    name: 'two administrators demote each other at once',
    file: `${server}/accounts/users.queries.ts`,
    from: "    .orderBy('id')\n    .forNoKeyUpdate()\n",
    to: "    .orderBy('id')\n",
    found: integration(`${server}/accounts/users.db.test.ts`, 'of two administrators who take the role from each other'),
  },
  {
    name: 'an administrator changed by a batch',
    file: `${server}/accounts/add-users.ts`,
    from: "  if (account.role === 'Admin') throw new UserIsAdmin()\n",
    to: '',
    found: integration(`${server}/accounts/users.db.test.ts`, 'an administrator is never changed this way'),
  },
  {
    name: 'a new pin changes the post',
    file: `${server}/site/edit-posts.ts`,
    from: '.set(moved ? { pinned } : {',
    to: '.set(moved ? { ...columnsOf(edit), pinned } : {',
    found: integration(`${server}/site/posts.db.test.ts`, 'where the pin differs only the pin changes'),
  },
  {
    name: 'the old logo stays in the store',
    file: `${server}/site/change-logo.ts`,
    from: '  for (const hash of new Set(old)) await releaseFile(deps, hash).catch(deps.report)\n',
    to: '',
    found: integration(`${server}/site/settings.db.test.ts`, 'the pictures before it go'),
  },
  {
    name: 'logos set at once do not wait for each other',
    file: `${server}/site/change-logo.ts`,
    from: '  await sql`select from installation for update`.execute(tx)\n',
    to: '',
    found: integration(`${server}/site/settings.db.test.ts`, 'of logos that are set at the same instant'),
  },
  {
    name: 'settings stored that did not change',
    file: `${server}/site/change-settings.ts`,
    from: 'stored[key as SettingKey] !== value',
    to: 'key in stored',
    found: integration(`${server}/site/settings.db.test.ts`, 'only what differs is stored and recorded'),
  },
  {
    name: 'any text is a colour',
    file: `${server}/site/change-settings.ts`,
    from: '  if (colour && !themeColour.test(colour)) throw new ThemeColourInvalid()\n',
    to: '',
    found: integration(`${server}/site/settings.db.test.ts`, 'is refused and nothing is stored'),
  },
  {
    name: 'a team changed by an administrator without an entry in the log',
    file: `${server}/teams/administer-team.ts`,
    from: '  audit(deps, by, message)\n',
    to: '',
    found: integration(`${server}/teams/teams.admin.db.test.ts`, 'what is sent is changed'),
  },
  {
    name: 'callers counted by address instead of user',
    file: `${server}/http/gate.ts`,
    from: 'const key = actor?.id ?? address',
    to: 'const key = address',
    found: integration(`${server}/accounts/throttle.db.test.ts`, 'who is signed in is counted alone'),
  },
  {
    name: 'healthy without a database',
    file: `${server}/http/health.ts`,
    from: 'route(http, health, async ({ reply }) => say(reply, answers()))',
    to: 'route(http, health, async ({ reply }) => say(reply, true))',
    found: integration('apps/server/test/health.test.ts', 'while the database does not answer'),
  },
  {
    name: 'every node tidies up',
    file: `${server}/sweeps.ts`,
    from: ' where sweeps.due_at <= clock_timestamp()',
    to: '',
    found: integration('apps/server/test/sweeps.test.ts', 'what is due is done by one node of several'),
  },
  {
    name: 'a stale copy of the description',
    file: `${contract}/settings.ts`,
    from: "summary: 'All site settings'",
    to: "summary: 'Site settings'",
    found: unit(`${contract}/openapi.test.ts`, 'the committed document is the one that the contract makes'),
  },
  {
    name: 'a query for each team of a list',
    file: `${server}/teams/teams.queries.ts`,
    from: '    teams: await listTeams(\n      db,\n      ids.map(({ id }) => id),\n    ),\n',
    to: '    teams: (await Promise.all(ids.map(({ id }) => listTeams(db, [id])))).flat(),\n',
    found: integration('apps/server/test/query-counts.test.ts', 'GET /api/admin/teams$'),
  },
  {
    name: 'a broken picture form is a fault of the server',
    file: `${server}/http/error-answer.ts`,
    from: 'isFormError(error) || ',
    to: '',
    found: integration(`${server}/accounts/accounts.db.test.ts`, 'a form that ends too early.*PUT'),
  },
  {
    name: 'a broken form of files is answered as a storage fault',
    file: `${server}/http/uploads.ts`,
    from: '/multipart|part header|terminated early',
    to: '/part header|terminated early',
    found: integration(errorRows, 'form that ends too early'),
  },
  {
    name: 'a file that is cut off is answered as a storage fault',
    file: `${server}/http/uploads.ts`,
    from: '|unexpected end of (form|file)/i',
    to: '/i',
    found: integration(`${server}/accounts/accounts.db.test.ts`, 'a form that ends too early.*POST'),
  },
  {
    name: 'the pushes of a game heard in every game',
    file: `${server}/games/games.live.ts`,
    from: "live.send({ hub: '/hub/user', game: gameId }, 'ReceivedGameNotice'",
    to: "for (const game of live.gamesOf('/hub/user')) live.send({ hub: '/hub/user', game }, 'ReceivedGameNotice'",
    found: integration('apps/server/test/live.test.ts', 'the listeners of another hear nothing'),
  },
  {
    name: 'the repeated right answer of a team refused',
    file: `${migrations}/0007_record_attempts.sql`,
    from: '      and not exists (select from solves s where s.participation_id = n.participation_id and s.challenge_id = n.challenge_id)\n',
    to: '',
    found: integration(`${server}/submissions/submit-flag.db.test.ts`, 'is right again, for the same player and for a team mate'),
  },
  {
    name: 'the original score in the detail of a challenge',
    file: `${server}/scoreboard/scoreboard.routes.ts`,
    from: 'score: (kept && scoreNow(kept.board, params.cid)) ?? opened.originalScore }',
    to: 'score: opened.originalScore }',
    found: integration(`${server}/submissions/submit-flag.db.test.ts`, 'shows what it is worth now'),
  },
  {
    name: 'thirty-one digits of an invite code are enough',
    file: `${server}/teams/invites.ts`,
    from: 'timingSafeEqual(Buffer.from(team.inviteToken), Buffer.from(invite.secret))',
    to: 'timingSafeEqual(Buffer.from(team.inviteToken.slice(0, -1)), Buffer.from(invite.secret.slice(0, -1)))',
    found: integration(`${server}/teams/teams.db.test.ts`, 'each of the 32 digits'),
  },
  {
    name: 'a new writeup keeps the time of the earlier one',
    file: `${server}/writeups/writeups.queries.ts`,
    from: 'doUpdateSet({ fileHash, fileName, uploadedAt: sql`clock_timestamp()` })',
    to: 'doUpdateSet({ fileHash, fileName })',
    found: integration(`${server}/writeups/writeups.db.test.ts`, 'another one takes its place'),
  },
  {
    name: 'a change announced before its commit',
    file: `${server}/games/edit-notice.ts`,
    from: "    await tx.deleteFrom('notices').where('id', '=', noticeId).execute()\n",
    to: "    await tx.deleteFrom('notices').where('id', '=', noticeId).execute()\n    bus.publish('notice.changed', { gameId })\n",
    found: integration(`${server}/games/notices.db.test.ts`, 'and deleted'),
  },
  {
    name: 'answers after the end put on the board',
    file: `${core}/scoreboard.ts`,
    from: ' || !countsForScore(board, solve.arrivedAt)) return undefined',
    to: ') return undefined',
    found: integration('apps/server/test/live.test.ts', 'a right answer after the end moves no board'),
  },
  {
    name: '401 before 429',
    file: `${server}/http/gate.ts`,
    from: '  spendLimit(limiter, shape, key)\n  mayCall(gate, shape.access, actor, request)\n',
    to: '  mayCall(gate, shape.access, actor, request)\n  spendLimit(limiter, shape, key)\n',
    found: unit(`${server}/http/gate.test.ts`, '429 comes before 401 and 403'),
  },
  {
    name: 'tokens of hubs live ten times as long',
    file: `${core}/limits.ts`,
    from: '  tokenLife: 15 * second,',
    to: '  tokenLife: 150 * second,',
    found: unit(`${server}/http/hub-tokens.test.ts`, 'a token lives 15 seconds'),
  },
  {
    name: 'a locked folder locked once more',
    file: `${server}/db/folder-lock.ts`,
    from: 'return flock.status === 0',
    to: 'return flock.status !== null',
    found: unit(`${server}/db/folder-lock.test.ts`, 'the second who comes is told'),
  },
]

/** Whether what should find the fault is red, and what it said. */
function isFound(found: Fault['found']): { red: boolean; said: string } {
  if (found === 'types') {
    const { status, stdout } = runIn(copy, 'node', ['node_modules/typescript-7/bin/tsc', '-p', '.'])
    return { red: status !== 0, said: stdout.split('\n')[0] ?? '' }
  }
  if (found === 'directions') {
    const { status, stdout } = runIn(copy, 'npx', ['depcruise', 'packages', 'apps', '--config', '.dependency-cruiser.cjs'])
    return { red: status !== 0, said: /error [^\n]+/.exec(stdout)?.[0] ?? '' }
  }
  return failsIn(copy, found)
}

const only = process.argv.indexOf('--only')
const chosen = only > 0 ? faults.filter(({ name }) => name.includes(process.argv[only + 1] ?? '')) : faults
const copy = copyProject()
let passed = 0
try {
  passed = plantAll(copy, chosen, isFound)
} finally {
  removeCopy(copy)
}
console.log(`${passed} passed, ${chosen.length - passed} failed`)
process.exitCode = passed === chosen.length ? 0 : 1
