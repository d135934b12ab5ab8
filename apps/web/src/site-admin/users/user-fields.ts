import type { Body } from '@vexil/contract/endpoint'
import type { ErrorCode } from '@vexil/contract/errors'
import type { UserInfo, updateUser } from '@vexil/contract/users'
import { cleanPhone, isEmail } from '@vexil/core/accounts'
import { cleanUserName } from '@vexil/core/names'

type Fields = Body<typeof updateUser>
/** Fails to compile if the call accepts a field that this form lacks. */
export type UserFields = { readonly [N in keyof Fields]-?: NonNullable<Fields[N]> }

export const userFields = (user: UserInfo): UserFields => ({
  userName: user.userName ?? '',
  email: user.email ?? '',
  role: user.role ?? 'User',
  emailConfirmed: user.emailConfirmed ?? false,
  phone: user.phone ?? '',
  stdNumber: user.stdNumber ?? '',
  realName: user.realName ?? '',
  bio: user.bio ?? '',
})

export function passes(check: () => unknown): boolean {
  try {
    check()
    return true
  } catch {
    return false
  }
}

export type WrongField = 'userName' | 'email' | 'phone'

export function wrongUser({ userName, email, phone }: Pick<UserFields, WrongField>): WrongField[] {
  const wrong: WrongField[] = []
  if (!passes(() => cleanUserName(userName))) wrong.push('userName')
  if (!isEmail(email.trim())) wrong.push('email')
  if (!passes(() => cleanPhone(phone))) wrong.push('phone')
  return wrong
}

/** Only the changed fields. Changing the address also sends whether it counts as confirmed. */
export function userBody(fields: UserFields, changed: readonly (keyof UserFields)[]): Body<typeof updateUser> {
  const body = Object.fromEntries(
    changed.map((name) => [name, typeof fields[name] === 'string' ? fields[name].trim() : fields[name]]),
  )
  return changed.includes('email') ? { ...body, emailConfirmed: fields.emailConfirmed } : body
}

export function refusedField(code: ErrorCode | undefined): WrongField | 'role' | undefined {
  if (code?.startsWith('account.name')) return 'userName'
  if (code?.startsWith('account.email')) return 'email'
  if (code === 'account.phone_invalid') return 'phone'
  return code === 'user.last_admin' ? 'role' : undefined
}
