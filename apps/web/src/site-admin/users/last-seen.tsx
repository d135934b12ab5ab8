import type { UserInfo } from '@vexil/contract/users'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { When } from '../../ui/time/when.tsx'

type Visit = Pick<UserInfo, 'lastVisitedUtc'>

/** On the wire, 1970 means that the account never signed in. */
export const hasVisited = ({ lastVisitedUtc }: Visit): boolean => Date.parse(lastVisitedUtc) > 0

export function LastSeen({ user, style }: { readonly user: Visit; readonly style: 'relative' | 'exact' }) {
  const { t } = useTranslation()
  return hasVisited(user) ? <When at={user.lastVisitedUtc} style={style} /> : t('admin.users.neverSeen')
}
