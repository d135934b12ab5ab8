/** The one-time set-up link of a platform without an administrator, and the file with a copy of it. */
import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RuleError } from '@vexil/core/rules'
import { sql } from 'kysely'
import { translated } from '../db/constraints.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { StartError } from '../start-error.ts'
import { hasAdmin, insertAccount } from './accounts.queries.ts'
import { hashPassword } from './passwords.ts'
import { hashToken } from './sessions.ts'

type SetupDeps = Pick<Deps, 'db' | 'config' | 'log'>

/** Creates the account Admin if ADMIN_PASSWORD is set, otherwise returns a new set-up link; null if there is an administrator. @throws StartError */
export async function openSetup(deps: SetupDeps): Promise<string | null> {
  const { db, config } = deps
  if (!(await hasAdmin(db)) && config.adminPassword !== null) await makeAdmin(deps, config.adminPassword)
  if (await hasAdmin(db)) {
    await removeLink(config)
    return null
  }
  const token = randomBytes(32).toString('base64url')
  await inTransaction(db, async (tx) => {
    await tx.deleteFrom('setupTokens').execute()
    await tx
      .insertInto('setupTokens')
      .values({ hash: hashToken(token) })
      .execute()
  })
  const link = `${config.publicUrl}/setup?token=${token}`
  await removeLink(config)
  await writeFile(linkFile(config), `${link}\n`, { mode: 0o600, flag: 'wx' })
  return link
}

/** Consumes the token; false if it is invalid. Concurrent calls wait for the outcome. */
export async function useToken(tx: Tx, token: string): Promise<boolean> {
  const found = await tx.deleteFrom('setupTokens').where('hash', '=', hashToken(token)).executeTakeFirst()
  return found.numDeletedRows > 0n
}

export async function isToken(db: Deps['db'], token: string): Promise<boolean> {
  const found = await db.selectFrom('setupTokens').select('hash').where('hash', '=', hashToken(token)).executeTakeFirst()
  return found !== undefined
}

export const removeLink = (config: SetupDeps['config']): Promise<void> => rm(linkFile(config), { force: true })

const linkFile = ({ dataDir }: SetupDeps['config']) => join(dataDir, 'setup-link')

async function makeAdmin({ db, config, log }: SetupDeps, password: string): Promise<void> {
  const email = config.adminEmail ?? 'admin@localhost.localdomain'
  const passwordHash = await hashPassword(password, 'start')
  const making = inTransaction(db, async (tx) => {
    await sql`select from installation for update`.execute(tx)
    if (await hasAdmin(tx)) return false
    await insertAccount(tx, { userName: 'Admin', email, passwordHash, active: true, role: 'Admin', lastIp: '0.0.0.0' })
    return true
  })
  const made = await translated(making).catch((error: unknown) => {
    if (!(error instanceof RuleError)) throw error
    throw new StartError('ADMIN_PASSWORD is set, but the name Admin or its e-mail address belongs to another account.')
  })
  if (!made) return
  log.write({
    status: 'Success',
    name: 'System',
    message: 'Account Admin created; ADMIN_PASSWORD can be removed from the environment',
  })
}
