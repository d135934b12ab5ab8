/** Names of people and teams: how they are stored, which characters they may hold, and when two of them are the same. */
import { skeletonOf } from './confusables.ts'
import { accountLimits, teamLimits } from './limits.ts'
import { TeamNameCharacters, TeamNameInvalid, UserNameCharacters, UserNameInvalid, UserNameTaken } from './rules.ts'

/** Control, format (bidirectional ones among them), line and paragraph separators: what changes how the text around it reads. */
const unreadable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
/** Braille and Hangul fillers are letters that show nothing. */
const invisible = /[\s\u2800\p{Default_Ignorable_Code_Point}]/gu

const isBlank = (name: string): boolean => name.replace(invisible, '') === ''

/** Two user names with the same key are the same: case-folded NFKC without what shows nothing, runs of blanks as one. */
export function nameKey(name: string): string {
  const visible = name.normalize('NFKC').replace(/[\u2800\p{Default_Ignorable_Code_Point}]/gu, '')
  // Upper case first: that is where ß and ss, ς and σ meet.
  const folded = visible.toUpperCase().toLowerCase().normalize('NFKC')
  return folded.replace(/\s+/gu, ' ').trim()
}

/** Names that the log and the screens use for the platform itself and for visitors. */
const reserved = ['System', 'Anonymous']

/**
 * Whether a name is easily taken for another one: they have the same skeleton (confusables.ts) as they are, or without regard to case.
 * `ADMlN` looks like `Admin` in capitals, `Аdmin` with a Cyrillic first letter like `Admin` itself.
 */
function looksLike(name: string, other: string): boolean {
  const skeletons = [other, other.toUpperCase(), other.toLowerCase()].map(skeletonOf)
  return skeletons.includes(skeletonOf(name)) || skeletonOf(nameKey(name)) === skeletonOf(nameKey(other))
}

/** Refuses a name that is easily taken for one of the others. @throws UserNameTaken */
export function mustNotLookLike(name: string, others: readonly string[]): void {
  if (others.some((other) => looksLike(name, other))) throw new UserNameTaken()
}

/** The form in which a user name is stored: trimmed, in NFC. @throws UserNameInvalid, UserNameCharacters, UserNameTaken */
export function cleanUserName(name: string): string {
  const { userNameMin: min, userNameMax: max } = accountLimits
  const clean = name.trim().normalize('NFC')
  if (clean.length < min || clean.length > max || isBlank(clean)) throw new UserNameInvalid({ min, max })
  if (unreadable.test(clean) || clean.includes('@')) throw new UserNameCharacters()
  const key = nameKey(clean)
  // Compatibility forms of the sign, as in full-width writing, would read as an address as well.
  if (key.includes('@')) throw new UserNameCharacters()
  mustNotLookLike(clean, reserved)
  return clean
}

/** The form in which a team name is stored: trimmed, in NFC. @throws TeamNameInvalid, TeamNameCharacters */
export function cleanTeamName(name: string | null | undefined): string {
  const { nameMax: max } = teamLimits
  const clean = (name ?? '').trim().normalize('NFC')
  if (clean.length > max || isBlank(clean)) throw new TeamNameInvalid({ max })
  if (unreadable.test(clean)) throw new TeamNameCharacters()
  return clean
}

/** One line without characters that would change how it reads: for the log, which repeats what strangers typed. */
export const readable = (text: string): string => text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
