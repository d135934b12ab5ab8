/** One example of the request and response of each call, for the API description. A test validates them against their schemas. */
import { gameFieldsOf } from './game-fields.ts'

interface Example {
  readonly body?: unknown
  readonly reply?: unknown
}

const hash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const ada = '018f2b5e-7c00-7aaa-8000-000000000001'
const ben = '018f2b5e-7c00-7aaa-8000-000000000002'
const start = '2026-11-20T09:00:00+00:00'
const end = '2026-11-22T09:00:00+00:00'
const solvedAt = '2026-11-20T09:41:37.123+00:00'

const profile = {
  userId: ada,
  userName: 'ada',
  email: 'ada@example.org',
  bio: 'Numbers, mostly.',
  phone: null,
  realName: 'Ada L.',
  stdNumber: '',
  avatar: `/assets/${hash}/avatar`,
  role: 'User',
}
const user = {
  id: ada,
  userName: 'ada',
  realName: 'Ada L.',
  stdNumber: '',
  phone: null,
  bio: 'Numbers, mostly.',
  registerTimeUtc: '2026-11-01T12:00:00+00:00',
  lastVisitedUtc: solvedAt,
  ip: '192.0.2.7',
  email: 'ada@example.org',
  avatar: null,
  role: 'User',
  emailConfirmed: true,
}
const team = {
  id: 7,
  name: 'Halyard',
  bio: null,
  avatar: null,
  locked: false,
  members: [
    { id: ada, userName: 'ada', bio: 'Numbers, mostly.', avatar: null, captain: true },
    { id: ben, userName: 'ben', bio: '', avatar: null, captain: false },
  ],
}
const basicGame = {
  id: 1,
  title: 'Harbour CTF',
  summary: 'Two days, twelve flags.',
  poster: `/assets/${hash}/poster`,
  limit: 4,
  start,
  end,
}
const game = {
  id: 1,
  title: 'Harbour CTF',
  ...gameFieldsOf({}),
  summary: 'Two days, twelve flags.',
  content: '# Rules\n\nBe kind.',
  writeupRequired: true,
  inviteCode: null,
  organizations: ['Students', 'Guests'],
  teamMemberCountLimit: 4,
  containerCountLimit: 3,
  poster: `/assets/${hash}/poster`,
  publicKey: 'GZdL4mXQz3Gq5yS1c6cHk2m0uWJ6o1gYpY0sM3n5r8E=',
  practiceMode: true,
  start,
  end,
  writeupDeadline: '2026-11-23T09:00:00+00:00',
  writeupNote: 'One PDF for all challenges.',
  bloodBonus: 52_459_530,
}
const notice = { id: 12, time: solvedAt, type: 'FirstBlood', values: ['Halyard', 'Tide table'] }
const ownNotice = { id: 13, time: solvedAt, type: 'Normal', values: ['Lunch is served.'] }
const challengeRow = {
  id: 3,
  title: 'Tide table',
  category: 'Web',
  type: 'StaticAttachment',
  isEnabled: true,
  score: 1000,
  minScore: 250,
  originalScore: 1000,
  acceptedCount: 1,
  flagCount: 1,
  fileCount: 0,
  containerImage: null,
  silentSince: null,
  checkFailsSince: null,
}
const attachment = { id: 5, type: 'Local', url: `/assets/${hash}/tide.zip`, fileSize: 4096 }
const challenge = {
  id: 3,
  title: 'Tide table',
  content: 'When is high water?',
  category: 'Web',
  type: 'StaticAttachment',
  hints: ['Look at the moon.'],
  flagTemplate: null,
  isEnabled: true,
  acceptedCount: 1,
  fileName: 'tide.zip',
  attachment,
  testContainer: null,
  flags: [{ id: 9, flag: 'flag{high_water}', attachment: null }],
  containerImage: '',
  memoryLimit: 64,
  cpuCount: 1,
  storageLimit: 256,
  containerExposePort: 80,
  enableTrafficCapture: false,
  containerNetwork: 'Open',
  readyTimeout: 120,
  readyText: '',
  additionalContainers: [],
  namedPorts: [],
  profile: 'default',
  runtime: '',
  checkImage: '',
  checkMinutes: 0,
  originalScore: 1000,
  minScoreRate: 0.25,
  difficulty: 5,
  bloodBonus: null,
}
const blood = { id: 7, name: 'Halyard', avatar: null, submitTimeUtc: solvedAt }
const boardChallenge = { id: 3, title: 'Tide table', category: 'Web', score: 1000, solved: 1, bloods: [blood] }
const boardItem = {
  id: 7,
  name: 'Halyard',
  bio: null,
  organization: 'Students',
  avatar: null,
  score: 1050,
  rank: 1,
  organizationRank: 1,
  lastSubmissionTime: solvedAt,
  solvedChallenges: [{ id: 3, score: 1050, type: 'FirstBlood', userName: 'ada', time: solvedAt }],
  solvedCount: 1,
}
const timeLine = [{ id: 7, name: 'Halyard', items: [{ time: solvedAt, score: 1050 }] }]
const instance = {
  status: 'Running',
  startedAt: solvedAt,
  expectStopAt: '2026-11-20T11:41:37.123+00:00',
  entry: 'ctf.example.org:32768',
  readiness: 'ready',
  tlsEntry: null,
  entries: [
    { name: null, entry: 'ctf.example.org:32768', tlsEntry: null },
    { name: 'sql', entry: 'ctf.example.org:32769', tlsEntry: null },
  ],
  start: null,
}
const submission = {
  answer: 'flag{high_water}',
  status: 'Accepted',
  time: solvedAt,
  user: 'ada',
  team: 'Halyard',
  challenge: 'Tide table',
}
const partRef = (id: number, name: string) => ({
  id,
  team: { id: id + 6, name, avatar: null },
  status: 'Accepted',
  organization: 'Students',
})
const post = {
  id: '1f2e3d4c',
  title: 'The harbour is open',
  summary: 'Registration has begun.',
  isPinned: true,
  tags: ['news'],
  authorAvatar: null,
  authorName: 'admin',
  time: start,
}
const mailServer = {
  host: 'mail.example.org',
  port: 587,
  user: 'ctf@example.org',
  sender: 'ctf@example.org',
  senderName: '',
  ignoreCertificate: false,
}
const siteConfig = {
  accountPolicy: {
    allowRegister: true,
    activeOnRegister: true,
    useCaptcha: false,
    emailConfirmationRequired: false,
    emailDomainList: '',
  },
  globalConfig: {
    title: 'Harbour',
    slogan: 'Raise your flag',
    description: null,
    footerInfo: null,
    customTheme: '#1f6feb',
    logoHash: null,
    faviconHash: null,
    watermark: false,
  },
  containerPolicy: {
    autoDestroyOnLimitReached: false,
    maxExerciseContainerCountPerUser: 1,
    defaultLifetime: 120,
    extensionDuration: 120,
    renewalWindow: 10,
    destroyOnSolve: false,
    flagVariables: '',
  },
  untrustedProxy: null,
  environment: {
    publicUrl: 'https://ctf.example.org',
    captcha: 'None',
    mail: true,
    containers: 'Docker',
    database: 'embedded',
    files: 'folder',
  },
}
const page = <T>(item: T) => ({ data: [item], length: 1, total: 1 })
const invite = 'Halyard:7:0123456789abcdef0123456789abcdef'
const gameEdit = { title: 'Harbour CTF', start, end }
const text = (of: string) => btoa(of)

const solverCheck = {
  id: 12,
  cause: 'interval',
  state: 'Failed',
  askedAt: '2026-11-20T09:00:00.000+00:00',
  startedAt: '2026-11-20T09:00:00.100+00:00',
  endedAt: '2026-11-20T09:02:03.500+00:00',
  problem: 'The program did not print the flag within 120 s',
}
const solverCheckDetail = { ...solverCheck, output: 'connecting to 127.0.0.1:9000\nrefused\n' }

const gameImage = {
  image: 'registry.example.org/tide:1',
  challenges: [{ id: 3, title: 'Tide table' }],
  state: 'done',
  pulledAt: '2026-11-20T09:00:09.500+00:00',
  nodes: [
    { node: 'node-1', state: 'here', problem: null },
    { node: 'node-2', state: 'failed', problem: 'The image registry.example.org/tide:1 cannot be pulled: connection refused' },
  ],
}

const probe = {
  state: 'done',
  finishedAt: '2026-11-20T09:00:09.500+00:00',
  problem: null,
  attempts: [
    { network: 'Open', target: 'host', address: '192.0.2.20', port: 41_281, result: 'refused' },
    { network: 'Isolated', target: 'resolver', address: '127.0.0.11', port: 53, result: 'untried' },
  ],
}

export const examples: Readonly<Record<string, Example>> = {
  'GET /api/config': {
    reply: {
      title: 'Harbour',
      slogan: 'Raise your flag',
      footerInfo: null,
      customTheme: '#1f6feb',
      logoUrl: null,
      defaultLifetime: 120,
      extensionDuration: 120,
      renewalWindow: 10,
      allowRegister: true,
      autoDestroyOnLimitReached: false,
      destroyOnSolve: false,
      containers: 'Default',
      instanceHosts: null,
      watermark: false,
      setupRequired: false,
      isDemo: false,
    },
  },
  'POST /hub/user/negotiate': {
    reply: {
      negotiateVersion: 1,
      connectionId: 'Zk1Vw0hQ3m8tY2rB6uXeAg',
      connectionToken: 'Zk1Vw0hQ3m8tY2rB6uXeAg.lxyz.0123456789abcdefghijkl',
      availableTransports: [{ transport: 'WebSockets', transferFormats: ['Text', 'Binary'] }],
    },
  },
  'POST /hub/site/negotiate': {
    reply: {
      negotiateVersion: 1,
      connectionId: 'Zk1Vw0hQ3m8tY2rB6uXeAg',
      connectionToken: 'Zk1Vw0hQ3m8tY2rB6uXeAg.lxyz.0123456789abcdefghijkl',
      availableTransports: [{ transport: 'WebSockets', transferFormats: ['Text', 'Binary'] }],
    },
  },
  'POST /hub/monitor/negotiate': {
    reply: {
      negotiateVersion: 1,
      connectionId: 'Zk1Vw0hQ3m8tY2rB6uXeAg',
      connectionToken: 'Zk1Vw0hQ3m8tY2rB6uXeAg.lxyz.0123456789abcdefghijkl',
      availableTransports: [{ transport: 'WebSockets', transferFormats: ['Text', 'Binary'] }],
    },
  },
  'POST /hub/admin/negotiate': {
    reply: {
      negotiateVersion: 1,
      connectionId: 'Zk1Vw0hQ3m8tY2rB6uXeAg',
      connectionToken: 'Zk1Vw0hQ3m8tY2rB6uXeAg.lxyz.0123456789abcdefghijkl',
      availableTransports: [{ transport: 'WebSockets', transferFormats: ['Text', 'Binary'] }],
    },
  },
  'GET /api/captcha': { reply: { type: 'None', siteKey: '' } },
  'GET /api/posts': { reply: [post] },
  'GET /api/posts/latest': { reply: [post] },
  'GET /api/posts/:id': { reply: { ...post, content: 'See you on **Friday**.' } },
  'POST /api/setup': {
    body: {
      token: 'from-the-set-up-link',
      userName: 'admin',
      password: 'long enough',
      email: 'admin@example.org',
      title: 'Harbour',
      slogan: 'Raise your flag',
      customTheme: '#1f6feb',
      demo: true,
    },
  },
  'POST /api/edit/posts': {
    body: { title: 'The harbour is open', summary: '', content: 'See you.', tags: ['news'], isPinned: false },
    reply: '1f2e3d4c',
  },
  'PUT /api/edit/posts/:id': {
    body: { title: 'The harbour is open', content: 'See you on **Friday**.', isPinned: true },
    reply: { ...post, content: 'See you on **Friday**.' },
  },

  'POST /api/account/register': {
    body: { userName: 'ada', password: 'long enough', email: 'ada@example.org', challenge: null },
    reply: { title: 'Registered and signed in', data: 'LoggedIn', status: 200 },
  },
  'POST /api/account/login': { body: { userName: 'ada', password: 'long enough', challenge: null } },
  'GET /api/account/profile': { reply: profile },
  'GET /api/account/session': { reply: { user: profile } },
  'PUT /api/account/update': { body: { bio: 'Numbers, mostly.', realName: 'Ada L.' } },
  'PUT /api/account/changepassword': { body: { old: 'long enough', new: 'longer still' } },
  'PUT /api/account/avatar': { reply: `/assets/${hash}/avatar.webp` },
  'GET /api/account/games': {
    reply: [{ gameId: 1, status: 'Accepted', teamId: 7, teamName: 'Halyard', organization: 'Students' }],
  },
  'POST /api/account/recovery': {
    body: { email: 'ada@example.org', challenge: null },
    reply: { title: 'If the address belongs to an active account, we sent an email', status: 200 },
  },
  'POST /api/account/passwordreset': {
    body: { password: 'longer still', email: text('ada@example.org'), rToken: text('token of the mail') },
  },
  'POST /api/account/verify': { body: { token: text('token of the mail'), email: text('ada@example.org') } },
  'PUT /api/account/changeemail': {
    body: { newMail: 'ada@example.net' },
    reply: { title: 'A mail is on its way to the new address', data: true, status: 200 },
  },
  'POST /api/account/mailchangecancel': { body: { token: text('token of the mail'), email: text('ada@example.org') } },
  'POST /api/account/mailchangeconfirm': { body: { token: text('token of the mail'), email: text('ada@example.net') } },

  'GET /api/team/:id': { reply: team },
  'GET /api/team': { reply: [team] },
  'POST /api/team': { body: { name: 'Halyard', bio: null }, reply: team },
  'PUT /api/team/:id': { body: { name: 'Halyard', bio: 'We hoist.' }, reply: { ...team, bio: 'We hoist.' } },
  'PUT /api/team/:id/transfer': { body: { newCaptainId: ben }, reply: team },
  'GET /api/team/:id/invite': { reply: invite },
  'PUT /api/team/:id/invite': { reply: invite },
  'POST /api/team/accept': { body: invite },
  'POST /api/team/:id/kick/:userId': { reply: { ...team, members: team.members.slice(0, 1) } },
  'PUT /api/team/:id/avatar': { reply: `/assets/${hash}/avatar.webp` },
  'POST /api/team/verify': { body: { teamToken: '7:c2lnbmF0dXJl', publicKey: game.publicKey } },
  'GET /api/admin/teams': { reply: page({ ...team, solves: 4 }) },
  'POST /api/admin/teams/search': { reply: page({ ...team, solves: 4 }) },
  'PUT /api/admin/teams/:id': { body: { locked: true } },

  'GET /api/game': { reply: [basicGame] },
  'GET /api/game/:id': {
    reply: {
      id: 1,
      title: 'Harbour CTF',
      summary: 'Two days, twelve flags.',
      content: '# Rules\n\nBe kind.',
      hidden: false,
      organizations: ['Students', 'Guests'],
      inviteCodeRequired: false,
      writeupRequired: true,
      poster: `/assets/${hash}/poster`,
      limit: 4,
      teamCount: 40,
      organization: 'Students',
      teamName: 'Halyard',
      practiceMode: true,
      status: 'Accepted',
      start,
      end,
      writeupDeadline: game.writeupDeadline,
      registered: { '7': 2 },
    },
  },
  'POST /api/game/:id': { body: { teamId: 7, organization: 'Students', inviteCode: null } },
  'GET /api/game/:id/notices': { reply: [ownNotice, notice] },
  'GET /api/game/:id/events': {
    reply: [
      {
        time: solvedAt,
        type: 'FlagSubmit',
        values: ['Accepted', 'flag{high_water}', 'Tide table', '3'],
        user: 'ada',
        team: 'Halyard',
      },
    ],
  },
  'GET /api/edit/games': { reply: page(game) },
  'POST /api/edit/games': { body: gameEdit, reply: game },
  'GET /api/edit/games/:id': { reply: game },
  'PUT /api/edit/games/:id': { body: { ...gameEdit, summary: 'Two days, twelve flags.', practiceMode: true }, reply: game },
  'GET /api/edit/games/:id/hashsalt': { reply: hash },
  'PUT /api/edit/games/:id/poster': { reply: `/assets/${hash}/poster.webp` },
  'GET /api/edit/games/:id/notices': { reply: [ownNotice] },
  'POST /api/edit/games/:id/notices': { body: { content: 'Lunch is served.' }, reply: ownNotice },
  'PUT /api/edit/games/:id/notices/:nid': { body: { content: 'Lunch is served.' }, reply: ownNotice },
  'GET /api/game/:id/participations': {
    reply: [
      {
        id: 1,
        team: { id: 7, name: 'Halyard', bio: null, avatar: null, locked: true, captainId: ada, members: [profile] },
        registeredMembers: [ada],
        organization: 'Students',
        status: 'Accepted',
      },
    ],
  },

  'GET /api/game/:id/scoreboard': {
    reply: {
      updateTimeUtc: solvedAt,
      bloodBonus: 52_459_530,
      timeLines: { all: timeLine, Students: timeLine, Guests: [] },
      items: [boardItem],
      challenges: { Web: [boardChallenge] },
      challengeCount: 1,
    },
  },
  'GET /api/game/:id/scoreboard/start': {
    reply: {
      epoch: 4,
      head: 1,
      roster: 2,
      startsAt: 1767258000000,
      endsAt: 1767344400000,
      changedAt: 1767260000000,
      bloodBonus: 52459530,
      divisions: ['Students'],
      teamCount: 812,
      challenges: [{ id: 7, title: 'Door', category: 'Web', bloodBonus: null, value: 1000, solved: 1 }],
      rows: [
        {
          team: { id: 3, participationId: 12, name: 'Owls', bio: null, avatar: null, division: 'Students' },
          rank: 1,
          divisionRank: 1,
          points: 1050,
          solves: [[1, 7, 1050, 1, 'ann', 1767260000000, 1767260000000]],
        },
      ],
    },
  },
  'GET /api/game/:id/scoreboard/feed': {
    reply: {
      gameId: 1,
      epoch: 4,
      head: 1,
      roster: 2,
      startsAt: Date.parse(start),
      endsAt: Date.parse(end),
      changedAt: Date.parse(solvedAt),
      bloodBonus: 52_459_530,
      divisions: ['Students', 'Guests'],
      challenges: { id: [3], title: ['Tide table'], category: [3], bloodBonus: [null], values: [[1000, 1000, 996]] },
      teams: { id: [7], participationId: [1], name: ['Halyard'], bio: [null], avatar: [null], division: [0] },
      users: ['ada'],
      solves: { number: [1], team: [0], challenge: [0], user: [0], after: [2_497_123], raised: [0] },
    },
  },
  'GET /api/game/:id/details': {
    reply: {
      challenges: {
        Web: [{ ...boardChallenge, type: 'StaticAttachment', originalScore: 1000, nextScore: 996, enabledAt: start }],
      },
      challengeCount: 1,
      rank: boardItem,
      teamToken: '7:c2lnbmF0dXJl',
      writeupRequired: true,
      writeupDeadline: game.writeupDeadline,
      practiceSolves: [],
      containerCountLimit: 3,
      participationId: 1,
    },
  },
  'GET /api/game/:id/challenges/:cid': {
    reply: {
      id: 3,
      title: 'Tide table',
      content: 'When is high water?',
      category: 'Web',
      hints: ['Look at the moon.'],
      score: 1000,
      type: 'StaticAttachment',
      context: {
        closeTime: null,
        instanceEntry: null,
        url: `/assets/${hash}/tide.zip`,
        fileSize: 4096,
        readiness: null,
        tlsEntry: null,
        entries: [],
        lastEnd: null,
        start: null,
        startFailure: null,
      },
    },
  },

  'GET /api/edit/games/:id/challenges': { reply: [challengeRow] },
  'POST /api/edit/games/:id/challenges': {
    body: { title: 'Tide table', category: 'Web', type: 'StaticAttachment' },
    reply: challenge,
  },
  'GET /api/edit/games/:id/challenges/:cid': { reply: challenge },
  'PUT /api/edit/games/:id/challenges/:cid': { body: { isEnabled: true }, reply: challenge },
  'POST /api/edit/games/:id/challenges/:cid/attachment': { body: { attachmentType: 'Local', fileHash: hash } },
  'POST /api/edit/games/:id/challenges/:cid/flags': {
    body: [{ flag: 'flag{high_water}' }, { flag: 'flag{a}', attachmentType: 'Remote', remoteUrl: 'https://example.org/a.zip' }],
  },
  'DELETE /api/edit/games/:id/challenges/:cid/flags/:fid': { reply: 'Success' },
  'GET /api/edit/games/:id/challenges/:cid/container': {
    reply: {
      ...{ answer: 'http', firstLine: 'HTTP/1.1 200 OK', printed: 'listening on port 80\n' },
      ports: [{ name: 'sql', answer: 'nothing', firstLine: null }],
      containers: [{ name: 'db', printed: 'ready for connections\n' }],
    },
  },
  'POST /api/edit/games/:id/challenges/:cid/container': { reply: instance },

  'POST /api/game/:id/challenges/:cid': { body: { flag: 'flag{high_water}' }, reply: 41 },
  'GET /api/game/:id/challenges/:cid/tries': {
    reply: [{ answer: 'flag{not this one}', status: 'WrongAnswer', time: '2026-11-21T10:00:00+00:00', user: 'ann' }],
  },
  'GET /api/game/:id/challenges/:cid/status/:sid': { reply: 'Accepted' },
  'GET /api/game/:id/activity': { reply: [{ from: start, right: 3, wrong: 12 }] },
  'GET /api/game/:id/submissions': { reply: [submission] },
  'GET /api/game/:id/cheatinfo': {
    reply: [
      {
        ownedTeam: partRef(1, 'Halyard'),
        submitTeam: partRef(2, 'Bowline'),
        submission: { ...submission, status: 'CheatDetected', user: 'cleo', team: 'Bowline' },
      },
    ],
  },

  'GET /api/game/:id/writeup': {
    reply: {
      submitted: true,
      name: 'Writeup-1-7-20261122-10.00.00Z.pdf',
      fileSize: 1_048_576,
      note: 'One PDF for all challenges.',
      writeupDeadline: game.writeupDeadline,
      url: `/assets/${hash}/Writeup-1-7-20261122-10.00.00Z.pdf`,
    },
  },
  'GET /api/admin/writeups/:id': {
    reply: [
      {
        id: 1,
        team: { ...team, members: null },
        url: `/assets/${hash}/Writeup-1-7-20261122-10.00.00Z.pdf`,
        uploadTimeUtc: '2026-11-22T10:00:00+00:00',
      },
    ],
  },

  'POST /api/game/:id/container/:cid': { reply: instance },
  'POST /api/game/:id/container/:cid/extend': { reply: instance },
  'GET /api/edit/games/:id/challenges/:cid/checks': { reply: [solverCheck] },
  'POST /api/edit/games/:id/challenges/:cid/checks': {
    reply: {
      ...solverCheckDetail,
      cause: 'request',
      state: 'Waiting',
      startedAt: null,
      endedAt: null,
      problem: null,
      output: '',
    },
  },
  'GET /api/edit/games/:id/challenges/:cid/checks/:check': { reply: solverCheckDetail },
  'GET /api/game/:id/checks': { reply: [{ challengeId: 3, title: 'Tide table', since: start }] },
  'GET /api/edit/games/:id/images': { reply: [gameImage] },
  'POST /api/edit/games/:id/images': { reply: [{ ...gameImage, state: 'pulling' }] },
  'GET /api/game/:id/silent': { reply: [{ challengeId: 3, title: 'Tide table', port: 9000, since: start }] },
  'GET /api/game/:id/instances': { reply: [{ ...instance, challengeId: 3 }] },
  'GET /api/admin/instances': {
    reply: page({
      team: { id: 7, name: 'Halyard', avatar: null },
      challenge: { id: 3, title: 'Tide table', category: 'Web' },
      image: 'tide:latest',
      containerGuid: ben,
      containerId: '4f5c6d',
      startedAt: solvedAt,
      expectStopAt: instance.expectStopAt,
      ip: '192.0.2.20',
      port: 32_768,
      readiness: 'ready',
    }),
  },

  'GET /api/admin/engine': {
    reply: {
      kind: 'Docker',
      state: 'reachable',
      reason: null,
      version: '27.5.1',
      limitsStorage: false,
      isolation: 'in place',
      credentialsUntil: null,
      running: 14,
      images: 6,
      memory: { total: 16_777_216_000, free: 9_663_676_416 },
      disk: { total: 107_374_182_400, free: 64_424_509_440 },
    },
  },
  'GET /api/admin/engine/isolation': { reply: probe },
  'POST /api/admin/backup': { body: { password: 'long enough', withKey: false } },
  'POST /api/admin/engine/isolation': { reply: { ...probe, state: 'running' } },
  'GET /api/admin/engine/image': { reply: { found: 'here', reason: null } },

  'GET /api/game/games/:id/captures': {
    reply: [{ id: 3, title: 'Tide table', category: 'Web', type: 'DynamicContainer', isEnabled: true, count: 1 }],
  },
  'GET /api/game/captures/:cid': {
    reply: [{ id: 1, teamId: 7, name: 'Halyard', organization: 'Students', avatar: null, count: 1 }],
  },
  'GET /api/game/captures/:cid/:pid': { reply: [{ fileName: '0a1b2c3d-4.pcap', size: 4096, updateTime: solvedAt }] },

  'POST /api/assets': { reply: [{ hash, name: 'tide.zip' }] },
  'GET /api/admin/disk': { reply: { free: 48_000_000_000, total: 64_000_000_000 } },
  'GET /api/admin/files': {
    reply: page({
      hash,
      name: 'tide.zip',
      fileSize: 4096,
      uploadTime: start,
      references: 1,
      uses: [{ use: 'Challenge', name: 'Tide table', gameId: 7, challengeId: 3 }],
    }),
  },

  'GET /api/admin/users': { reply: page(user) },
  'POST /api/admin/users/search': { reply: page(user) },
  'POST /api/admin/users': {
    body: [{ userName: 'ben', password: 'long enough', email: 'ben@example.org', teamName: 'Halyard' }],
  },
  'GET /api/admin/users/:userId': { reply: profile },
  'PUT /api/admin/users/:userId': { body: { role: 'Monitor' } },
  'DELETE /api/admin/users/:userId/password': { reply: 'k7-Qm_2x!Tz9Lp+w' },

  'GET /api/admin/config': { reply: siteConfig },
  'PUT /api/admin/config': { body: { globalConfig: { slogan: 'Raise your flag' } } },
  'GET /api/admin/config/services': {
    reply: {
      mail: { ...mailServer, passwordSet: true, fixed: false },
      captcha: { provider: 'CloudflareTurnstile', siteKey: '0x4AAAAAAA', threshold: 0.5, secretSet: true, fixed: false },
    },
  },
  'PUT /api/admin/config/mail': { body: { ...mailServer, password: 'a long password' } },
  'PUT /api/admin/config/captcha': {
    body: { provider: 'CloudflareTurnstile', siteKey: '0x4AAAAAAA', threshold: 0.5, secret: '0x4BBBBBBB' },
  },
  'GET /api/admin/logs': {
    reply: [
      {
        ...{ time: solvedAt, name: 'ada', level: 'Information', ip: '192.0.2.7', msg: 'Logged in', status: 'Success' },
        requestId: 'k3v9x0q2ab',
      },
    ],
  },
  'GET /api/admin/health': {
    reply: {
      checkedAt: solvedAt,
      checks: [
        {
          name: 'disk',
          level: 'warning',
          text: '4.2 GiB of 40.0 free in /srv/vexil',
          fix: 'Free space, delete captures and unused files, or move DATA_DIR to a larger disk',
        },
      ],
      nodes: [
        {
          id: '7c5f1b1e-6a50-4a53-9a6e-0d1f2b3c4d5e',
          version: '0.24.2',
          startedAt: solvedAt,
          seenAt: solvedAt,
          url: 'http://10.0.0.5:8080',
          processes: 2,
          state: 'Serving',
        },
      ],
      faults: [{ route: 'GET /api/posts', count: 2, lastAt: solvedAt }],
    },
  },
  'GET /api/admin/mails': {
    reply: {
      ...page({
        id: 1,
        kind: 'Reset',
        recipient: 'ada@example.org',
        userName: 'ada',
        state: 'Failed',
        attempts: 8,
        error: '550 No such mailbox',
        createdAt: start,
        settledAt: end,
      }),
      configured: true,
    },
  },
}
