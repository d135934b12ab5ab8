import { describe, expect, test } from 'vitest'
import {
  mustBeAbleToDisband,
  mustBeAbleToKick,
  mustBeAbleToLeaveTeam,
  mustBeAbleToRename,
  mustBeAbleToTransfer,
  mustOwnNoTeam,
} from './teams.ts'

const team = { captainId: 'ann', memberIds: ['ann', 'bob'], locked: false, participations: [] }
const locked = { ...team, locked: true, participations: [{ status: 'Accepted', endsAt: 10 }] } as const

describe('permissions in a team', () => {
  test('P5.8 the owner of a team cannot create another one', () => {
    expect(() => mustOwnNoTeam(0)).not.toThrow()
    expect(() => mustOwnNoTeam(1)).toThrow('team.already_owned')
  })

  test('P4.7 leaving: members may, the captain and others may not, and no user may while the team is locked', () => {
    expect(() => mustBeAbleToLeaveTeam(team, 'bob', 5)).not.toThrow()
    expect(() => mustBeAbleToLeaveTeam(team, 'ann', 5)).toThrow('team.captain_cannot_leave')
    expect(() => mustBeAbleToLeaveTeam(team, 'eve', 5)).toThrow('team.not_member')
    expect(() => mustBeAbleToLeaveTeam(locked, 'bob', 5)).toThrow('team.locked')
    expect(() => mustBeAbleToLeaveTeam(locked, 'bob', 10)).not.toThrow()
  })

  test('P4.7 kicking: only the captain, only other members, not while the team is locked', () => {
    expect(() => mustBeAbleToKick(team, 'ann', 'bob', 5)).not.toThrow()
    expect(() => mustBeAbleToKick(team, 'bob', 'ann', 5)).toThrow('team.not_captain')
    expect(() => mustBeAbleToKick(team, 'ann', 'eve', 5)).toThrow('team.member_unknown')
    expect(() => mustBeAbleToKick(team, 'ann', 'ann', 5)).toThrow('team.captain_cannot_kick_self')
    expect(() => mustBeAbleToKick(locked, 'ann', 'eve', 5)).toThrow('team.locked')
  })

  test('P7.106 a team is renamed once a minute; the wait is in whole seconds', () => {
    const wait = (renamedAt: number | null, now: number) => {
      try {
        mustBeAbleToRename(renamedAt, now)
        return null
      } catch (error) {
        return (error as { data: unknown }).data
      }
    }
    expect([wait(null, 1000), wait(1000, 61_000)]).toEqual([null, null])
    expect([1500, 60_000, 60_999].map((now) => wait(1000, now))).toEqual([60, 1, 1].map((retryAfter) => ({ retryAfter })))
    expect(() => mustBeAbleToRename(1000, 1000)).toThrow('team.renamed_too_soon')
  })

  test('P5.8 P4.7 a team is transferred to a member who owns no team', () => {
    expect(() => mustBeAbleToTransfer(team, 'ann', { id: 'bob', ownedTeams: 0 }, 5)).not.toThrow()
    expect(() => mustBeAbleToTransfer(team, 'ann', { id: 'bob', ownedTeams: 1 }, 5)).toThrow('team.new_captain_owns_team')
    expect(() => mustBeAbleToTransfer(team, 'ann', { id: 'eve', ownedTeams: 0 }, 5)).toThrow('team.new_captain_not_member')
    expect(() => mustBeAbleToTransfer(team, 'ann', { id: 'ann', ownedTeams: 1 }, 5)).toThrow('team.already_captain')
    expect(() => mustBeAbleToTransfer(team, 'ann', null, 5)).toThrow('team.new_captain_unknown')
    expect(() => mustBeAbleToTransfer(team, 'bob', null, 5)).toThrow('team.not_captain')
    expect(() => mustBeAbleToTransfer(locked, 'ann', null, 5)).toThrow('team.locked')
  })

  test('P4.7 a team with results cannot be disbanded by its captain', () => {
    expect(() => mustBeAbleToDisband({ ...team, hasResults: false }, 'ann', 5)).not.toThrow()
    expect(() => mustBeAbleToDisband({ ...team, hasResults: true }, 'ann', 5)).toThrow('team.has_submissions')
    expect(() => mustBeAbleToDisband({ ...locked, hasResults: true }, 'ann', 5)).toThrow('team.locked')
    expect(() => mustBeAbleToDisband({ ...team, hasResults: false }, 'bob', 5)).toThrow('team.not_captain')
  })
})
