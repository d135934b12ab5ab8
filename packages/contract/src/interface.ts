/** All calls by room, in the order of the documentation. */
import * as accounts from './accounts.ts'
import * as backup from './backup.ts'
import * as captures from './captures.ts'
import * as challenges from './challenges.ts'
import { type Endpoint, endpoints } from './endpoint.ts'
import * as files from './files.ts'
import * as games from './games.ts'
import * as health from './health.ts'
import * as hubs from './hubs.ts'
import * as instances from './instances.ts'
import * as logs from './logs.ts'
import * as mails from './mails.ts'
import * as pages from './pages.ts'
import * as scoreboard from './scoreboard.ts'
import * as services from './service-settings.ts'
import * as settings from './settings.ts'
import * as site from './site.ts'
import * as submissions from './submissions.ts'
import * as teams from './teams.ts'
import * as users from './users.ts'
import * as writeups from './writeups.ts'

export const rooms: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  site,
  accounts,
  teams,
  games,
  scoreboard,
  challenges,
  submissions,
  writeups,
  instances,
  captures,
  files,
  users,
  services,
  settings,
  backup,
  logs,
  health,
  mails,
  hubs,
  pages,
}

export function callsOf(room: string): Endpoint[] {
  // A hub consists of two calls.
  const inside = new Set(Object.values(rooms[room] ?? {}).flatMap((one) => [one, ...Object.values(one as object)]))
  return endpoints.filter((call) => inside.has(call))
}

export const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`

export const namedShapes: ReadonlyMap<unknown, string> = new Map(
  Object.values(rooms)
    .flatMap((room) => Object.entries(room))
    .filter(([name, value]) => /^[A-Z]/.test(name) && typeof value === 'object' && value !== null)
    .map(([name, value]) => [value, name]),
)
