/** Names of people and teams: stored form, allowed characters, equality. */
import { skeletonOf } from './confusables.ts'
import { accountLimits, teamLimits } from './limits.ts'
import { TeamNameCharacters, TeamNameInvalid, UserNameCharacters, UserNameInvalid, UserNameTaken } from './rules.ts'

/** Control and format characters (including bidirectional ones), line and paragraph separators, which change how the text around them reads. */
const unreadable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
/** Braille and Hangul fillers are letters without a visible glyph. */
const invisible = /[\s\u2800\p{Default_Ignorable_Code_Point}]/gu

/** Emoji of the Unicode list (UTS 51), with their joiners, variation selectors and tags. */
const emoji = /\p{RGI_Emoji}/gv
const selector = /\p{Variation_Selector}/u

const isBlank = (name: string): boolean => name.replace(invisible, '') === ''

/** Equal for equal user names: case-folded NFKC without invisible characters, runs of blanks as one. */
export function nameKey(name: string): string {
  const visible = name.normalize('NFKC').replace(/[\u2800\p{Default_Ignorable_Code_Point}]/gu, '')
  // Upper case first, which unifies ß and ss, ς and σ.
  const folded = visible.toUpperCase().toLowerCase().normalize('NFKC')
  return folded.replace(/\s+/gu, ' ').trim()
}

/** Names of the platform and of visitors in the log and on screens. */
const reserved = ['System', 'Anonymous']

/** Compares skeletons (confusables.ts), also without regard to case: `ADMlN` looks like `Admin` in capitals, `Аdmin` with a Cyrillic first letter like `Admin` itself. */
function looksLike(name: string, other: string): boolean {
  const skeletons = [other, other.toUpperCase(), other.toLowerCase()].map(skeletonOf)
  return skeletons.includes(skeletonOf(name)) || skeletonOf(nameKey(name)) === skeletonOf(nameKey(other))
}

/** @throws UserNameTaken if the name is easily confused with one of the others */
export function mustNotLookLike(name: string, others: readonly string[]): void {
  if (others.some((other) => looksLike(name, other))) throw new UserNameTaken()
}

/** The stored form of a user name: trimmed, in NFC. @throws UserNameInvalid, UserNameCharacters, UserNameTaken */
export function cleanUserName(name: string): string {
  const { userNameMin: min, userNameMax: max } = accountLimits
  const clean = name.trim().normalize('NFC')
  if (clean.length < min || clean.length > max || isBlank(clean)) throw new UserNameInvalid({ min, max })
  if (unreadable.test(clean) || clean.includes('@')) throw new UserNameCharacters()
  const key = nameKey(clean)
  // Compatibility forms of `@`, such as the full-width one, also look like an address.
  if (key.includes('@')) throw new UserNameCharacters()
  mustNotLookLike(clean, reserved)
  return clean
}

/** The stored form of a team name: trimmed, in NFC. Joiners, variation selectors and tags only inside emoji. @throws TeamNameInvalid, TeamNameCharacters */
export function cleanTeamName(name: string | null | undefined): string {
  const { nameMax: max } = teamLimits
  const clean = (name ?? '').trim().normalize('NFC')
  if (clean.length > max || isBlank(clean)) throw new TeamNameInvalid({ max })
  const text = clean.replace(emoji, ' ')
  if (unreadable.test(text) || selector.test(text)) throw new TeamNameCharacters()
  return clean
}

/** One line without characters that change how text reads: for user input in the log. */
export const readable = (text: string): string => text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
