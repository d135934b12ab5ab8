import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { demoTeams } from './cast.ts'
import { demoChallenges } from './challenges.ts'
import type { Seeded } from './history.ts'
import { isPlayable, wouldSolve, wrongGuess } from './plan.ts'
import { type Ask, openSession } from './player-session.ts'
import { type Chance, chance } from './random.ts'

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

interface Player {
  readonly ask: Ask
  readonly luck: Chance
  readonly strength: number
  readonly gameId: number
  readonly pause: (milliseconds: number) => Promise<unknown>
}

/** Starts all players. The returned function stops them. */
export function startPlayers({ address, seeded, logins, seed, speed, onError }: Play): () => Promise<void> {
  const home = new AbortController()
  const pause = (milliseconds: number) => sleep(milliseconds / speed, undefined, { signal: home.signal })
  const luck = chance(seed + 2)
  const { gameId } = seeded
  const session = (number: number) => openSession({ address, from: `198.51.100.${number % 250}`, signal: home.signal })
  const player = (number: number, strength: number): Player => ({
    ask: session(number),
    luck: chance(seed + 100 + number),
    strength,
    gameId,
    pause,
  })

  const everybody: Promise<void>[] = []
  const start = (work: () => Promise<void>) => {
    everybody.push(work().catch((error: unknown) => void (home.signal.aborted || onError(error))))
  }
  for (const [place, team] of seeded.teams.entries()) {
    // The visitor plays for that team.
    if (team.members[0] === logins.player.name) continue
    start(async () => {
      const someone = player(place + 1, team.strength)
      await pause(luck.between(0, 90) * second)
      await signIn(someone, { name: luck.pick(team.members), password: logins.player.password })
      await play(someone)
    })
  }
  start(async () => {
    const late = player(200, 0.62)
    await pause(2 * minute)
    await arrive(late, demoTeams(seed).spare[0]!, logins.player.password)
    await play(late)
  })
  start(() => organise(player(220, 1), seeded, logins.administrator))
  return async () => {
    home.abort()
    await Promise.all(everybody)
  }
}

const signIn = ({ ask }: Player, { name, password }: Login) => ask('POST', '/api/account/login', { userName: name, password })

async function arrive(late: Player, userName: string, password: string): Promise<void> {
  const { ask, gameId, pause } = late
  await ask('POST', '/api/account/register', { userName, password, email: `${userName}@example.org` })
  await pause(20 * second)
  const team = (await ask('POST', '/api/team', { name: 'Last Ferry', bio: 'Sorry, the bridge was up' })) as { id: number }
  await pause(15 * second)
  await ask('POST', `/api/game/${gameId}`, { teamId: team.id, organization: 'Open' })
}

async function organise(organiser: Player, { gameId, closed }: Seeded, admin: Login): Promise<void> {
  const { ask, pause } = organiser
  await pause(3 * minute)
  await signIn(organiser, admin)
  await ask('POST', `/api/edit/games/${gameId}/notices`, {
    content: 'One more challenge is about to be unloaded. Mind the crane.',
  })
  await pause(1.5 * minute)
  await ask('PUT', `/api/edit/games/${gameId}/challenges/${closed}`, { isEnabled: true })
  await pause(9 * minute)
  const { hints } = (await ask('GET', `/api/edit/games/${gameId}/challenges/${closed}`)) as { hints: string[] }
  await ask('PUT', `/api/edit/games/${gameId}/challenges/${closed}`, {
    hints: [...hints, '$x$ consists of letters, so every entry is a small number.'],
  })
}

interface Listed {
  readonly id: number
  readonly title: string
}

/** Picks a challenge, waits, answers, and pauses from time to time. New challenges come first. */
async function play(player: Player): Promise<void> {
  const { luck, strength, pause } = player
  const given = new Set<number>()
  let known: ReadonlySet<number> | null = null
  for (;;) {
    const { open, solved } = await look(player)
    const fresh = known === null ? undefined : open.find(({ id }) => !known!.has(id))
    known = new Set(open.map(({ id }) => id))
    const left = open.filter(({ id }) => !solved.has(id) && !given.has(id))
    const next = fresh ?? (left.length > 0 ? luck.pick(left) : undefined)
    if (!next) {
      await pause(luck.between(20, 60) * second)
      if (luck.likely(0.15)) given.clear()
      continue
    }
    const data = demoChallenges.find(({ title }) => title === next.title)
    if (!data || !isPlayable(data)) {
      given.add(next.id)
      continue
    }
    const flag = await read(player, next.id, data)
    const hurry = fresh ? 0.35 : 1
    await pause(data.minutes * luck.between(3, 9) * (1.7 - strength) * second * hurry)
    const right = wouldSolve(luck, strength, data)
    for (let misses = luck.likely(right ? 0.45 : 0.8) ? 1 + luck.below(3) : 0; misses > 0; misses--) {
      await submit(player, next.id, wrongGuess(luck, data))
      await pause(luck.around(14) * second)
    }
    if (right) await submit(player, next.id, flag)
    else if (luck.likely(0.3)) given.add(next.id)
    await pause(luck.likely(0.12) ? luck.around(4) * minute : luck.around(25) * second)
  }
}

async function look({ ask, gameId }: Player): Promise<{ open: readonly Listed[]; solved: ReadonlySet<number> }> {
  const { challenges, rank } = (await ask('GET', `/api/game/${gameId}/details`)) as {
    challenges: Record<string, Listed[]>
    rank: { solvedChallenges: { id: number }[] }
  }
  return { open: Object.values(challenges).flat(), solved: new Set(rank.solvedChallenges.map(({ id }) => id)) }
}

/** Opens a challenge, which assigns the team its file if there is one, and returns the correct flag. */
async function read({ ask, gameId }: Player, id: number, { flags, eachFile }: (typeof demoChallenges)[number]): Promise<string> {
  const { context } = (await ask('GET', `/api/game/${gameId}/challenges/${id}`)) as { context: { url: string | null } }
  if (!eachFile) return flags[0]!
  const own = flags.find((flag) => context.url?.includes(createHash('sha256').update(eachFile.bytes(flag)).digest('hex')))
  return own ?? flags[0]!
}

const submit = ({ ask, gameId }: Player, id: number, flag: string) =>
  ask('POST', `/api/game/${gameId}/challenges/${id}`, { flag })
