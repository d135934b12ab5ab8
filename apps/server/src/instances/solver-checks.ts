/**
 * The solver check: the program of an image runs beside a fresh instance and must print its flag, which it does not receive. On request, before a
 * game starts, and periodically while it runs.
 */
import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasFlag, keptOutput, marksChallenge } from '@vexil/core/checks'
import { makeTestFlag } from '@vexil/core/flags'
import { checkLimits, containerLease } from '@vexil/core/limits'
import {
  ChallengeHasNoCheck,
  ChallengeHasNoContainer,
  ChallengeImageMissing,
  ContainersUnavailable,
  RuleError,
} from '@vexil/core/rules'
import { type ChallengeType, generatesFlags, hasContainer } from '@vexil/core/vocabulary'
import { type Actor, audit } from '../audit.ts'
import { type ChallengeRow, getChallenge, listFailures, listFlags } from '../challenges/challenges.queries.ts'
import { inTransaction } from '../db/transaction.ts'
import { EngineError } from '../ports/engine/engine.ts'
import { endContainer } from './end-container.ts'
import { insertContainer } from './instances.queries.ts'
import { type LaunchDeps, launch, messageOf, subnetCount } from './launch.ts'
import {
  addCheck,
  addDueChecks,
  type CheckDetailRow,
  type CheckResult,
  type ClaimedCheck,
  claimCheck,
  endCheck,
  findCheckContainer,
  findCheckEnd,
  keepCheck,
} from './solver-checks.queries.ts'

/** Name of the container of the program. */
const part = 'vexil-check'

interface CheckCall {
  readonly gameId: number
  readonly challengeId: number
  readonly by: Actor
}

export interface SolverChecks {
  /** @throws GameNotFound, ChallengeNotFound, ChallengeHasNoContainer, ChallengeImageMissing, ChallengeHasNoCheck, ContainersUnavailable */
  requestCheck(call: CheckCall): Promise<CheckDetailRow>
  /** For the sweep of each minute; does not wait for the checks. */
  begin(): Promise<void>
  /** Ends running checks, and their instances. */
  close(): Promise<void>
}

export function openSolverChecks(deps: LaunchDeps): SolverChecks {
  const closing = new AbortController()
  const running = new Set<Promise<void>>()
  const start = () => {
    if (closing.signal.aborted) return
    const work = runWaiting(deps, closing.signal)
      .catch(deps.onError)
      .finally(() => running.delete(work))
    running.add(work)
  }
  return {
    async requestCheck(call) {
      const check = await storeCheck(deps, call)
      start()
      return check
    },
    async begin() {
      await addDueChecks(deps.db)
      // One for each place.
      for (const _place of [1, 2]) start()
    },
    async close() {
      closing.abort()
      await Promise.all(running)
    },
  }
}

async function storeCheck(deps: LaunchDeps, { gameId, challengeId, by }: CheckCall): Promise<CheckDetailRow> {
  const challenge = await getChallenge(deps.db, gameId, challengeId)
  if (!hasContainer(challenge.type as ChallengeType)) throw new ChallengeHasNoContainer()
  if (challenge.containerImage === '') throw new ChallengeImageMissing()
  if (challenge.checkImage === '') throw new ChallengeHasNoCheck()
  if (deps.engine.kind === 'None') throw new ContainersUnavailable()
  const { isNew, ...check } = await addCheck(deps.db, challengeId)
  if (isNew) audit(deps, by, `Started the solver check of ${challenge.title} (#${challengeId})`)
  return check
}

/** Runs checks, one after the other, until none waits or all places are taken. */
async function runWaiting(deps: LaunchDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const claimed = await claimCheck(deps.db)
    if (!claimed) return
    await runCheck(deps, claimed, signal)
  }
}

async function runCheck(deps: LaunchDeps, claimed: ClaimedCheck, signal: AbortSignal): Promise<void> {
  let output = ''
  const keep = () => void keepCheck(deps.db, claimed.id, output).catch(deps.onError)
  const renewing = setInterval(keep, checkLimits.lease / 3)
  try {
    const challenge = await getChallenge(deps.db, claimed.gameId, claimed.challengeId)
    const result = await solve(deps, challenge, signal, (printed) => {
      if (printed === output) return
      output = printed
      keep()
    })
    await end(deps, claimed, challenge.title, result)
  } catch (error) {
    const result = { state: 'NotTried', problem: messageOf(error), output } as const
    // A check of a challenge that was deleted in the meantime no longer exists.
    if (await inTransaction(deps.db, (tx) => endCheck(tx, claimed, result))) throw error
  } finally {
    clearInterval(renewing)
  }
}

/** Stores the result; the log has an entry for the beginning and the end of a series of failures. */
async function end(deps: LaunchDeps, claimed: ClaimedCheck, title: string, result: CheckResult): Promise<void> {
  const [before, after] = await inTransaction(deps.db, async (tx) => {
    const count = async () => (await listFailures(tx, { challengeId: claimed.challengeId }))[0]?.failures ?? 0
    const earlier = await count()
    const isEnded = await endCheck(tx, claimed, result)
    return isEnded ? [earlier, await count()] : [0, 0]
  })
  const name = `${title} (#${claimed.challengeId})`
  if (!marksChallenge(before) && marksChallenge(after)) {
    const message = `The solver check of ${name} failed ${after} times in a row: ${result.problem}`
    deps.log.write({ level: 'Warning', status: 'Failed', name: 'System', message })
  }
  if (marksChallenge(before) && !marksChallenge(after))
    deps.log.write({
      level: 'Information',
      status: 'Success',
      name: 'System',
      message: `The solver check of ${name} passes again`,
    })
}

/** Starts a fresh instance with the program beside it, and ends both. `seen` is called with the output in the form that is kept. */
async function solve(
  deps: LaunchDeps,
  challenge: ChallengeRow,
  signal: AbortSignal,
  seen: (output: string) => void,
): Promise<CheckResult> {
  const flag = generatesFlags(challenge.type as ChallengeType)
    ? makeTestFlag(challenge.flagTemplate, { random: (n) => randomInt(n), makeGuid: () => randomUUID() })
    : null
  const flags = flag === null ? (await listFlags(deps.db, challenge.id)).map((one) => one.flag) : [flag]
  // The engine was unreachable when an earlier check ended, or its node was killed.
  const left = await findCheckContainer(deps.db, challenge.id)
  if (left !== undefined && !(await endContainer(deps, left, { by: 'expiry' })))
    return { state: 'NotTried', problem: 'The engine could not remove the instance of an earlier check', output: '' }
  const id = randomUUID()
  try {
    await startBeside(deps, challenge, id, flag)
  } catch (error) {
    const cause = (error as Error).cause ?? error
    if (!(cause instanceof EngineError || cause instanceof RuleError)) throw error
    const isOfChallenge = cause instanceof EngineError && ['image', 'failed'].includes(cause.problem)
    const problem = `The instance did not start: ${keptOutput(messageOf(cause), flags)}`
    return { state: isOfChallenge ? 'Failed' : 'NotTried', problem, output: '' }
  }
  try {
    return await watch(deps, id, flags, signal, seen)
  } finally {
    await endContainer(deps, id, { by: 'expiry' })
  }
}

/** @throws as launch */
async function startBeside(deps: LaunchDeps, challenge: ChallengeRow, id: string, flag: string | null): Promise<void> {
  const row = {
    ...{ id, challengeId: challenge.id, participationId: null, accountId: null, slot: null },
    ...{ image: challenge.containerImage, capture: false, node: deps.node, isCheck: true },
  }
  const subnetIndex = await inTransaction(deps.db, (tx) =>
    insertContainer(tx, row, { subnets: subnetCount(deps), leaseMs: containerLease }),
  )
  const { cpuCount, memoryLimit, storageLimit } = checkLimits
  const environment = { HOST: '127.0.0.1', PORT: String(challenge.exposePort) }
  await launch(deps, {
    ...{ id, subnetIndex, participationId: null, team: 'admin', accountId: null, flag, lifetime: checkLimits.instanceLife },
    // The program waits for the service.
    challenge: { ...challenge, readyTimeout: 0 },
    beside: { name: part, image: challenge.checkImage, environment, cpuCount, memoryLimit, storageLimit, runsOnce: true },
  })
}

async function watch(
  { db, engine }: LaunchDeps,
  id: string,
  flags: readonly string[],
  signal: AbortSignal,
  seen: (output: string) => void,
): Promise<CheckResult> {
  let output = ''
  let last: string | EngineError = ''
  for (const start = performance.now(); performance.now() - start < checkLimits.within; ) {
    last = await engine.logs(id, checkLimits.lines, part).catch((error: unknown) => {
      if (error instanceof EngineError) return error
      throw error
    })
    // A container that no longer exists has no output.
    if (typeof last === 'string' && last !== '') {
      output = keptOutput(last, flags)
      seen(output)
      if (hasFlag(last, flags)) return { state: 'Passed', problem: null, output }
    }
    await sleep(checkLimits.pollInterval, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return { state: 'NotTried', problem: 'The platform stopped', output }
  }
  if (typeof last !== 'string')
    return { state: 'NotTried', problem: `The output could not be read: ${keptOutput(messageOf(last), flags)}`, output }
  const end = await findCheckEnd(db, id)
  if (end) {
    const isOfChallenge = ['exit', 'memory', 'storage'].includes(end.endedBy)
    const problem = `The instance ended (${end.endedBy})${end.problem === null ? '' : `: ${keptOutput(end.problem, flags)}`}`
    return { state: isOfChallenge ? 'Failed' : 'NotTried', problem, output }
  }
  const problem = `The program did not print the flag within ${checkLimits.within / 1000} s`
  return { state: 'Failed', problem, output }
}
