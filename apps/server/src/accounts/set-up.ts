import { themeColour } from '@vexil/core/limits'
import { cleanUserName } from '@vexil/core/names'
import { SetupDone, SetupTokenWrong, ThemeColourInvalid } from '@vexil/core/rules'
import { audit } from '../audit.ts'
import { translated } from '../db/constraints.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { saveSettings } from '../site/settings.ts'
import { hasAdmin, insertAccount } from './accounts.queries.ts'
import { hashPassword } from './passwords.ts'
import { type SignedIn, startSession } from './sessions.ts'
import { isToken, removeLink, useToken } from './setup-token.ts'

export interface SetUp {
  readonly token: string
  readonly userName: string
  readonly password: string
  readonly email: string
  readonly title?: string
  readonly slogan?: string
  readonly customTheme?: string | null
  readonly demo?: boolean
}

export type WithDemo = <T>(work: (tx: Tx, makeDemoGame: () => Promise<unknown>) => Promise<T>) => Promise<T>

/** Creates the first administrator and names the platform; works once. Returns the administrator's id and a session token. */
export async function setUp(
  deps: Pick<Deps, 'db' | 'bus' | 'config' | 'log' | 'settings' | 'onError'>,
  given: SetUp,
  { ip, network }: { readonly ip: string; readonly network: string },
  withDemo?: WithDemo,
): Promise<SignedIn> {
  if (given.customTheme && !themeColour.test(given.customTheme)) throw new ThemeColourInvalid()
  // Checked before hashing: anonymous callers must not cause expensive work.
  if (!(await isToken(deps.db, given.token))) throw await refusal(deps.db)
  const userName = cleanUserName(given.userName)
  const passwordHash = await hashPassword(given.password, network)
  const make = async (tx: Tx, makeDemoGame?: () => Promise<unknown>) => {
    if (!(await useToken(tx, given.token)) || (await hasAdmin(tx))) throw await refusal(tx)
    const { email } = given
    const accountId = await insertAccount(tx, { userName, email, passwordHash, active: true, role: 'Admin', lastIp: ip })
    await saveSettings(tx, {
      ...(given.title && { 'GlobalConfig:Title': given.title }),
      ...(given.slogan && { 'GlobalConfig:Slogan': given.slogan }),
      ...(given.customTheme && { 'GlobalConfig:CustomTheme': given.customTheme }),
    })
    await makeDemoGame?.()
    return { accountId, passwordHash, token: await startSession(tx, accountId) }
  }
  const signedIn = await translated(given.demo && withDemo ? withDemo(make) : inTransaction(deps.db, (tx) => make(tx)))
  await deps.settings.reload()
  deps.bus.publish('settings.changed', {})
  audit(deps, { userName, ip }, 'Platform set up')
  await removeLink(deps.config).catch(deps.onError)
  return signedIn
}

const refusal = async (db: Deps['db'] | Tx) => ((await hasAdmin(db)) ? new SetupDone() : new SetupTokenWrong())
