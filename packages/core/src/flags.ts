/** Flags: templates, judging, and the hashes shared with external challenge servers. */
import { gameSaltText } from './interop.ts'
import { challengeLimits, flagLimits } from './limits.ts'
import { FlagEmpty, FlagTooLong, TemplateExpandsTooFar, TemplateTooLong, TemplateTooSimple } from './rules.ts'

/** A uniformly distributed integer from 0 to n-1. On the server from a cryptographic source. */
export type Random = (n: number) => number
/** SHA-256 over the UTF-8 bytes of a text, as 64 lower-case hex digits. */
export type Sha256 = (text: string) => string
/** A random GUID, lower case with hyphens. */
type MakeGuid = () => string

// ---- leet

type LeetTable = Readonly<Record<string, string>>

const table = (rows: string): LeetTable => Object.fromEntries(rows.split(' ').map((row) => [row.slice(0, 1), row.slice(1)]))

/** Maps an upper-case letter or a digit to its possible replacements. */
const simpleLeet: LeetTable = table(
  'AAa4 BBb68 CCc DDd EEe3 FFf1 GGg69 HHh IIi1l JJj KKk LLl1I MMm NNn OOo0 PPp QQq9 RRr SSs5 TTt7 UUu VVv WWw XXx YYy ZZz2 ' +
    '00oO 11lI 22zZ 33eE 44aA 55Ss 66Gb 77T 88bB 99g',
)

const complexLeet: LeetTable = {
  ...simpleLeet,
  ...table('AAa4@ BBb6& CCc( IIi1l! LLl1I! OOo0# SSs5$ ZZz2? 00oO# 11lI| 22zZ? 88B&'),
}

/** Yields each character with its replacements: leet is on after `{` and `]`, off after `}` and `[`. */
function* walkLeet(text: string, leetTable: LeetTable): Generator<readonly [character: string, choices: string | undefined]> {
  let on = false
  for (const character of text) {
    const choices = on ? leetTable[character.toUpperCase()] : undefined
    if (character === '{' || character === ']') on = true
    else if (character === '}' || character === '[') on = false
    yield [character, choices]
  }
}

/** Replaces letters and digits between braces by random look-alikes, and blanks by `_`. Placeholders are kept. */
function leet(text: string, leetTable: LeetTable, random: Random): string {
  let result = ''
  for (const [character, choices] of walkLeet(text, leetTable)) {
    if (choices) result += choices[random(choices.length)]
    else result += character === ' ' ? '_' : character
  }
  return result
}

// ---- templates

const guidMark = '[GUID]'
const hashMark = '[TEAM_HASH]'
const guidLength = 36
const hashLength = 12
/** `flag{` + GUID + `}` */
const blankLength = 'flag{}'.length + guidLength

/** The template without its prefix, and the table of the prefix. */
function readPrefix(template: string): { text: string; leetTable: LeetTable | undefined } {
  if (template.startsWith('[LEET]')) return { text: template.slice('[LEET]'.length), leetTable: simpleLeet }
  if (template.startsWith('[CLEET]')) return { text: template.slice('[CLEET]'.length), leetTable: complexLeet }
  return { text: template, leetTable: undefined }
}

const isBlank = (template: string | null): template is null => trimFlag(template ?? '') === ''

export interface FlagSources {
  readonly random: Random
  readonly makeGuid: MakeGuid
  /** Called only if the template contains the placeholder. */
  readonly teamHash: () => string
}

/**
 * The flag of one team. The first matching rule applies: blank template; [GUID]; [TEAM_HASH], with leet only if a prefix requests it; leet of the whole text.
 * Without white space at its ends, which is removed from every answer.
 */
export const makeFlag = (template: string | null, sources: FlagSources): string => trimFlag(expandTemplate(template, sources))

function expandTemplate(template: string | null, sources: FlagSources): string {
  if (isBlank(template)) return `flag{${sources.makeGuid()}}`
  if (template.includes(guidMark)) return template.replaceAll(guidMark, sources.makeGuid())
  const { text, leetTable } = readPrefix(template)
  if (!template.includes(hashMark)) return leet(text, leetTable ?? simpleLeet, sources.random)
  const leeted = leetTable ? leet(text, leetTable, sources.random) : text
  return leeted.replaceAll(hashMark, sources.teamHash())
}

/** The flag of a test container, in the form of a real flag, so that images that parse it start. It cannot be submitted. */
export function makeTestFlag(template: string | null, sources: Pick<FlagSources, 'random' | 'makeGuid'>): string {
  if (isBlank(template)) return 'flag{this_is_a_test_flag}'
  const teamHash = () => Array.from({ length: hashLength }, () => sources.random(16).toString(16)).join('')
  return makeFlag(template, { ...sources, teamHash })
}

/** Random bits that leet adds: the sum of log2 of the number of replacements. */
export function leetEntropy(template: string): number {
  const { text, leetTable } = readPrefix(template)
  let bits = 0
  for (const [, choices] of walkLeet(text, leetTable ?? simpleLeet)) if (choices) bits += Math.log2(choices.length)
  return bits
}

/** Maximum length of a flag of this template. */
function longestFlag(template: string | null): number {
  if (isBlank(template)) return blankLength
  const count = (mark: string, text: string) => text.split(mark).length - 1
  if (template.includes(guidMark)) return template.length + count(guidMark, template) * (guidLength - guidMark.length)
  const { text } = readPrefix(template)
  return text.length + count(hashMark, text) * (hashLength - hashMark.length)
}

/** Validates a template of dynamic containers, as it will be stored. @throws TemplateTooLong, TemplateExpandsTooFar, TemplateTooSimple */
export function mustBeGoodTemplate(typed: string | null): void {
  const template = cleanTemplate(typed)
  if (template === null) return
  if (template.length > flagLimits.templateMax) throw new TemplateTooLong({ max: flagLimits.templateMax })
  const length = longestFlag(template)
  if (length > flagLimits.flagMax) throw new TemplateExpandsTooFar({ length, max: flagLimits.flagMax })
  if (template.includes(guidMark) || template.includes(hashMark)) return
  const bits = leetEntropy(template)
  if (bits < flagLimits.entropyMin) throw new TemplateTooSimple({ bits, min: flagLimits.entropyMin })
}

/** As stored: without white space at its ends; blank becomes null. */
export const cleanTemplate = (template: string | null): string | null => (isBlank(template) ? null : trimFlag(template))

// ---- judging

const space = /[\p{White_Space}\uFEFF]/u

/** Removes Unicode white space at both ends. Linear, while a regular expression for both ends would be quadratic for runs of spaces. */
export function trimFlag(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && space.test(text.charAt(from))) from++
  while (from < to && space.test(text.charAt(to - 1))) to--
  return text.slice(from, to)
}

/** The answer as judged and stored. The limit applies before trimming. @throws FlagTooLong, FlagEmpty */
export function readAnswer(text: string): string {
  if (text.length > flagLimits.flagMax) throw new FlagTooLong({ max: flagLimits.flagMax })
  const answer = trimFlag(text)
  if (answer === '') throw new FlagEmpty()
  return answer
}

/** The correct answers of a team: any flag of the challenge, the team's flag (null: not assigned yet), or none. */
export type FlagKey =
  | { readonly kind: 'any of'; readonly flags: readonly string[] }
  | { readonly kind: 'own'; readonly flag: string | null }
  | { readonly kind: 'none' }

/** Compares exactly. Whether a wrong answer is another team's flag (`CheatDetected`) is decided when it is stored, because only the database has every team's flags. */
export function judgeFlag(answer: string, key: FlagKey): 'Accepted' | 'WrongAnswer' | 'NotFound' {
  if (key.kind === 'none') return 'NotFound'
  const right = key.kind === 'own' ? key.flag === answer : key.flags.includes(answer)
  return right ? 'Accepted' : 'WrongAnswer'
}

// ---- pasted lists

/** `line` counts from 1. */
export interface BadLine {
  readonly line: number
  readonly text: string
  readonly reason: 'too long' | 'repeated' | 'not flag and link' | 'not a link'
}
export interface FlagLine {
  readonly line: number
  readonly flag: string
}
export interface RemoteLine extends FlagLine {
  readonly url: string
}

type Reading<Row> = { readonly row: Row } | { readonly reason: BadLine['reason'] }

function readLines<Row extends FlagLine>(text: string, read: (line: string, number: number) => Reading<Row>) {
  const good: Row[] = []
  const bad: BadLine[] = []
  const seen = new Set<string>()
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    const content = trimFlag(raw)
    if (content === '') continue
    const line = index + 1
    const reading = read(content, line)
    if ('reason' in reading) bad.push({ line, text: content, reason: reading.reason })
    else if (reading.row.flag.length > flagLimits.flagMax) bad.push({ line, text: content, reason: 'too long' })
    else if (seen.has(reading.row.flag)) bad.push({ line, text: content, reason: 'repeated' })
    else {
      seen.add(reading.row.flag)
      good.push(reading.row)
    }
  }
  return { good, bad }
}

/** One flag per line; blank lines are skipped. */
export const readFlagLines = (text: string): { good: FlagLine[]; bad: BadLine[] } =>
  readLines(text, (flag, line) => ({ row: { line, flag } }))

/** One attachment per line: flag, a blank or tab, link. Lines without exactly two parts are bad. */
export const readRemoteLines = (text: string): { good: RemoteLine[]; bad: BadLine[] } =>
  readLines(text, (content, line): Reading<RemoteLine> => {
    const parts = content.includes(' ') ? content.split(' ') : content.split('\t')
    const [flag, url] = parts
    if (parts.length !== 2 || !flag || !url) return { reason: 'not flag and link' }
    return isWebLink(url) ? { row: { line, flag, url } } : { reason: 'not a link' }
  })

/** Whether players may be given this link. */
export const isWebLink = (text: string): boolean =>
  text.length <= challengeLimits.urlMax && /^https?:\/\/[^\s/?#]+(?:[/?#]\S*)?$/i.test(text)

// ---- keys, salts, tokens

/** The stored private key (before Base64): seed XOR the repeated secret, or the seed without a secret. Obfuscation only. Salts depend on this form, so it never changes. */
export const maskSeed = (seed: Uint8Array, secret: Uint8Array): Uint8Array =>
  seed.map((byte, i) => byte ^ (secret.length > 0 ? secret[i % secret.length]! : 0))

/** `storedPrivateKey` is the Base64 text exactly as stored. */
export const gameSalt = (storedPrivateKey: string, sha256: Sha256): string => sha256(gameSaltText(storedPrivateKey))

export const challengeSalt = (salt: string, challengeId: number, sha256: Sha256): string => sha256(`${salt}::${challengeId}`)

/** 12 hex digits. `token`: the complete token of the participation. */
export const teamHash = (saltOfChallenge: string, token: string, sha256: Sha256): string =>
  sha256(`${saltOfChallenge}::${token}`).slice(12, 12 + hashLength)

/** `signature`: Base64 of the Ed25519 signature over `signedTeamText` of interop.ts. */
export const formatTeamToken = (teamId: number, signature: string): string => `${teamId}:${signature}`

/** null: no colon, no team id before the first colon, or nothing after it. */
export function parseTeamToken(token: string): { teamId: number; signature: string } | null {
  const match = /^(\d{1,10}):(.+)$/s.exec(token)
  const teamId = Number(match?.[1])
  return match && teamId <= 2 ** 31 - 1 ? { teamId, signature: match[2]! } : null
}
