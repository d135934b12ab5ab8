import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { demoTeams } from './cast.ts'
import { reserved, type Seeded } from './history.ts'
import { type PlannedAnswer, planAnswers } from './plan.ts'
import { type Call, openSession, PlayerRefused } from './player-session.ts'
import { seededRandom } from './random.ts'
import { allDemoChallenges } from './text-challenges.ts'

const second = 1000
const minute = 60 * second

interface Login {
  readonly name: string
  readonly password: string
}

export interface Play {
  readonly address: string
  readonly seeded: Seeded
  readonly logins: { readonly administrator: Login; readonly player: Login }
  readonly seed: number
  readonly speed: number
  readonly onError: (error: unknown) => void
}

/** Minutes after the start until the challenge that was kept closed can be solved. */
const openedAfter = 6

/** Starts the simulated teams. The returned function stops them. */
export function startPlayers({ address, seeded, logins, seed, speed, onError }: Play): () => Promise<void> {
  const home = new AbortController()
  const pause = (milliseconds: number) => sleep(milliseconds / speed, undefined, { signal: home.signal })
  const session = (number: number) => openSession({ address, from: `198.51.100.${number % 250}`, signal: home.signal })
  const works = [
    () => playAll({ seeded, logins, seed, session, pause }),
    () => arrive({ call: session(200), pause, gameId: seeded.gameId }, demoTeams(seed).spare[0]!, logins.player.password),
    () => organise({ call: session(220), pause, gameId: seeded.gameId }, seeded, logins.administrator),
  ]
  const running = works.map((work) => work().catch((error: unknown) => void (home.signal.aborted || onError(error))))
  return async () => {
    home.abort()
    await Promise.all(running)
  }
}

/** The answers of the simulated teams from `from` on, ms: a first blood, then a solve a minute; the visitor plays for the other team. */
export function liveAnswers({
  seeded,
  seed,
  visitor,
  from,
}: {
  seeded: Omit<Seeded, 'gameId'>
  seed: number
  visitor: string
  from: number
}) {
  const { teams, challengeIds, closed, solved } = seeded
  return planAnswers(seededRandom(seed + 2), teams, {
    from,
    solved,
    openedAt: challengeIds.map((id) => (id === closed ? from + openedAfter * minute : from)),
    firstBlood: allDemoChallenges.findIndex(({ title }) => title === reserved),
    without: teams.findIndex(({ members }) => members[0] === visitor),
  })
}

interface Playing extends Pick<Play, 'seeded' | 'logins' | 'seed'> {
  readonly session: (number: number) => Call
  readonly pause: (milliseconds: number) => Promise<unknown>
}

async function playAll({ seeded, logins, seed, session, pause }: Playing): Promise<void> {
  const sessions = new Map<string, Promise<Call>>()
  const signedIn = (team: number, member: number) => {
    const name = seeded.teams[team]!.members[member]!
    const known = sessions.get(name)
    if (known) return known
    const call = session(team + 1)
    const ready = call('POST', '/api/account/login', { userName: name, password: logins.player.password }).then(() => call)
    sessions.set(name, ready)
    return ready
  }
  const answer = async ({ team, member, challenge, wrong }: PlannedAnswer) => {
    const call = await signedIn(team, member)
    const path = `/api/game/${seeded.gameId}/challenges/${seeded.challengeIds[challenge]}`
    await call('POST', path, { flag: wrong ?? (await read(call, path, allDemoChallenges[challenge]!)) })
  }
  let now = 0
  for (const planned of liveAnswers({ seeded, seed, visitor: logins.player.name, from: 0 })) {
    await pause(Math.max(0, planned.at - now))
    now = Math.max(now, planned.at)
    await answer(planned).catch((error: unknown) => {
      // A visitor who signed in as organiser closed the challenge, or banned the player: the others play on.
      if (!(error instanceof PlayerRefused)) throw error
    })
  }
}

interface Person {
  readonly call: Call
  readonly pause: (milliseconds: number) => Promise<unknown>
  readonly gameId: number
}

/** A team that joins late. */
async function arrive({ call, gameId, pause }: Person, userName: string, password: string): Promise<void> {
  await pause(2 * minute)
  await call('POST', '/api/account/register', { userName, password, email: `${userName}@example.org` })
  await pause(20 * second)
  const team = (await call('POST', '/api/team', { name: 'Last Ferry', bio: 'Sorry, the bridge was up' })) as { id: number }
  await pause(15 * second)
  await call('POST', `/api/game/${gameId}`, { teamId: team.id, organization: 'Open' })
}

async function organise({ call, pause, gameId }: Person, { closed }: Seeded, admin: Login): Promise<void> {
  await pause(3 * minute)
  await call('POST', '/api/account/login', { userName: admin.name, password: admin.password })
  await call('POST', `/api/edit/games/${gameId}/notices`, {
    content: 'One more challenge is about to be unloaded. Mind the crane.',
  })
  await pause(1.5 * minute)
  await call('PUT', `/api/edit/games/${gameId}/challenges/${closed}`, { isEnabled: true })
  await pause(9 * minute)
  const { hints } = (await call('GET', `/api/edit/games/${gameId}/challenges/${closed}`)) as { hints: string[] }
  await call('PUT', `/api/edit/games/${gameId}/challenges/${closed}`, {
    hints: [...hints, '$x$ consists of letters, so every entry is a small number.'],
  })
}

/** Opens a challenge, which assigns the team its file if there is one, and returns the correct flag. */
async function read(call: Call, path: string, { flags, eachFile }: (typeof allDemoChallenges)[number]): Promise<string> {
  const { context } = (await call('GET', path)) as { context: { url: string | null } }
  if (!eachFile) return flags[0]!
  const own = flags.find((flag) => context.url?.includes(createHash('sha256').update(eachFile.bytes(flag)).digest('hex')))
  return own ?? flags[0]!
}
