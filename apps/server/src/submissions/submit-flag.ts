import { judgeFlag, readAnswer } from '@vexil/core/flags'
import { mustBeAbleToSubmit } from '@vexil/core/participation'
import { SubmitBusy } from '@vexil/core/rules'
import { audit } from '../audit.ts'
import type { Deps } from '../deps.ts'
import type { Attempts, Recorded } from './attempts.ts'
import type { RecentVerdicts } from './recent-verdicts.ts'
import type { SubmissionContextCache } from './submission-context-cache.ts'
import { findSubmissionContext, listCheatsOf, type SubmissionContext } from './submissions.queries.ts'

export interface Attempt {
  readonly gameId: number
  readonly challengeId: number
  readonly flag: string
  readonly actor: { readonly id: string; readonly userName: string }
  readonly ip: string
  readonly session: string
  /** Time of the last byte of the request, by this process's monotonic clock (ms). */
  readonly arrived: number
}

type Parts = Pick<Deps, 'db' | 'bus' | 'log' | 'versions' | 'onError'> & {
  readonly attempts: Attempts
  readonly facts: SubmissionContextCache
  readonly verdicts: RecentVerdicts
  /** @throws the refusal if the session has ended or the account was banned */
  readonly mustBeSignedIn: () => Promise<void>
}

/** Attempts: if the facts change before the answer is stored, it is judged again. */
const readings = 2

/**
 * Judges and stores one flag, right or wrong, and returns the id of the submission. The state of the game is that of the time of arrival.
 * Costs a share of one write, one read if the facts are not cached or do not permit the answer, and one for the flag of another team.
 * @throws as mustBeAbleToSubmit and mustBeSignedIn, FlagEmpty, FlagTooLong, SubmitBusy
 */
export async function submitFlag(deps: Parts, attempt: Attempt): Promise<number> {
  const answer = readAnswer(attempt.flag)
  const arrived = deps.versions.now() - (performance.now() - attempt.arrived)
  const known = deps.facts.find(attempt, answer)
  if (known && isPermitted(known, arrived)) {
    const stored = await store(deps, attempt, answer, known)
    if (stored !== null) return stored
  }
  for (let reading = 0; reading < readings; reading++) {
    const read = await findSubmissionContext(deps.db, attempt, answer)
    const context = { ...read.context, now: arrived }
    mustBeAbleToSubmit(context)
    deps.facts.keep(attempt, read)
    const stored = await store(deps, attempt, answer, context)
    if (stored !== null) return stored
  }
  throw new SubmitBusy({ retryAfter: 1 })
}

type PermittedContext = SubmissionContext & { readonly participationId: number }

function isPermitted(context: SubmissionContext, now: number): context is PermittedContext {
  try {
    mustBeAbleToSubmit({ ...context, now })
    return true
  } catch {
    return false
  }
}

/** Returns the id of the submission; null if the facts have changed, and nothing was stored. */
async function store(deps: Parts, attempt: Attempt, answer: string, context: PermittedContext): Promise<number | null> {
  const recorded = await deps.attempts.record({
    gameId: attempt.gameId,
    challengeId: attempt.challengeId,
    participationId: context.participationId,
    accountId: attempt.actor.id,
    session: attempt.session,
    answer,
    verdict: judgeFlag(answer, context.key),
    epoch: context.epoch,
    arrived: attempt.arrived,
  })
  if (recorded.outcome !== 'ok') {
    deps.facts.drop(attempt, recorded.outcome)
    if (recorded.outcome === 'signed_out' || recorded.outcome === 'banned') await deps.mustBeSignedIn()
    return null
  }
  const { gameId, challengeId } = attempt
  deps.verdicts.keep({ id: recorded.submission, gameId, challengeId, accountId: attempt.actor.id }, recorded.verdict)
  await announce(deps, attempt, answer, context, recorded)
  return recorded.submission
}

async function announce(
  { db, bus, log, onError }: Parts,
  { gameId, actor, ip }: Attempt,
  answer: string,
  context: SubmissionContext,
  recorded: Recorded,
): Promise<void> {
  const right = recorded.verdict === 'Accepted'
  // A correct flag, also another team's, must not be readable in the log.
  const shown = recorded.verdict === 'WrongAnswer' ? answer : `${[...answer].slice(0, 4).join('')}…`
  const about = `${recorded.team} on ${context.challengeTitle}: ${shown}`
  log.write({
    status: right ? 'Success' : 'Failed',
    name: actor.userName,
    ip,
    message: `${right ? 'Correct' : 'Wrong'} answer of ${about}`,
  })
  bus.publish('submission.judged', { gameId, submissionId: recorded.submission, solve: recorded.solve })
  if (recorded.notice !== null) bus.publish('notice.added', { gameId, noticeId: recorded.notice })
  if (recorded.verdict !== 'CheatDetected') return
  // None if the owner's participation was deleted in the meantime. The answer is stored, so its sender gets no error.
  const [cheat] = await listCheatsOf(db, [recorded.submission]).catch((error: unknown) => {
    onError(error)
    return []
  })
  audit({ log }, { userName: actor.userName, ip }, `Flag of ${cheat?.ownerName ?? 'another team'} submitted by ${about}`)
}
