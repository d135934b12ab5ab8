import { expect, test } from 'vitest'
import { demoTeams, visitorTeam } from './cast.ts'
import { pastAnswers, reserved } from './history.ts'
import { liveAnswers } from './players.ts'
import { seededRandom } from './random.ts'
import { allDemoChallenges, hardChallenges } from './text-challenges.ts'

const [minute, hour] = [60_000, 3_600_000]
const seed = 2026
const { teams } = demoTeams(seed)
const titles = allDemoChallenges.map(({ title }) => title)
const kept = titles.indexOf('読まれない航路')

/** The demo of `npm run demo`: three hours before 0, then eight hours from 0 on. */
function runDemo() {
  const solved = new Set<string>()
  const openedAt = titles.map((_, at) => (at === kept ? null : -3 * hour))
  const past = pastAnswers(seededRandom(seed), teams, { startsAt: -3 * hour, until: 0, openedAt, solved })
  const before = new Set(solved)
  const seeded = { teams, challengeIds: titles.map((_, at) => at), closed: kept, solved }
  const visitor = teams.find(({ name }) => name === visitorTeam)!.members[0]!
  const live = []
  for (const one of liveAnswers({ seeded, seed, visitor, from: 0 })) {
    if (one.at > 8 * hour) break
    live.push(one)
  }
  return { past, before, live, solves: live.filter(({ wrong }) => wrong === null) }
}
const { past, before, live, solves } = runDemo()
const all = [...past.filter(({ wrong }) => wrong === null), ...solves]

/** The leading team after each solve, with points that fall with the number of solves. */
function leaders(list: typeof all): number[] {
  const counts = titles.map((_, at) => list.filter(({ challenge }) => challenge === at).length)
  const value = (challenge: number) => {
    const { originalScore: top, minScoreRate: rate, difficulty } = allDemoChallenges[challenge]!
    return top * (rate + (1 - rate) * Math.exp((1 - counts[challenge]!) / difficulty))
  }
  const sums = teams.map(() => 0)
  return list.map(({ team, challenge }) => {
    sums[team]! += value(challenge)
    return sums.indexOf(Math.max(...sums))
  })
}
const changes = (list: number[]) => list.filter((one, at) => at > 0 && one !== list[at - 1]).length

test('the demo shows a first blood within a minute, then a solve every 20 to 120 seconds, 60 in the mean', () => {
  expect(solves[0]).toMatchObject({ challenge: titles.indexOf(reserved) })
  expect(solves[0]!.at).toBeLessThanOrEqual(minute)
  expect([...before].some((one) => one.endsWith(` ${titles.indexOf(reserved)}`))).toBe(false)
  const gaps = solves.slice(1).map(({ at }, index) => at - solves[index]!.at)
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(20_000)
  expect(Math.max(...gaps)).toBeLessThanOrEqual(120_000)
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  expect(Math.abs(mean - minute)).toBeLessThan(3_000)
})

test('after eight hours challenges are still unsolved, the lead has changed, and at most 60 % of all solves are made', () => {
  const solvedTitles = new Set(all.map(({ challenge }) => titles[challenge]))
  for (const title of hardChallenges) expect(solvedTitles).not.toContain(title)
  expect(solves.at(-1)!.at).toBeGreaterThan(8 * hour - 3 * minute)
  expect(all.length / (teams.length * titles.length)).toBeLessThanOrEqual(0.6)
  expect(new Set(all.map(({ team, challenge }) => `${team} ${challenge}`)).size).toBe(all.length)
  const lead = leaders(all)
  expect(changes(lead.slice(0, before.size))).toBeGreaterThan(0)
  expect(changes(lead.slice(before.size))).toBeGreaterThan(0)
})

test('no team has more members than the four that its game allows', () => {
  expect(new Set(teams.map(({ members }) => members.length))).toEqual(new Set([1, 2, 3, 4]))
})

test('teams differ clearly, and no planned answer is from the visitor', () => {
  const count = (team: number, list: { team: number }[]) => list.filter((one) => one.team === team).length
  const order = [...teams.keys()].sort((a, b) => teams[b]!.strength - teams[a]!.strength)
  const mean = (some: number[]) => some.reduce((sum, team) => sum + count(team, all), 0) / some.length
  expect(mean(order.slice(0, 5))).toBeGreaterThan(2.5 * mean(order.slice(-10)))
  const visitor = teams.findIndex(({ name }) => name === visitorTeam)
  expect(count(visitor, live)).toBe(0)
  expect(count(visitor, past)).toBeGreaterThan(0)
  // A challenge that opens later is solved after it has opened.
  expect(solves.find(({ challenge }) => challenge === kept)!.at).toBeGreaterThan(5 * minute)
})

test('wrong answers are between the solves, and belong to the team that solves next', () => {
  for (const [at, one] of live.entries()) {
    if (one.wrong === null) continue
    expect(live[at + 1]).toMatchObject({ team: one.team, challenge: one.challenge })
    expect(live[at + 1]!.at - one.at).toBe(6000)
    expect(allDemoChallenges[one.challenge]!.flags).not.toContain(one.wrong)
  }
  expect(live.map(({ at }) => at)).toEqual(live.map(({ at }) => at).toSorted((a, b) => a - b))
  expect(live.length).toBeGreaterThan(solves.length)
})
