import { generatesFlags } from '@vexil/core/vocabulary'
import type { DemoTeam } from './cast.ts'
import { type DemoChallenge, demoChallenges } from './challenges.ts'
import type { Chance } from './random.ts'

const minute = 60_000

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

export function wrongGuess(luck: Chance, { flags }: DemoChallenge): string {
  const right = flags[0]
  if (!right || flags.length > 5 || luck.likely(0.55)) return luck.pick(guesses)
  const at = 5 + luck.below(right.length - 6)
  return luck.likely(0.5) ? `${right.slice(0, at)}${right.slice(at + 1)}` : right.replaceAll('_', luck.pick(['-', ' ', '']))
}

export const wouldSolve = (luck: Chance, strength: number, { minutes }: DemoChallenge): boolean =>
  luck.likely(Math.min(0.97, Math.max(0.03, 1.12 * strength + 0.42 - minutes / 26)))

/** Answers by time, from `startsAt` until now. `opened`: when each challenge opened; `closed`: challenges that are not open yet. */
export function planAnswers(
  luck: Chance,
  teams: readonly DemoTeam[],
  { startsAt, now, openedAt }: { startsAt: number; now: number; openedAt: readonly (number | null)[] },
): PlannedAnswer[] {
  const answers: PlannedAnswer[] = []
  for (const [team, { strength, members }] of teams.entries()) {
    const order = [...demoChallenges.keys()]
      .filter((challenge) => isPlayable(demoChallenges[challenge]!) && openedAt[challenge] !== null)
      .map((challenge) => ({ challenge, key: demoChallenges[challenge]!.minutes * luck.between(0.45, 1.6) }))
      .sort((a, b) => a.key - b.key)
    let time = startsAt + luck.between(0.3, 4) * minute + (luck.likely(0.35) ? luck.around(28) * minute : 0)
    for (const { challenge } of order) {
      const data = demoChallenges[challenge]!
      const work = data.minutes * luck.between(0.55, 1.45) * (1.75 - strength) * minute
      time = Math.max(time, openedAt[challenge]!) + work
      if (luck.likely(0.22)) time += luck.around(9) * minute
      const member = luck.below(members.length)
      const right = wouldSolve(luck, strength, data)
      const misses = luck.likely(right ? 0.45 : 0.7) ? 1 + luck.below(3) : 0
      for (let miss = misses; miss > 0; miss--) {
        const at = time - miss * luck.between(0.3, 2.6) * minute
        // Drawn in any case, so that the history does not depend on the age of the game.
        const wrong = wrongGuess(luck, data)
        if (at > startsAt && at < now) answers.push({ at, team, member, challenge, wrong })
      }
      if (right && time < now) answers.push({ at: time, team, member, challenge, wrong: null })
    }
  }
  return answers.sort((a, b) => a.at - b.at)
}
