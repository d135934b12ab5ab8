/** Commands for an administrator who cannot sign in. */
import { findByNameOrEmail, hasAdmin } from '../accounts/accounts.queries.ts'
import { resetUserPassword } from '../accounts/reset-user-password.ts'
import { openSetup } from '../accounts/setup-token.ts'
import { updateUser } from '../accounts/update-user.ts'
import type { Deps } from '../deps.ts'
import { StartError } from '../start-error.ts'
import type { CommandSpec } from './command.ts'
import { withPlatform } from './command-database.ts'

/** In the log; a token would keep the session of an administrator who changes the own account. */
const by = { id: 'command line', userName: 'System', ip: '', token: '' }

async function find({ db }: Deps, name: string) {
  const account = await findByNameOrEmail(db, name)
  if (!account) throw new StartError(`There is no account with the name or email address ${name}.`)
  return account
}

export const setupLinkCommand: CommandSpec = {
  name: 'setup-link',
  summary: 'print a new set-up link; earlier ones become invalid',
  run: (context) =>
    withPlatform(context, {}, async (deps) => {
      if (await hasAdmin(deps.db))
        throw new StartError('There is an administrator: use "vexil reset-password NAME" or "vexil make-admin NAME".')
      const link = await openSetup({ ...deps, config: { ...deps.config, adminPassword: null } })
      deps.log.write({ status: 'Success', name: 'System', message: 'New set-up link created on the command line' })
      return { lines: [String(link)], json: { link } }
    }),
}

export const resetPasswordCommand: CommandSpec = {
  name: 'reset-password',
  args: ['name'],
  summary: 'set a random password for an account, end its sessions, and print the password once',
  run: (context, [name = '']) =>
    withPlatform(context, {}, async (deps) => {
      const { id, userName } = await find(deps, name)
      const password = await resetUserPassword(deps, by, id)
      return { lines: [`New password of ${userName}: ${password}`], json: { userName, password } }
    }),
}

export const makeAdminCommand: CommandSpec = {
  name: 'make-admin',
  args: ['name'],
  summary: 'make an account an active administrator',
  run: (context, [name = '']) =>
    withPlatform(context, {}, async (deps) => {
      const { id, userName } = await find(deps, name)
      await updateUser(deps, by, id, { role: 'Admin', emailConfirmed: true })
      return { lines: [`${userName} is an administrator.`], json: { userName } }
    }),
}
