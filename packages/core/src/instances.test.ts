import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ContainerState,
  endOf,
  extended,
  mustBeAbleToStart,
  mustHavePaused,
  nextStep,
  type Seen,
  type StayContext,
  statusOf,
  stopOf,
} from './instances.ts'

const minute = 60_000
const now = Date.UTC(2026, 0, 1)
const codeOf = (work: () => unknown) => {
  try {
    return { got: work() }
  } catch (error) {
    const { code, data } = error as { code: string; data: unknown }
    return data === undefined ? { code } : { code, data }
  }
}
const game = { startsAt: now - 1000, endsAt: now + 60 * minute, practiceMode: false }

test('an ending container has the status Destroyed for clients', () => {
  const states: ContainerState[] = ['Pending', 'Running', 'Ending', 'Ended']
  expect(states.map(statusOf)).toEqual(['Pending', 'Running', 'Destroyed', 'Destroyed'])
})

test('without practice mode the end is at most 10 minutes after the end of the game, with it the end is unchanged', () => {
  const late = game.endsAt + 10 * minute + 1
  expect(stopOf(late, game)).toBe(game.endsAt + 10 * minute)
  expect(stopOf(late - 1, game)).toBe(late - 1)
  expect(stopOf(late - 2, game)).toBe(late - 2)
  expect(stopOf(late, { ...game, practiceMode: true })).toBe(late)
})

test('two operations are at least ten seconds apart; a refusal gives the remaining time, rounded up', () => {
  expect(codeOf(() => mustHavePaused(null, now))).toEqual({ got: undefined })
  expect(codeOf(() => mustHavePaused(now - 10_000, now))).toEqual({ got: undefined })
  expect(codeOf(() => mustHavePaused(now - 9999, now))).toEqual({ code: 'container.too_soon', data: { retryAfter: 1 } })
  expect(codeOf(() => mustHavePaused(now - 8999, now))).toEqual({ code: 'container.too_soon', data: { retryAfter: 2 } })
  expect(codeOf(() => mustHavePaused(now, now))).toEqual({ code: 'container.too_soon', data: { retryAfter: 10 } })
})

describe('a start', () => {
  const scene = { now, actedAt: null, there: false, image: 'image', port: 80, others: [], limit: 3, autoDestroy: false } as const
  const start = (more: Partial<Parameters<typeof mustBeAbleToStart>[0]>) => codeOf(() => mustBeAbleToStart({ ...scene, ...more }))

  test('P3.23 is refused in this order: too soon, running, no image or port, limit', () => {
    const all = { actedAt: now, there: true, image: '', others: ['a', 'b', 'c'] }
    expect(start(all)).toMatchObject({ code: 'container.too_soon' })
    expect(start({ ...all, actedAt: now - 10_000 })).toMatchObject({ code: 'container.already_running' })
    expect(start({ ...all, actedAt: null, there: false })).toMatchObject({ code: 'container.not_created' })
    expect(start({ port: 0 })).toMatchObject({ code: 'container.not_created' })
    expect(start({ others: ['a', 'b', 'c'] })).toEqual({ code: 'container.limit_reached', data: { limit: 3 } })
  })

  test('counts the other instances, and a limit of 0 means no limit', () => {
    expect(start({ others: ['a', 'b'] })).toEqual({ got: [] })
    expect(start({ others: ['a', 'b', 'c', 'd'], limit: 0 })).toEqual({ got: [] })
  })

  test('replaces the oldest instances where the policy allows it, as many as exceed the limit', () => {
    expect(start({ others: ['a', 'b'], autoDestroy: true })).toEqual({ got: [] })
    expect(start({ others: ['a', 'b', 'c'], autoDestroy: true })).toEqual({ got: ['a'] })
    expect(start({ others: ['a', 'b', 'c', 'd'], limit: 2, autoDestroy: true })).toEqual({ got: ['a', 'b', 'c'] })
    expect(start({ others: ['a', 'b'], limit: 0, autoDestroy: true })).toEqual({ got: [] })
  })
})

describe('an extension', () => {
  const policy = { defaultLifetime: 120, extensionDuration: 30, renewalWindow: 10 }
  const practice = { ...game, practiceMode: true }
  const extend = (state: ContainerState, left: number, of = practice) =>
    codeOf(() => extended({ state, stopsAt: now + left }, of, policy, now))

  test('P4.15 adds its time within the window before the end', () => {
    expect(extend('Running', 10 * minute)).toEqual({ got: now + 40 * minute })
    expect(extend('Running', 1)).toEqual({ got: now + 30 * minute + 1 })
    expect(extend('Running', 10 * minute + 1)).toEqual({ code: 'container.too_early_to_extend', data: { renewalWindow: 10 } })
  })

  test('is refused when it is over, ending, starting or missing', () => {
    expect(extend('Running', 0)).toEqual({ code: 'container.none' })
    for (const state of ['Pending', 'Ending', 'Ended'] as const) expect(extend(state, minute)).toEqual({ code: 'container.none' })
    expect(codeOf(() => extended(null, practice, policy, now))).toEqual({ code: 'container.none' })
  })

  test('uses the end that the game allows', () => {
    const soonOver = { ...game, endsAt: now - 5 * minute }
    expect(extend('Running', 60 * minute, soonOver)).toEqual({ got: now + 90 * minute })
    expect(extend('Running', 60 * minute, { ...game, endsAt: now - 10 * minute })).toEqual({ code: 'container.none' })
  })
})

describe('what ends a container', () => {
  const scene: StayContext = {
    state: 'Running',
    leaseUntil: now,
    stopsAt: now + minute,
    game,
    team: { status: 'Accepted', enabled: true },
  }
  const end = (more: Partial<StayContext>) => endOf({ ...scene, ...more }, now)

  test('its own end, to the millisecond; the end of its game; its challenge; its team', () => {
    expect(end({})).toBeNull()
    expect(end({ stopsAt: now + 1 })).toBeNull()
    expect(end({ stopsAt: now })).toBe('expiry')
    expect(end({ game: { ...game, endsAt: now - 10 * minute } })).toBe('expiry')
    expect(end({ game: { ...game, endsAt: now - 10 * minute + 1 } })).toBeNull()
    expect(end({ team: { status: 'Accepted', enabled: false } })).toBe('challenge')
    for (const status of ['Pending', 'Rejected', 'Suspended', 'Unsubmitted'] as const)
      expect(end({ team: { status, enabled: false } })).toBe('participation')
  })

  test('the expired lease of the node that starts it', () => {
    const pending = { state: 'Pending', stopsAt: null } as const
    expect(end({ ...pending, leaseUntil: now })).toBeNull()
    expect(end({ ...pending, leaseUntil: now - 1 })).toBe('failure')
    expect(end({ ...pending, team: { status: 'Suspended', enabled: true } })).toBe('participation')
    expect(end({ leaseUntil: now - 1 })).toBeNull()
  })

  test('a test container has only its own end; an ending container has none', () => {
    expect(end({ team: null, game: { ...game, endsAt: 0 } })).toBeNull()
    expect(end({ team: null, stopsAt: now })).toBe('expiry')
    for (const state of ['Ending', 'Ended'] as const) expect(end({ state, stopsAt: now })).toBeNull()
  })
})

test('each state of a row and of the engine has one next step', () => {
  const steps = (state: ContainerState | null) => (['running', 'ended', 'missing'] as const).map((seen) => nextStep(state, seen))
  expect(steps(null)).toEqual(['destroy', 'destroy', 'nothing'])
  expect(steps('Pending')).toEqual(['nothing', 'nothing', 'nothing'])
  expect(steps('Running')).toEqual(['nothing', 'end', 'look'])
  expect(steps('Ending')).toEqual(['destroy', 'destroy', 'close'])
  expect(steps('Ended')).toEqual(['destroy', 'destroy', 'nothing'])
})

/**
 * One container with all events in any order: its node begins, is answered late or never, dies; people end it; it crashes; it expires; sweeps run in
 * two halves, with any event between the listing of the engine and the reading of the row.
 */
describe('no order of events leaves a container without a row, or a row without an end', () => {
  const acts = ['engineStarts', 'answered', 'nodeDies', 'destroyed', 'crashed', 'time', 'list', 'settle', 'rowGoes'] as const
  interface World {
    row: { state: ContainerState; leaseUntil: number; stopsAt: number | null } | null
    engine: Seen
    /** Whether the call to the engine is running. */
    creating: boolean
    nodeLives: boolean
    listed: Seen | null
    time: number
  }
  const scene = (world: World): StayContext => ({
    state: world.row!.state,
    leaseUntil: world.row!.leaseUntil,
    stopsAt: world.row!.stopsAt,
    game: { ...game, practiceMode: true },
    team: { status: 'Accepted', enabled: true },
  })

  const happen: Record<(typeof acts)[number], (world: World) => void> = {
    engineStarts(world) {
      if (world.creating) world.engine = 'running'
    },
    answered(world) {
      if (!world.creating || !world.nodeLives || world.engine === 'missing') return
      world.creating = false
      if (world.row?.state === 'Pending') Object.assign(world.row, { state: 'Running', stopsAt: world.time + 30 })
      else world.engine = 'missing'
    },
    nodeDies(world) {
      world.nodeLives = false
      // The engine may still execute the pending request, once.
    },
    destroyed(world) {
      if (world.row && world.row.state !== 'Ended') world.row.state = 'Ending'
    },
    crashed(world) {
      if (world.engine === 'running') world.engine = 'ended'
    },
    time(world) {
      world.time += 10
      if (world.nodeLives && world.creating && world.row?.state === 'Pending') world.row.leaseUntil = world.time + 20
    },
    list(world) {
      world.listed = world.engine
    },
    settle(world) {
      if (world.listed === null) return
      const seen = world.listed
      world.listed = null
      const { row } = world
      if (!row) {
        if (nextStep(null, seen) === 'destroy') world.engine = 'missing'
        return
      }
      if (endOf(scene(world), world.time)) row.state = 'Ending'
      const step = nextStep(row.state, seen)
      if (step === 'look' && world.engine === 'running') return
      if (step === 'look' || step === 'end') row.state = 'Ending'
      if (step === 'nothing') return
      world.engine = 'missing'
      row.state = 'Ended'
    },
    rowGoes(world) {
      world.row = null
    },
  }

  test('after any events, neither row nor container is left a few rounds later', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...acts), { maxLength: 40 }), (events) => {
        const world: World = {
          row: { state: 'Pending', leaseUntil: 20, stopsAt: null },
          engine: 'missing',
          creating: true,
          nodeLives: true,
          listed: null,
          time: 0,
        }
        for (const event of events) {
          happen[event](world)
          // A running row always has an end.
          if (world.row?.state === 'Running') expect(world.row.stopsAt).not.toBeNull()
        }
        // The node answers, or it has died; then time passes.
        happen.answered(world)
        world.creating = false
        for (let round = 0; round < 8; round++) for (const act of ['time', 'list', 'settle'] as const) happen[act](world)
        expect(world.engine).toBe('missing')
        expect(world.row === null || world.row.state === 'Ended').toBe(true)
      }),
      { numRuns: 3000 },
    )
  })
})
