import * as endpoints from '@vexil/contract/users'
import { pages } from '@vexil/core/limits'
import { UserNotFound } from '@vexil/core/rules'
import type { Deps } from '../deps.ts'
import { titleOf } from '../http/error-answer.ts'
import { pageOf } from '../http/paging.ts'
import { type Http, route } from '../http/route.ts'
import { profileView } from './accounts.view.ts'
import { addUsers, type MakeTeams } from './add-users.ts'
import { deleteUser } from './delete-user.ts'
import { resetUserPassword } from './reset-user-password.ts'
import { updateUser } from './update-user.ts'
import { type AccountRow, findUser, listUsers, searchUsers } from './users.queries.ts'
import { userView } from './users.view.ts'

const listView = ({ rows, total }: { rows: AccountRow[]; total: number }) => ({
  data: rows.map(userView),
  length: rows.length,
  total,
})

export function userRoutes(
  http: Http,
  deps: Pick<Deps, 'db' | 'bus' | 'log' | 'storage' | 'onError'>,
  makeTeams: MakeTeams,
): void {
  const { db } = deps

  route(http, endpoints.listUsers, async ({ query }) =>
    listView(await listUsers(db, { ...query, ...pageOf(query, pages.users) })),
  )

  route(http, endpoints.searchUsers, async ({ query }) =>
    listView(await searchUsers(db, query.hint, { ...query, ...pageOf(query, pages.search) })),
  )

  route(http, endpoints.addUsers, async ({ body, language, by }) =>
    addUsers(deps, { rows: body, by, describe: (refusal) => titleOf(refusal, language) }, makeTeams),
  )

  route(http, endpoints.getUser, async ({ params }) => {
    const user = await findUser(db, params.userId)
    if (!user) throw new UserNotFound()
    return profileView(user)
  })

  route(http, endpoints.updateUser, async ({ body, by, params, session: { token } }) =>
    updateUser(deps, { ...by, token }, params.userId, body),
  )

  route(http, endpoints.resetUserPassword, async ({ params, by }) => resetUserPassword(deps, by, params.userId))

  route(http, endpoints.deleteUser, async ({ params, by }) => deleteUser(deps, by, params.userId))
}
