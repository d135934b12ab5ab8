/**
 * All query keys. Rooms that show the same data share a key, which code that changes the data invalidates.
 * `keys.game(id).all` covers everything of one game.
 */
export const keys = {
  config: ['config'],
  captcha: ['captcha'],
  profile: ['profile'],
  myGames: ['my-games'],
  teams: {
    all: ['teams'],
    mine: ['teams', 'mine'],
    invite: (team: number) => ['teams', 'invite', team],
  },
  posts: {
    all: ['posts'],
    latest: ['posts', 'latest'],
    list: ['posts', 'list'],
    one: (id: string) => ['posts', 'one', id],
  },
  games: {
    all: ['games'],
    list: ['games', 'list'],
  },
  game: (id: number) => ({
    all: ['game', id],
    detail: ['game', id, 'detail'],
    play: ['game', id, 'play'],
    challenge: (challenge: number) => ['game', id, 'challenge', challenge],
    tries: (challenge: number) => ['game', id, 'tries', challenge],
    writeup: ['game', id, 'writeup'],
    instances: ['game', id, 'instances'],
    scoreboard: ['game', id, 'scoreboard'],
    feed: ['game', id, 'feed'],
    boardStart: ['game', id, 'boardStart'],
    notices: ['game', id, 'notices'],
    events: (filter?: object) => (filter ? ['game', id, 'events', filter] : ['game', id, 'events']),
    submissions: (filter?: object) => (filter ? ['game', id, 'submissions', filter] : ['game', id, 'submissions']),
    activity: ['game', id, 'activity'],
    cheats: ['game', id, 'cheats'],
    traffic: (...path: (string | number)[]) => ['game', id, 'traffic', ...path],
    participations: ['game', id, 'participations'],
  }),
  edit: {
    games: (page?: object) => (page ? ['edit', 'games', page] : ['edit', 'games']),
    game: (id: number) => ['edit', 'game', id],
    notices: (id: number) => ['edit', 'game', id, 'notices'],
    writeups: (id: number) => ['edit', 'game', id, 'writeups'],
    challenges: (id: number) => ['edit', 'game', id, 'challenges'],
    challenge: (id: number, challenge: number) => ['edit', 'game', id, 'challenges', challenge],
  },
  admin: {
    users: (filter?: object) => (filter ? ['admin', 'users', filter] : ['admin', 'users']),
    teams: (filter?: object) => (filter ? ['admin', 'teams', filter] : ['admin', 'teams']),
    instances: ['admin', 'instances'],
    engine: ['admin', 'engine'],
    disk: ['admin', 'disk'],
    logs: (filter?: object) => (filter ? ['admin', 'logs', filter] : ['admin', 'logs']),
    settings: ['admin', 'settings'],
    mails: (filter?: object) => (filter ? ['admin', 'mails', filter] : ['admin', 'mails']),
    files: (page?: object) => (page ? ['admin', 'files', page] : ['admin', 'files']),
  },
} as const
