import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ChallengeContext,
  cleanDivisions,
  isAbandoned,
  isListed,
  type JoinContext,
  joinOutcome,
  locksTeam,
  mustBeAbleToHandInWriteup,
  mustBeAbleToJoin,
  mustBeAbleToLeave,
  mustBeAbleToOpen,
  mustBeAbleToPlay,
  mustBeAbleToSeeWriteup,
  mustBeAbleToSubmit,
  mustBeUnlocked,
} from './participation.ts'
import { type ParticipationStatus, participationStatuses } from './vocabulary.ts'

const startsAt = 1_000_000
const endsAt = 2_000_000
const game = {
  startsAt,
  endsAt,
  practiceMode: false,
  inviteCode: null,
  divisions: [] as string[],
  memberLimit: 0,
  acceptWithoutReview: false,
}
type Game = NonNullable<JoinContext['game']>

const joining = (of: Partial<JoinContext> = {}, ofGame: Partial<Game> = {}): JoinContext => ({
  now: startsAt,
  game: { ...game, ...ofGame },
  teamExists: true,
  isMember: true,
  ownStatus: null,
  participation: null,
  ...of,
})
const standing = (status: ParticipationStatus, division: string | null = null, members = 1) => ({
  status,
  division,
  members,
  madeAt: startsAt,
})

describe('joining', () => {
  test('P4.1 the first join creates a participation that waits for review', () => {
    const scene = joining()
    expect(() => mustBeAbleToJoin(scene)).not.toThrow()
    expect(joinOutcome(scene)).toEqual({ status: 'Pending', division: null, accepted: false })
  })

  test('P3.15 P4.6 without review the join is accepted at once', () => {
    expect(joinOutcome(joining({}, { acceptWithoutReview: true }))).toEqual({
      status: 'Accepted',
      division: null,
      accepted: true,
    })
  })

  test('P4.5 P4.4 a rejected team may apply again, as may one that an administrator set to Unsubmitted', () => {
    for (const status of ['Rejected', 'Unsubmitted'] as const) {
      const scene = joining({ ownStatus: status, participation: standing(status) })
      expect(() => mustBeAbleToJoin(scene)).not.toThrow()
      expect(joinOutcome(scene).status).toBe('Pending')
    }
  })

  test('P4.12 after the end only a participation made after it is accepted without review', () => {
    const over = (of: Partial<JoinContext>) =>
      joinOutcome(joining({ now: endsAt + 1, ...of }, { acceptWithoutReview: true, practiceMode: true }))
    expect(over({}).status).toBe('Accepted')
    for (const status of ['Rejected', 'Unsubmitted', 'Pending'] as const) {
      const participation = standing(status)
      expect(over({ participation })).toEqual({ status: 'Pending', division: null, accepted: false })
      expect(over({ participation: { ...participation, madeAt: endsAt } }).status).toBe('Accepted')
      expect(over({ participation, now: endsAt }).status).toBe('Accepted')
    }
    expect(over({ participation: standing('Accepted') }).status).toBe('Accepted')
  })

  test.each(['Pending', 'Accepted', 'Suspended'] as const)(
    'P4.1 a team that has joined already (%s) cannot join again',
    (ownStatus) => {
      expect(() => mustBeAbleToJoin(joining({ ownStatus }))).toThrow('participation.already_joined')
    },
  )

  test('P4.3 a suspended team accepts no further members, even without review', () => {
    expect(() => mustBeAbleToJoin(joining({ participation: standing('Suspended') }, { acceptWithoutReview: true }))).toThrow(
      'participation.suspended',
    )
  })

  test('P5.5 the invite code of a game must match exactly', () => {
    for (const inviteCode of [undefined, null, '', 'SECRET', 'secret '])
      expect(() => mustBeAbleToJoin(joining({ inviteCode }, { inviteCode: 'secret' }))).toThrow('game.invite_code_wrong')
    expect(() => mustBeAbleToJoin(joining({ inviteCode: 'secret' }, { inviteCode: 'secret' }))).not.toThrow()
    expect(() => mustBeAbleToJoin(joining({ inviteCode: 'anything' }, { inviteCode: '' }))).not.toThrow()
  })

  test('P5.6 where there are divisions one must be chosen; where there are none nothing is stored', () => {
    for (const division of [undefined, null, '', 'z'])
      expect(() => mustBeAbleToJoin(joining({ division }, { divisions: ['x', 'y'] }))).toThrow('game.division_unknown')
    const scene = joining({ division: 'y' }, { divisions: ['x', 'y'] })
    expect(() => mustBeAbleToJoin(scene)).not.toThrow()
    expect(joinOutcome(scene).division).toBe('y')
    expect(joinOutcome(joining({ division: 'y' })).division).toBeNull()
  })

  test('P3.35 the latest member to join sets the division until the team is accepted, then it is fixed', () => {
    const divisions = ['x', 'y']
    expect(joinOutcome(joining({ division: 'y', participation: standing('Pending', 'x') }, { divisions })).division).toBe('y')
    const accepted = joining({ division: 'y', participation: standing('Accepted', 'x') }, { divisions })
    expect(() => mustBeAbleToJoin(accepted)).toThrow('participation.division_fixed')
    expect(() => mustBeAbleToJoin({ ...accepted, division: 'x' })).not.toThrow()
  })

  test('P3.35 a division that the game no longer has does not prevent joining an accepted team, and stays', () => {
    const scene = joining({ division: 'y', participation: standing('Accepted', 'gone') }, { divisions: ['x', 'y'] })
    expect(() => mustBeAbleToJoin(scene)).not.toThrow()
    expect(joinOutcome(scene)).toEqual({ status: 'Accepted', division: 'gone', accepted: false })
  })

  test('P5.7 the team must exist and the user must be a member', () => {
    expect(() => mustBeAbleToJoin(joining({ teamExists: false, isMember: false }))).toThrow('team.not_found')
    expect(() => mustBeAbleToJoin(joining({ isMember: false }))).toThrow('team.not_member')
  })

  test('P3.11 P5.24 P9.6 a limit of two refuses the third member, 0 refuses none', () => {
    expect(() => mustBeAbleToJoin(joining({ participation: standing('Pending', null, 1) }, { memberLimit: 2 }))).not.toThrow()
    expect(() => mustBeAbleToJoin(joining({ participation: standing('Pending', null, 2) }, { memberLimit: 2 }))).toThrow(
      'participation.member_limit',
    )
    expect(() => mustBeAbleToJoin(joining({ participation: standing('Pending', null, 30) }))).not.toThrow()
  })

  test('P4.12 after the end only a practice game can be joined', () => {
    expect(() => mustBeAbleToJoin(joining({ now: endsAt + 1 }))).toThrow('game.ended')
    expect(() => mustBeAbleToJoin(joining({ now: endsAt + 1 }, { practiceMode: true }))).not.toThrow()
    expect(() => mustBeAbleToJoin(joining({ now: startsAt - 1 }))).not.toThrow()
  })

  test('P4.1 the first broken rule in the order of checks is reported', () => {
    const repairs: [code: string, repair: (scene: JoinContext) => JoinContext][] = [
      ['game.not_found', (scene) => ({ ...scene, game: broken })],
      ['game.ended', (scene) => ({ ...scene, now: startsAt })],
      ['game.invite_code_wrong', (scene) => ({ ...scene, inviteCode: 'secret' })],
      ['game.division_unknown', (scene) => ({ ...scene, division: 'y' })],
      ['team.not_found', (scene) => ({ ...scene, teamExists: true })],
      ['team.not_member', (scene) => ({ ...scene, isMember: true })],
      ['participation.already_joined', (scene) => ({ ...scene, ownStatus: 'Rejected' })],
      ['participation.suspended', (scene) => ({ ...scene, participation: standing('Accepted', 'x', 1) })],
      ['participation.division_fixed', (scene) => ({ ...scene, division: 'x' })],
      ['participation.member_limit', (scene) => ({ ...scene, participation: standing('Accepted', 'x', 0) })],
    ]
    const broken = { ...game, inviteCode: 'secret', divisions: ['x', 'y'], memberLimit: 1 }
    let scene: JoinContext = {
      now: endsAt + 1,
      game: null,
      teamExists: false,
      isMember: false,
      ownStatus: 'Accepted',
      participation: standing('Suspended'),
    }
    for (const [code, repair] of repairs) {
      expect(() => mustBeAbleToJoin(scene)).toThrow(code)
      scene = repair(scene)
    }
    expect(() => mustBeAbleToJoin(scene)).not.toThrow()
  })

  test('P3.12 divisions are a set of texts, and none may be named "all"', () => {
    expect(cleanDivisions([' x', 'y', 'x ', ''])).toEqual(['x', 'y'])
    expect(() => cleanDivisions(['x', ' all '])).toThrow('game.division_reserved')
  })
})

describe('leaving', () => {
  test('P4.5 P4.10 a pending or rejected team may leave; an accepted or suspended one may not', () => {
    const leave =
      (status: ParticipationStatus | null, gameExists = true) =>
      () =>
        mustBeAbleToLeave({ gameExists, status })
    for (const status of ['Pending', 'Rejected', 'Unsubmitted'] as const) expect(leave(status)).not.toThrow()
    for (const status of ['Accepted', 'Suspended'] as const) expect(leave(status)).toThrow('participation.cannot_leave')
    expect(leave(null)).toThrow('participation.none')
    expect(leave(null, false)).toThrow('game.not_found')
  })

  test('P4.10 a participation is removed with its last member, unless it has submissions', () => {
    expect(isAbandoned({ members: 0, submissions: 0 })).toBe(true)
    expect(isAbandoned({ members: 1, submissions: 0 })).toBe(false)
    expect(isAbandoned({ members: 0, submissions: 1 })).toBe(false)
  })
})

describe('review', () => {
  test('P4.2 accepting a team locks it, no other decision does', () => {
    expect(participationStatuses.filter(locksTeam)).toEqual(['Accepted'])
  })

  test('P4.12 a participation created after the end is never listed', () => {
    expect(isListed({ status: 'Accepted', madeAt: endsAt - 1 }, endsAt)).toBe(true)
    expect(isListed({ status: 'Accepted', madeAt: endsAt }, endsAt)).toBe(false)
    for (const status of participationStatuses)
      if (status !== 'Accepted') expect(isListed({ status, madeAt: startsAt }, endsAt)).toBe(false)
  })

  test('P4.3 no sequence of joins and leaves accepts or releases a suspended team', () => {
    const step = fc.record({
      acts: fc.constantFrom('join', 'leave'),
      acceptWithoutReview: fc.boolean(),
      now: fc.integer({ min: 0, max: endsAt }),
    })
    fc.assert(
      fc.property(fc.constantFrom(...participationStatuses), fc.array(step, { maxLength: 10 }), (first, steps) => {
        let status: ParticipationStatus | null = first
        for (const { acts, acceptWithoutReview, now } of steps) {
          const before: ParticipationStatus | null = status
          try {
            if (acts === 'leave') {
              mustBeAbleToLeave({ gameExists: true, status })
              status = null
            } else {
              const scene = joining({ now, participation: status && standing(status, null, 0) }, { acceptWithoutReview })
              mustBeAbleToJoin(scene)
              status = joinOutcome(scene).status
            }
          } catch {
            expect(status).toBe(before)
          }
          if (before === 'Suspended') expect(status).toBe('Suspended')
          if (before === 'Accepted') expect(status).toBe('Accepted')
          if (status !== before) expect([null, 'Pending', 'Accepted']).toContain(status)
        }
      }),
    )
  })
})

describe('permission to play', () => {
  const open: ChallengeContext = { now: startsAt, game, status: 'Accepted', challenge: { enabled: true } }

  test('P4.2 P4.3 P4.11 checks run in order: game, participation, status, start, end, challenge', () => {
    const refuse = (of: Partial<ChallengeContext>) => expect(() => mustBeAbleToSubmit({ ...open, ...of }))
    refuse({}).not.toThrow()
    refuse({ game: null, status: null }).toThrow('game.not_found')
    refuse({ status: null, now: 0 }).toThrow('participation.none')
    refuse({ participationId: null, now: 0 }).toThrow('participation.none')
    for (const status of ['Pending', 'Rejected', 'Unsubmitted'] as const)
      refuse({ status, now: 0 }).toThrow('participation.not_accepted')
    refuse({ status: 'Suspended', now: 0 }).toThrow('participation.suspended')
    refuse({ now: startsAt - 1, challenge: null }).toThrow('game.not_started')
    refuse({ now: endsAt + 1, challenge: null }).toThrow('game.ended')
    refuse({ now: endsAt }).not.toThrow()
    refuse({ challenge: null }).toThrow('challenge.not_found')
  })

  test('P4.13 a disabled challenge counts as missing', () => {
    expect(() => mustBeAbleToSubmit({ ...open, challenge: { enabled: false } })).toThrow('challenge.not_found')
  })

  test('P4.12 in practice mode play is allowed after the end', () => {
    expect(() => mustBeAbleToPlay({ ...open, now: endsAt + 1, game: { ...game, practiceMode: true } })).not.toThrow()
    expect(() => mustBeAbleToPlay({ ...open, now: endsAt + 1 })).toThrow('game.ended')
  })

  test('P4.23 P4.24 a writeup can be submitted after the end without practice mode, until its deadline', () => {
    const after = { ...open, now: endsAt + 10 }
    expect(() => mustBeAbleToSeeWriteup(after)).not.toThrow()
    expect(() => mustBeAbleToHandInWriteup(after, { required: true, deadline: endsAt + 10 })).not.toThrow()
    expect(() => mustBeAbleToHandInWriteup(after, { required: true, deadline: endsAt + 9 })).toThrow('writeup.deadline_passed')
    expect(() => mustBeAbleToHandInWriteup(after, { required: false, deadline: endsAt + 9 })).toThrow('writeup.not_wanted')
    expect(() => mustBeAbleToSeeWriteup({ ...open, now: startsAt - 1 })).toThrow('game.not_started')
  })
})

describe('the lock of a team', () => {
  const lock = (status: ParticipationStatus, locked = true) => ({ locked, participations: [{ status, endsAt }] })

  test.each(participationStatuses)(
    'P4.5 P4.7 P4.8 a locked team with a participation that is %s is locked at most until its game ends',
    (status) => {
      const holds = status === 'Pending' || status === 'Accepted' || status === 'Suspended'
      if (holds) expect(() => mustBeUnlocked(lock(status), endsAt - 1)).toThrow('team.locked')
      else expect(() => mustBeUnlocked(lock(status), endsAt - 1)).not.toThrow()
      expect(() => mustBeUnlocked(lock(status), endsAt)).not.toThrow()
      expect(() => mustBeUnlocked(lock(status, false), endsAt - 1)).not.toThrow()
    },
  )
})

describe('boundaries', () => {
  const refusal = (work: () => unknown) => {
    try {
      work()
    } catch (error) {
      return { ...(error as { code: string; data: object }) }
    }
    return null
  }

  test('a team that joined at the exact end is not listed', () => {
    const at = (madeAt: number) => isListed({ status: 'Accepted', madeAt }, endsAt)
    expect([at(endsAt - 1), at(endsAt), at(endsAt + 1)]).toEqual([true, false, false])
  })

  test('a missing division is not one of the game', () => {
    expect(refusal(() => mustBeAbleToJoin(joining({}, { divisions: ['Stryker was here!', 'A'] })))?.code).toBe(
      'game.division_unknown',
    )
  })

  test('the limit applies to the first member, too, and the refusal of a full team gives it', () => {
    expect(refusal(() => mustBeAbleToJoin(joining({}, { memberLimit: 1 })))).toBeNull()
    const participation = standing('Pending', null, 2)
    expect(refusal(() => mustBeAbleToJoin(joining({ participation }, { memberLimit: 2 })))?.data).toEqual({ limit: 2 })
    expect(refusal(() => mustBeAbleToJoin(joining({ participation }, { memberLimit: 3 })))).toBeNull()
  })

  test('an accepted team without a division may choose any; one with a division keeps it, and the refusal names it', () => {
    const join = (division: string | null, wished: string) =>
      refusal(() =>
        mustBeAbleToJoin(joining({ participation: standing('Accepted', division), division: wished }, { divisions: ['A', 'B'] })),
      )
    expect([join(null, 'A'), join('A', 'A'), join('Gone', 'A')]).toEqual([null, null, null])
    expect(join('A', 'B')).toMatchObject({ code: 'participation.division_fixed', data: { division: 'A' } })
  })

  test('the result of a join requires an existing game', () => {
    expect(refusal(() => joinOutcome({ ...joining(), game: null }))?.code).toBe('game.not_found')
    expect(joinOutcome(joining({ division: ' ' }, { divisions: ['A'] })).division).toBeNull()
    expect(joinOutcome(joining({ division: 'A' }, { divisions: ['A'] })).division).toBe('A')
    expect(joinOutcome(joining({ division: 'A' })).division).toBeNull()
  })

  test('a blank invite code counts as none', () => {
    expect(refusal(() => mustBeAbleToJoin(joining({}, { inviteCode: '  ' })))).toBeNull()
  })

  test('the refusal of the reserved division names it', () => {
    expect(refusal(() => cleanDivisions(['A', ' all ']))).toMatchObject({ data: { name: 'all' } })
  })

  test('reading a writeup has the same checks, except that of the end', () => {
    const scene = { now: endsAt + 1, game, status: 'Accepted' } as const
    expect(refusal(() => mustBeAbleToSeeWriteup(scene))).toBeNull()
    for (const [change, code] of [
      [{ game: null }, 'game.not_found'],
      [{ status: null }, 'participation.none'],
      [{ status: 'Suspended' }, 'participation.suspended'],
      [{ status: 'Pending' }, 'participation.not_accepted'],
      [{ now: startsAt - 1 }, 'game.not_started'],
    ] as const) {
      expect(refusal(() => mustBeAbleToSeeWriteup({ ...scene, ...change }))?.code).toBe(code)
      const writeup = { required: true, deadline: endsAt + 10 }
      expect(refusal(() => mustBeAbleToHandInWriteup({ ...scene, ...change }, writeup))?.code).toBe(code)
    }
  })

  test('one running game locks a team, whatever the state of the others', () => {
    const held = (...all: [status: ParticipationStatus, endsAt: number][]) =>
      refusal(() => mustBeUnlocked({ locked: true, participations: all.map(([status, endsAt]) => ({ status, endsAt })) }, 5))
        ?.code
    expect(held(['Accepted', 6], ['Rejected', 6])).toBe('team.locked')
    expect(held(['Accepted', 5], ['Suspended', 6])).toBe('team.locked')
    expect(held(['Accepted', 5], ['Rejected', 6], ['Unsubmitted', 6])).toBeUndefined()
    expect(held()).toBeUndefined()
  })

  test('a disabled and a missing challenge give the same refusal', () => {
    const scene = { now: startsAt, game, status: 'Accepted' } as const
    expect(refusal(() => mustBeAbleToOpen({ ...scene, challenge: { enabled: true } }))).toBeNull()
    for (const challenge of [null, { enabled: false }])
      expect(refusal(() => mustBeAbleToOpen({ ...scene, challenge }))?.code).toBe('challenge.not_found')
  })
})
