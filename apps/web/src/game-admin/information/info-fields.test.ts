import type { GameInfo } from '@vexil/contract/games'
import { gameLimits } from '@vexil/core/limits'
import { afterEach, expect, test, vi } from 'vitest'
import { infoBody, infoEffects, infoFields, randomCode, wrongInfo } from './info-fields.ts'

afterEach(() => void vi.restoreAllMocks())

const hour = 3_600_000
const game: GameInfo = {
  id: 3,
  title: 'Tideline Finals',
  hidden: false,
  summary: '',
  content: '',
  acceptWithoutReview: false,
  writeupRequired: false,
  inviteCode: null,
  organizations: ['Student', 'Guest'],
  teamMemberCountLimit: 5,
  containerCountLimit: 3,
  poster: null,
  publicKey: 'key',
  practiceMode: true,
  start: '2026-11-21T08:00:00+00:00',
  end: '2026-11-23T08:00:00+00:00',
  writeupDeadline: '2026-11-23T10:20:00+00:00',
  writeupNote: '',
  bloodBonus: 52_459_530,
}
const base = infoFields(game)
const during = Date.parse(game.start) + hour

test('GI-1 an empty title, an end before the start and fractions of members are invalid', () => {
  expect(wrongInfo(base)).toEqual([])
  const wrong = wrongInfo({
    ...base,
    title: ' ',
    end: base.start,
    teamMemberCountLimit: 2.5,
    containerCountLimit: '',
    writeupHours: -1,
  })
  expect(wrong).toEqual(['title', 'end', 'teamMemberCountLimit', 'containerCountLimit', 'writeupHours'])
  const of = (part: Partial<typeof base>) => wrongInfo({ ...base, ...part })
  for (const name of ['ALL', 'all', 'x'.repeat(gameLimits.divisionMax + 1)])
    expect(of({ organizations: [name] })).toEqual(['organizations'])
  expect(of({ organizations: ['x'.repeat(gameLimits.divisionMax)] })).toEqual([])
  expect(of({ teamMemberCountLimit: 100_000, containerCountLimit: 0, writeupHours: 1_000_000 })).toEqual([])
  expect(of({ teamMemberCountLimit: 100_001, writeupHours: 0 })).toEqual(['teamMemberCountLimit'])
})

test('P3.14 P9.11 hours after the end have two decimals, and an untouched deadline keeps its instant', () => {
  expect(base.writeupHours).toBe(2.33)
  expect(infoFields({ ...game, writeupDeadline: game.start }).writeupHours).toBe(0)
  expect(infoBody(game, { ...base, summary: 'new' }, base).writeupDeadline).toBe(game.writeupDeadline)
  const moved = infoBody(game, { ...base, end: base.end + hour }, base)
  expect(Date.parse(moved.writeupDeadline ?? '') - Date.parse(moved.end ?? '')).toBe(2.33 * hour)
  expect(infoBody(game, { ...base, writeupHours: 0 }, base).writeupDeadline).toBe(new Date(base.end).toISOString())
})

test('changes that another user saved meanwhile are kept; a blank code means none', () => {
  const meanwhile = { ...game, summary: 'of a colleague', start: '2026-11-21T09:00:00+00:00' }
  const body = infoBody(meanwhile, { ...base, title: ' Finals ', inviteCode: '  ' }, base)
  const { summary, start, bloodBonus } = meanwhile
  expect(body).toMatchObject({ title: 'Finals', summary, start, inviteCode: null, bloodBonus })
  const later = { ...game, end: '2026-11-24T08:00:00.000Z', organizations: ['Guest'] }
  expect(infoBody(later, { ...base, title: 'Finals' }, base)).toMatchObject({ end: later.end, organizations: ['Guest'] })
  const coded = { ...game, inviteCode: 'of a colleague' }
  expect(infoBody(coded, { ...base, title: 'Finals' }, base).inviteCode).toBe('of a colleague')
})

test('GI-4 the effects of moved times of a running game are described', () => {
  const teams = [
    { organization: null, status: 'Accepted' },
    { organization: null, status: 'Pending' },
  ]
  expect(infoEffects({ ...base, end: base.end + 3 * hour }, base, during, teams)).toEqual([{ kind: 'end', hours: 3, teams: 1 }])
  expect(infoEffects({ ...base, end: during - 1 }, base, during, [])[1]).toEqual({ kind: 'closes' })
  expect(infoEffects({ ...base, start: during + hour }, base, during, [])[1]).toEqual({ kind: 'closes' })
  expect(infoEffects({ ...base, end: base.end + hour }, base, during - 9 * hour, [])).toEqual([])
  const ended = base.end + hour
  expect(infoEffects({ ...base, end: ended + hour }, base, ended, [])[1]).toEqual({ kind: 'reopens' })
  expect(infoEffects({ ...base, start: base.start + hour }, base, ended, [])).toEqual([])
  expect(infoEffects({ ...base, start: during - 2 * hour }, base, during - 1.5 * hour, [])[1]).toEqual({ kind: 'opens' })
  // Times that are invalid have no effect yet.
  expect(infoEffects({ ...base, end: base.start }, base, during, [])).toEqual([])
  expect(infoEffects({ ...base, hidden: true }, base, during, [])).toEqual([{ kind: 'hides' }])
  expect(infoEffects({ ...base, hidden: true }, { ...base, hidden: true }, during, [])).toEqual([])
})

test('GI-5 a removed division is named with its teams; one without teams is removed without a message', () => {
  const teams = [1, 2, 3].map(() => ({ organization: 'Guest', status: 'Accepted' }))
  const effects = infoEffects({ ...base, organizations: [] }, base, during, teams)
  expect(effects).toEqual([{ kind: 'division', name: 'Guest', teams: 3 }])
})

test('GI-6 codes have 24 characters from the cryptographic source', () => {
  const spy = vi.spyOn(crypto, 'getRandomValues')
  const codes = new Set(Array.from({ length: 50 }, () => randomCode()))
  expect(codes.size).toBe(50)
  for (const code of codes) expect(code).toMatch(/^[A-HJ-NP-Za-km-z2-9]{24}$/)
  expect(spy).toHaveBeenCalled()
})

test('GI-6 bytes that would make some characters of a code more frequent are left out', () => {
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((bytes) => {
    // 57 characters: 228 is the last whole multiple of a byte.
    ;(bytes as Uint8Array).fill(255).set([228, 227, 0, 57])
    return bytes
  })
  expect(randomCode(4)).toBe('9AA9')
})
