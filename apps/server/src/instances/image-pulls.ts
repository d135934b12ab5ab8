/** Pulls the images of enabled challenges to every node of the engine: at a change, before a game starts, and when an organiser asks. */
import type { GameImage } from '@vexil/contract/instances'
import { wireTime } from '@vexil/contract/wire'
import { ContainersUnavailable, GameNotFound } from '@vexil/core/rules'
import { type Actor, audit } from '../audit.ts'
import type { Deps } from '../deps.ts'
import { findGame } from '../games/games.queries.ts'
import { EngineError, type NodeImage } from '../ports/engine/engine.ts'
import {
  type ClaimedImage,
  claimImage,
  endPull,
  findImage,
  keepPulling,
  listGameImages,
  wantBeforeStart,
  wantImages,
} from './image-pulls.queries.ts'
import { messageOf } from './launch.ts'

type PullDeps = Pick<Deps, 'db' | 'bus' | 'log' | 'engine' | 'onError'>

/** Milliseconds. */
const leaseMs = 30_000
/** UTF-16 units of a stored reason. */
const problemMax = 500

/** In the first process of each node. */
export function startImagePulls(deps: PullDeps): void {
  if (deps.engine.kind === 'None') return
  deps.bus.subscribe('challenge.changed', ({ challengeId }) => {
    void pullChallengeImages(deps, challengeId).catch(deps.onError)
  })
}

/** For the sweep of each minute: pulls what is wanted because a game starts soon, the engine was unreachable or a pull was interrupted. */
export async function pullBeforeStart(deps: PullDeps): Promise<void> {
  await wantBeforeStart(deps.db)
  // Not awaited: a pull may take longer than the pause.
  void pullDue(deps).catch(deps.onError)
}

async function pullChallengeImages(deps: PullDeps, challengeId: number): Promise<void> {
  if ((await wantImages(deps.db, { challengeId })) > 0) await pullDue(deps)
}

/** Pulls what is wanted, one image after the other, until none waits, all places are taken, or the engine is unreachable. */
export async function pullDue(deps: PullDeps): Promise<void> {
  for (;;) {
    const claimed = await claimImage(deps.db, leaseMs)
    if (!claimed || !(await pullImage(deps, claimed))) return
  }
}

/** Returns false when the engine was unreachable: the image is still wanted. */
async function pullImage({ db, log, engine, onError }: PullDeps, claimed: ClaimedImage): Promise<boolean> {
  const { image } = claimed
  let nodes: readonly NodeImage[] = []
  const keep = () => void keepPulling(db, image, nodes, leaseMs).catch(onError)
  const renewing = setInterval(keep, leaseMs / 3)
  try {
    await engine.pull(image, (seen) => {
      nodes = seen.map((one) => ({ ...one, problem: one.problem?.slice(0, problemMax) ?? null }))
      keep()
    })
    await endPull(db, claimed, nodes.length > 0 ? nodes : [{ node: '', state: 'here', problem: null }])
    return true
  } catch (error) {
    if (!(error instanceof EngineError) || error.problem === 'unreachable') {
      await endPull(db, claimed, null)
      if (error instanceof EngineError) return false
      throw error
    }
    const problem = messageOf(error).slice(0, problemMax)
    const isKnown = nodes.some(({ state }) => state === 'failed')
    await endPull(db, claimed, isKnown ? nodes : [{ node: '', state: 'failed', problem }])
    // No challenge may use it any more, for example because its name was corrected.
    const users = (await findImage(db, image))?.challenges.map(({ id, title }) => `${title} (#${id})`).join(', ')
    const message = `Could not pull the image of ${users}: ${problem}`
    if (users) log.write({ level: 'Warning', status: 'Failed', name: 'System', message })
    return true
  } finally {
    clearInterval(renewing)
  }
}

/** @throws GameNotFound */
export async function gameImages({ db }: Pick<Deps, 'db'>, gameId: number): Promise<GameImage[]> {
  if (!(await findGame(db, gameId))) throw new GameNotFound()
  return (await listGameImages(db, gameId)).map(({ image, challenges, pulledAt, isRunning, isDue, nodes }) => ({
    image,
    challenges: [...challenges],
    state: isRunning ? 'pulling' : isDue ? 'waiting' : 'done',
    pulledAt: pulledAt && wireTime(pulledAt),
    nodes: [...nodes],
  }))
}

/** Pulls the images of a game again, and returns at once. @throws GameNotFound, ContainersUnavailable */
export async function pullGameImages(deps: PullDeps, gameId: number, by: Actor): Promise<GameImage[]> {
  const game = await findGame(deps.db, gameId)
  if (!game) throw new GameNotFound()
  if (deps.engine.kind === 'None') throw new ContainersUnavailable()
  if ((await wantImages(deps.db, { gameId })) > 0) void pullDue(deps).catch(deps.onError)
  audit(deps, by, `Pulls the images of ${game.title} (#${gameId})`)
  return gameImages(deps, gameId)
}
