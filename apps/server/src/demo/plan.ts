import { generatesFlags } from '@vexil/core/vocabulary'
import { type DemoTeam, visitorTeam } from './cast.ts'
import type { DemoChallenge } from './challenges.ts'
import { type Random, seededRandom } from './random.ts'
import { allDemoChallenges, hardChallenges } from './text-challenges.ts'

export interface PlannedAnswer {
  readonly at: number
  readonly team: number
  readonly member: number
  readonly challenge: number
  /** null: the correct flag of the team. */
  readonly wrong: string | null
}

export const isPlayable = ({ type }: DemoChallenge): boolean => !generatesFlags(type)

const guesses = [
  'tide{almost_there}',
  'tide{test}',
  'flag{the_sea}',
  'tide{is_it_this_one}',
  'tide{the_wind}',
  'TIDE{LETTERS}',
  'tide{29}',
  'tide{306}',
  'tide{north_by_east}',
  'tide{mast_and_sail}',
  'tide{lower_deck}',
  'tide{deadbeef}',
  'tide{salt}',
  'tide{}',
  'tide{look_again}',
] as const

export function wrongGuess(random: Random, { flags }: DemoChallenge): string {
  const right = flags[0]
  if (!right || flags.length > 5 || random.likely(0.55)) return random.pick(guesses)
  const at = 5 + random.below(right.length - 6)
  const without = `${right.slice(0, at)}${right.slice(at + 1)}`
  return random.likely(0.5) || !right.includes('_') ? without : right.replaceAll('_', random.pick(['-', ' ', '']))
}

const second = 1000
const hour = 3_600_000
/** Between two solves, ms: 20 to 120 s, 60 s in the mean. */
const gap = (random: Random) => (20 + 100 * random.next() ** 1.5) * second
/** Between wrong answers and the solve after them, ms; three of them fit into the shortest gap. */
const missEvery = 6 * second
/** After the start of a plan that begins with a first blood, ms. */
const firstBloodAfter = 35 * second

export interface Plan {
  /** ms. */
  readonly from: number
  /** When each challenge can be solved, ms; null: not within this plan. */
  readonly openedAt: readonly (number | null)[]
  /** `team challenge` of all solves; the plan adds its own. */
  readonly solved: Set<string>
  /** An unsolved challenge, which the plan begins with. */
  readonly firstBlood?: number
  /** A team that does not answer. */
  readonly without?: number
}

/** How many of the playable challenges, from the easiest on, a team of this strength can solve. */
const reachOf = (strength: number, playable: number) => Math.floor(playable * Math.min(1, 0.28 + 0.72 * strength))

/** Answers of the teams in the order of time, until each team has solved what it can. Strong teams solve more often, and easy challenges come first. */
export function* planAnswers(random: Random, teams: readonly DemoTeam[], plan: Plan): Generator<PlannedAnswer> {
  const { from, openedAt, solved, firstBlood, without } = plan
  const playable = [...allDemoChallenges.keys()]
    .filter((at) => isPlayable(allDemoChallenges[at]!) && !hardChallenges.includes(allDemoChallenges[at]!.title))
    .sort((a, b) => allDemoChallenges[a]!.minutes - allDemoChallenges[b]!.minutes)
  const openTo = (team: number, now: number) =>
    playable
      .slice(0, reachOf(teams[team]!.strength, playable.length))
      .filter((challenge) => (openedAt[challenge] ?? Number.POSITIVE_INFINITY) <= now && !solved.has(`${team} ${challenge}`))
  const day = random.below(1_000_000)
  let now = from
  for (let first = firstBlood !== undefined; ; first = false) {
    now += first ? firstBloodAfter : gap(random)
    const able = [...teams.keys()].map((team) => ({ team, open: team === without ? [] : openTo(team, now) }))
    const left = able.filter(({ open }) => open.length > 0)
    if (left.length === 0) return
    const { team, open } = first ? able[0]! : pickTeam(random, teams, left, formOf(day, (now - from) / hour, solved))
    const challenge = first ? firstBlood! : pickEasy(random, open)
    solved.add(`${team} ${challenge}`)
    yield* tries(random, teams, { at: now, team, challenge })
  }
}

/** Solves of the visitor's team when the demo starts. */
const visitorSolves = 8

/** Teams have better and worse hours (0.2 to 1.8); the one with the most solves slows down, so that the lead changes. */
function formOf(day: number, hours: number, solved: ReadonlySet<string>): (team: DemoTeam, place: number) => number {
  const counts = new Map<number, number>()
  for (const one of solved) counts.set(Number.parseInt(one, 10), (counts.get(Number.parseInt(one, 10)) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return ({ name }, place) => {
    if (name === visitorTeam) return (counts.get(place) ?? 0) < visitorSolves ? 4 : 0
    const form = 0.2 + 1.6 * seededRandom(day + place * 1009 + Math.floor(hours)).next()
    return counts.get(place) === most ? form * 0.3 : form
  }
}

function pickTeam<T extends { readonly team: number }>(
  random: Random,
  teams: readonly DemoTeam[],
  left: readonly T[],
  form: (team: DemoTeam, place: number) => number,
): T {
  const weights = left.map(({ team }) => (0.02 + teams[team]!.strength ** 2) * form(teams[team]!, team))
  let point = random.next() * weights.reduce((sum, one) => sum + one, 0)
  const at = weights.findIndex((weight) => {
    point -= weight
    return point < 0
  })
  return left[Math.max(0, at)]!
}

const pickEasy = (random: Random, open: readonly number[]): number =>
  open
    .map((challenge) => ({ challenge, key: Math.sqrt(allDemoChallenges[challenge]!.minutes) * random.between(0.3, 2) }))
    .sort((a, b) => a.key - b.key)[0]!.challenge

/** A solve with the wrong answers before it. */
function* tries(
  random: Random,
  teams: readonly DemoTeam[],
  { at, team, challenge }: Pick<PlannedAnswer, 'at' | 'team' | 'challenge'>,
): Generator<PlannedAnswer> {
  const member = random.below(teams[team]!.members.length)
  for (let miss = random.likely(0.5) ? 1 + random.below(3) : 0; miss > 0; miss--)
    yield { at: at - miss * missEvery, team, member, challenge, wrong: wrongGuess(random, allDemoChallenges[challenge]!) }
  yield { at, team, member, challenge, wrong: null }
}
