/** Rules of accounts: passwords, names, addresses, roles, registration and login. */
import type { Random } from './flags.ts'
import { accountLimits } from './limits.ts'
import { AccountBanned, AccountNotActive, CredentialsWrong, EmailDomainRefused, LastAdmin, PhoneInvalid } from './rules.ts'
import { type RegisterStatus, type Role, roles } from './vocabulary.ts'

// ---- roles

export const atLeast = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least)

const canAdministrate = ({ role, active }: { role: Role; active: boolean }): boolean => role === 'Admin' && active

/** Ensures that an active administrator remains. `after` null: the account is deleted. @throws LastAdmin */
export function mustLeaveAnAdmin(
  before: { role: Role; active: boolean },
  after: { role: Role; active: boolean } | null,
  others: readonly { role: Role; active: boolean }[],
): void {
  if (canAdministrate(before) && !(after && canAdministrate(after)) && !others.some(canAdministrate)) throw new LastAdmin()
}

// ---- passwords

export interface PasswordHints {
  readonly length: boolean
  readonly lower: boolean
  readonly upper: boolean
  readonly digit: boolean
  readonly symbol: boolean
}

/** Hints for the form. Only `length` is enforced. */
export const passwordHints = (password: string): PasswordHints => ({
  length: password.length >= accountLimits.passwordMin,
  lower: /\p{Ll}/u.test(password),
  upper: /\p{Lu}/u.test(password),
  digit: /\p{Nd}/u.test(password),
  symbol: /[^\p{L}\p{N}\s]/u.test(password),
})

const signs = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789', '!@#$%^&*()-_=+']

/** 16 characters: letters, digits and symbols, at least one lower-case, upper-case, digit and symbol. */
export function generatePassword(random: Random): string {
  const pick = (from: string) => from.charAt(random(from.length))
  const picked = signs.map(pick)
  while (picked.length < accountLimits.generatedPasswordLength) picked.push(pick(signs.join('')))
  // Shuffles, so that the four classes may be at any position.
  return Array.from({ length: picked.length }, () => picked.splice(random(picked.length), 1)[0]).join('')
}

// ---- addresses

/** Addresses with the same folded form are the same. */
export const foldCase = (text: string): string => text.toLowerCase()

/** Exactly one `@`, a nonempty local part, a host with a dot; no blanks or characters with a meaning in mail headers. */
export const isEmail = (text: string): boolean =>
  text.length <= accountLimits.emailMax &&
  /^[^@\s<>()[\]\\,;:"\p{Cc}]+@[^@\s<>()[\]\\,;:"\p{Cc}.]+(?:\.[^@\s<>()[\]\\,;:"\p{Cc}.]+)+$/u.test(text)

/** As stored: null for blank. Allows digits, blanks, `+ - . ( )` and an extension. @throws PhoneInvalid */
export function cleanPhone(text: string): string | null {
  const phone = text.trim()
  if (phone === '') return null
  const proper = /^[\s+\-.()]*\d[\d\s+\-.()]*(?:(?:ext\.?|x)\s*\d+)?$/i
  if (phone.length > accountLimits.phoneMax || !proper.test(phone)) throw new PhoneInvalid()
  return phone
}

const parseDomains = (list: string): string[] =>
  list
    .split(',')
    .map((domain) => foldCase(domain.trim()))
    .filter((domain) => domain !== '')

/** An empty list allows every domain. The domain is the part after the last `@`; case is ignored. */
function isDomainAllowed(email: string, list: string): boolean {
  const domains = parseDomains(list)
  return domains.length === 0 || domains.includes(foldCase(email.slice(email.lastIndexOf('@') + 1)))
}

/** @throws EmailDomainRefused with the allowed domains */
export function mustHaveAllowedDomain(email: string, list: string): void {
  if (!isDomainAllowed(email, list)) throw new EmailDomainRefused({ domains: parseDomains(list).join(', ') })
}

// ---- outcomes

export interface RegisterPolicy {
  readonly activeOnRegister: boolean
  readonly emailConfirmationRequired: boolean
}

/** Automatic activation takes precedence over mail confirmation. */
export function registerOutcome(policy: RegisterPolicy): RegisterStatus {
  if (policy.activeOnRegister) return 'LoggedIn'
  return policy.emailConfirmationRequired ? 'EmailConfirmationRequired' : 'AdminConfirmationRequired'
}

/** Checks the password first, so that strangers do not learn who is banned or inactive. `account` null: no such user. @throws CredentialsWrong, AccountBanned, AccountNotActive */
export function mustBeAbleToLogIn(account: { passwordRight: boolean; role: Role; active: boolean } | null): void {
  if (!account?.passwordRight) throw new CredentialsWrong()
  if (account.role === 'Banned') throw new AccountBanned()
  if (!account.active) throw new AccountNotActive()
}

// ---- invite code of a team

export interface InviteCode {
  readonly name: string
  readonly teamId: number
  /** 32 lower-case hex digits. */
  readonly secret: string
}

export const formatInviteCode = ({ name, teamId, secret }: InviteCode): string => `${name}:${teamId}:${secret}`

/** Parsed from the right, because names may contain colons. null: malformed, or the number exceeds 32 bits. */
export function parseInviteCode(code: string): InviteCode | null {
  const match = /:(\d{1,10}):([0-9a-f]{32})$/.exec(code)
  if (!match) return null
  const teamId = Number(match[1])
  return teamId <= 2 ** 31 - 1 ? { name: code.slice(0, match.index), teamId, secret: match[2]! } : null
}
