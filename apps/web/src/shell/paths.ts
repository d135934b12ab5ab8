/** Addresses of all screens; links are made only from these. */

type Id = number | string

const withQuery = (path: string, query: Readonly<Record<string, string | undefined>>) => {
  const filled = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return filled.length > 0 ? `${path}?${new URLSearchParams(filled)}` : path
}

export const paths = {
  home: '/',
  about: '/About',
  games: '/games',
  game: (id: Id) => `/games/${id}`,
  challenges: (id: Id, challenge?: Id) =>
    withQuery(`/games/${id}/Challenges`, { c: challenge === undefined ? undefined : String(challenge) }),
  /** The challenges with the sheet of notices or the own team open, for phones. */
  sheet: (id: Id, sheet: 'notices' | 'team') => withQuery(`/games/${id}/Challenges`, { sheet }),
  scoreboard: (id: Id) => `/games/${id}/Scoreboard`,
  hall: (id: Id) => `/games/${id}/screen`,
  monitor: (id: Id, tab: 'Events' | 'Submissions' | 'CheatInfo' | 'traffic' = 'Events') => `/games/${id}/monitor/${tab}`,
  posts: '/posts',
  post: (id: string) => `/posts/${id}`,
  editPost: (id: string) => `/posts/${id}/edit`,
  teams: '/Teams',
  /** Creates a team and returns to the join form of a game with it. */
  teamsFor: (game: Id, chosen: { readonly division?: string | null; readonly code?: string } = {}) =>
    withQuery('/Teams', { for: String(game), division: chosen.division ?? undefined, code: chosen.code || undefined }),
  joinGame: (game: Id, chosen: { readonly team?: Id; readonly division?: string; readonly code?: string }) =>
    withQuery(`/games/${game}`, {
      join: String(chosen.team ?? ''),
      division: chosen.division,
      code: chosen.code,
    }),
  joinTeam: (code: string) => withQuery('/Teams', { join: code }),
  setup: '/setup',
  login: (from?: string) => withQuery('/account/Login', { from }),
  register: (from?: string) => withQuery('/account/Register', { from }),
  recovery: '/account/Recovery',
  profile: '/account/Profile',
  admin: {
    games: '/admin/games',
    /** The list with the form of a new game open. */
    newGame: '/admin/games?new=1',
    game: (id: Id, tab: 'Info' | 'Notices' | 'Review' | 'Writeups' | 'challenges' = 'Info') => `/admin/games/${id}/${tab}`,
    challenge: (id: Id, challenge: Id) => `/admin/games/${id}/challenges/${challenge}`,
    flags: (id: Id, challenge: Id) => `/admin/games/${id}/challenges/${challenge}/Flags`,
    teams: '/admin/Teams',
    users: '/admin/Users',
    usersNamed: (name: string) => withQuery('/admin/Users', { search: name }),
    instances: '/admin/Instances',
    health: '/admin/Health',
    logs: '/admin/Logs',
    errorLogs: '/admin/Logs?level=Error',
    warningLogs: '/admin/Logs?level=Warning',
    settings: '/admin/Settings',
    mail: '/admin/Settings#mail',
    captcha: '/admin/Settings#captcha',
    files: '/admin/Settings#files',
    server: '/admin/Settings#server',
  },
} as const

/** A copy of a query with some parts changed; null removes a part. */
export function withParts(query: URLSearchParams, parts: Readonly<Record<string, string | null>>): URLSearchParams {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(parts)) {
    if (value === null) next.delete(name)
    else next.set(name, value)
  }
  return next
}

/** Target after signing in: only a path of this site, so that a link cannot redirect elsewhere. */
export function safeFrom(from: string | null | undefined): string {
  if (!from?.startsWith('/') || from.startsWith('//') || /[\\\p{Cc}]/u.test(from)) return paths.home
  return from
}
