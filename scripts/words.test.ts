/** Words that make comments, documents, English texts and names hard to read, and what to write instead. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './toolchain.mjs'

const instead: Readonly<Record<string, string>> = {
  whoever: 'the caller, a client, everyone who',
  somebody: 'an account, a caller, a player',
  nobody: 'no one of …, none, or the passive voice',
  'is told': 'is notified, is shown',
  'are told': 'are notified, are shown',
  'would else': 'would otherwise',
  'once more': 'again',
  'of its own': 'separate, its own',
  'goes on': 'continues',
  'by itself': 'automatically, without …',
  anew: 'again',
  'in vain': 'without success',
  'hears of': 'receives',
  'unless told': 'by default',
  stands: 'is',
  lies: 'is, is stored',
}
const words = new RegExp(`\\b(?:${Object.keys(instead).join('|')})\\b`, 'gi')

/** Allowed occurrences: the file, a part of the line, and the reason. At most 20. */
const exceptions: readonly (readonly [file: string, part: string, reason: string])[] = [
  ['scripts/words.test.ts', '', 'the list'],
  ['apps/web/locales/en_US.json', '"somebody": "former member"', 'a key'],
  ['apps/web/locales/en_US.json', 'Reading the task once more is free.', 'a hint whose text is fixed'],
]

/** Former names without a standard meaning, and the current names. A file is listed by its name, other code by its identifier. */
const renamed: Readonly<Record<string, string>> = {
  'body-bytes': 'read-body',
  'find-play': 'player-access',
  'finished-bytes': 'response-cache',
  'further-process': 'worker-process',
  'joined-bytes': 'gzip-concat',
  'lost-code': 'chunk-recovery',
  'own-rows': 'team-row-cache',
  'send-pieces': 'stream-chunks',
  distrust: 'invalidate',
  doubtPlatform: 'markUnreachable',
  findScene: 'findSubmissionContext',
  findPlay: 'playerAccess',
  holdings: 'teamFlags',
  inTurns: 'settleAll',
  isReading: 'dropIfBackedUp',
  keepInstances: 'startInstanceSweeper',
  leaveInstances: 'noSweeper',
  ledAway: 'redirectReason',
  ledAwayBy: 'redirectFor',
  LeadOn: 'RedirectTo',
  keepHeard: 'patchList',
  LaterSelect: 'Select',
  laneCount: 'subnetCount',
  moveLane: 'moveToFreeSubnet',

  plainArray: 'pgArrayLiteral',
  Needed: 'the dependencies of the room',
  readAgain: 'refetch',
  ReadScene: 'ReadSubmissionContext',
  SceneFacts: 'SubmissionContext',
  tellLost: 'reportLostCode',
  Voices: 'StartOutput',
}

const ignored = ['**/node_modules/**', '**/dist/**', 'data/**']
const code = globSync(['{packages,apps,scripts,tools,e2e}/**/*.{ts,tsx,mjs,css}', '*.ts'], { cwd: root, exclude: ignored })
const migrations = globSync('apps/server/src/db/migrations/*.sql', { cwd: root })
/** The security page quotes titles of tests. */
const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: root, exclude: [...ignored, 'docs/security.md'] })
const texts = [
  'apps/web/locales/en_US.json',
  'packages/contract/src/messages/en_US.ts',
  'apps/server/src/accounts/mails/en_US.ts',
]

const isComment = (line: string) => /^\s*(\/\/|\/?\*)|\s\/\/ |\/\*/.test(line)
const commentOf = (line: string) => line.slice(Math.max(0, line.search(/^\s*(\/\/|\/?\*)|\s\/\/ |\/\*/)))

/** Each line with a word of the list, as `file:line: words`. */
function found(files: readonly string[], part: (line: string) => string): string[] {
  return files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, at) => {
        const bad = part(line).match(words) ?? []
        const allowed = exceptions.some(([of, some]) => of === file && line.includes(some))
        return bad.length === 0 || allowed ? [] : [`${file}:${at + 1}: ${bad.join(', ')}`]
      }),
  )
}

test('comments use plain words', () => {
  expect(code.length).toBeGreaterThan(1000)
  expect(found(code, (line) => (isComment(line) ? commentOf(line) : ''))).toEqual([])
  expect(migrations.length).toBeGreaterThan(20)
  expect(found(migrations, (line) => /--.*/.exec(line)?.[0] ?? '')).toEqual([])
})

test('documents and English texts use plain words', () => {
  expect(documents.length).toBeGreaterThan(40)
  expect(found([...documents, ...texts], (line) => line)).toEqual([])
})

test('files and identifiers do not have a former name', () => {
  const formerNames = new RegExp(`(?<![\\w-])(?:${Object.keys(renamed).join('|')})(?![\\w-])`, 'g')
  const inPath = (file: string) => file.match(formerNames) ?? []
  const inText = (file: string) => readFileSync(join(root, file), 'utf8').match(formerNames) ?? []
  const former = code
    .filter((file) => file !== 'scripts/words.test.ts' && file !== 'apps/server/src/db/migrations.db.test.ts')
    .flatMap((file) => [...inPath(file), ...inText(file)].map((name) => `${file}: ${name}, now ${renamed[name]}`))
  expect(former).toEqual([])
})

test('there are few exceptions, each with a reason', () => {
  expect(exceptions.length).toBeLessThanOrEqual(20)
  expect(exceptions.filter(([, , reason]) => reason.length < 4)).toEqual([])
})
